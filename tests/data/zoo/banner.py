"""Prints a greeting of its own where only answers belong."""

from keeper import live, say

say(b"Welcome to my-agent 1.0!\n")
live()
