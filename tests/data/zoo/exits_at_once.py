"""Ends before it is asked anything."""

import sys

sys.exit("the licence has expired")
