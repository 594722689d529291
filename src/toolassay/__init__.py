"""
A conformance kit and a reference simulator for how LLM agents call tools.

This package imports nothing, so that a test run which merely has it installed
pays nothing. Import from where things live: assertions for tests from
`toolassay.testing`, what an adapter needs from `toolassay.adapter`, and the
contract itself from `toolassay.spec`.
"""

__version__ = "0.1.0"
