"""Sends a facet that the protocol does not know."""

from keeper import changed, live

live(lambda _line, answer: changed(answer, observation={"histroy": {"messages": []}}))
