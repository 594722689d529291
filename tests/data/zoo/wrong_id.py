"""Answers a request that nobody made."""

from keeper import live, number_of


def misbehave(line, answer):
    return answer.replace(b'"id":%d' % number_of(line), b'"id":424242')


live(misbehave)
