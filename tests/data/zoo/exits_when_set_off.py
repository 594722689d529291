"""Ends in place of an answer."""

import sys

from keeper import live


def misbehave(_line, _answer):
    sys.exit("out of luck")


live(misbehave)
