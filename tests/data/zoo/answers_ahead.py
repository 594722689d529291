"""Answers requests that are still to come, outside the window."""

from keeper import changed, live, number_of


def misbehave(line, answer):
    number = number_of(line)
    ahead = [answer.replace(b'"id":%d' % number, b'"id":%d' % (number + n)) for n in range(1, 200)]
    return answer + b"".join(ahead)


live(misbehave, lambda answer: changed(answer, window=1))
