"""Sends an observation of another shape."""

from keeper import changed, live

live(lambda _line, answer: changed(answer, observation={"history": {"messages": "many"}}))
