"""Speaks a version that is still to come."""

from keeper import changed, live

live(greet=lambda answer: changed(answer, protocol=2))
