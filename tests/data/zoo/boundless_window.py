"""Wants more requests at a time than anybody sends."""

from keeper import changed, live

live(greet=lambda answer: changed(answer, window=1_000_000_000))
