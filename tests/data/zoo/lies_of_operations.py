"""Declares an operation that it does not have."""

from keeper import honest, number_of, requests, say

for line in requests():
    if b'"event/validate"' in line and b'"params"' in line and b'"event":' in line:
        error = b'{"code":-32601,"message":"unknown method"}'
        say(b'{"jsonrpc":"2.0","id":%d,"error":%s}\n' % (number_of(line), error))
    else:
        say(honest(line))
