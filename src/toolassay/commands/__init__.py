"""
The verbs of the command line, one module each.

A module imports at its top only what every use of its verb needs.
"""
