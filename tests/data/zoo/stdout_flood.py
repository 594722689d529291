"""Goes on writing after its answer, whether or not anybody reads."""

from keeper import live, say


def misbehave(_line, answer):
    say(answer)
    while True:
        say(b"{}\n" * 10_000)


live(misbehave)
