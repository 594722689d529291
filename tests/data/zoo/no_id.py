"""Answers nobody in particular."""

from keeper import live, number_of


def misbehave(line, answer):
    return answer.replace(b'"id":%d' % number_of(line), b'"id":null')


live(misbehave)
