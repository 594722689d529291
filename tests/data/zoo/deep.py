"""Nests its answer far deeper than any stack."""

from keeper import live, number_of


def misbehave(line, _answer):
    head = b'{"jsonrpc":"2.0","id":%d,"result":{"status":"ok","observation":' % number_of(line)
    return head + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}}\n"


live(misbehave)
