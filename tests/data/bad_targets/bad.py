"""
Adapters that misbehave, each in one way, in the case whose user says `bad`.

Every factory gives an adapter that answers any other case, so that a test can
see that the next case still runs. The last ones cannot even be started.
"""

import ctypes
import os
import signal
import sys
import time

DESCRIPTION = {
    "name": "bad",
    "version": "1",
    "operations": ["turn/run", "event/validate", "arguments/sanitize"],
    "facets": ["history", "executions"],
    "features": [],
    "deterministic": True,
}

GOOD = {"history": {"messages": []}, "executions": {"executions": []}}


class Bad:
    """An adapter that does `misdeed` where it is asked to."""

    def __init__(self, misdeed, **description):
        self.misdeed = misdeed
        self.description = {**DESCRIPTION, **description}

    def initialize(self):
        return self.description

    def turn_run(self, play):
        return self.misdeed(play) if play.users == ("bad",) else GOOD


def raises():
    def misdeed(play):
        raise ValueError("no \ud800 luck")

    return Bad(misdeed)


def exits_politely():
    def misdeed(play):
        sys.exit(3)

    return Bad(misdeed)


def interrupts():
    def misdeed(play):
        raise KeyboardInterrupt

    return Bad(misdeed)


def raises_what_cannot_print():
    class Unprintable(Exception):
        def __str__(self):
            raise RuntimeError

    def misdeed(play):
        raise Unprintable

    return Bad(misdeed)


def raises_in_coroutine():
    async def misdeed(play):
        raise ValueError("later")

    return Bad(misdeed)


def hangs():
    return Bad(lambda play: time.sleep(3600))


def hangs_and_swallows():
    def misdeed(play):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            try:
                time.sleep(3600)
            except BaseException:  # this is the misdeed
                continue

    return Bad(misdeed)


def hangs_with_child():
    def misdeed(play):
        os.system("sleep 3600")  # the child holds every pipe open

    return Bad(misdeed)


def exits():
    def misdeed(play):
        os.write(2, b"going down\n")
        os._exit(7)

    return Bad(misdeed)


def exits_and_leaves_child():
    def misdeed(play):
        if os.fork() == 0:
            time.sleep(60)
        os._exit(7)

    return Bad(misdeed)


def segfaults():
    return Bad(lambda play: ctypes.string_at(0))


def floods_stderr():
    def misdeed(play):
        for _ in range(512):
            os.write(2, b"x" * 4096)
        return GOOD

    return Bad(misdeed)


def floods_stdout():
    def misdeed(play):
        print("not a protocol line\n" * 10_000, flush=True)
        os.write(1, b"nor this\n" * 1000)
        return GOOD

    return Bad(misdeed)


def reads_stdin():
    def misdeed(play):
        sys.stdin.read()
        return GOOD

    return Bad(misdeed)


def protocol_pipe():
    """Find the worker's own copy of standard output, as only malice does."""
    for number in range(3, 64):
        try:
            if not os.get_inheritable(number) and os.isatty(number) is False:
                os.write(number, b"")
                yield number
        except OSError:
            continue


def writes_noise():
    def misdeed(play):
        for number in protocol_pipe():
            os.write(number, b"\xff\xfe no json\n")
        return GOOD

    return Bad(misdeed)


def writes_half_a_line():
    def misdeed(play):
        for number in protocol_pipe():
            os.write(number, b'{"jsonrpc": "2.0", "id"')
        os._exit(0)

    return Bad(misdeed)


def answers_another_request():
    def misdeed(play):
        for number in protocol_pipe():
            os.write(number, b'{"jsonrpc":"2.0","id":99,"result":{"status":"ok"}}\n')
        return GOOD

    return Bad(misdeed)


def writes_without_end():
    def misdeed(play):
        numbers = list(protocol_pipe())
        while True:
            for number in numbers:
                os.write(number, b"x" * 65536)

    return Bad(misdeed)


def gives_nothing():
    return Bad(lambda play: None)


def gives_wrong_types():
    return Bad(lambda play: {"history": {"messages": [{"role": "wizard"}]}})


def gives_unknown_facet():
    return Bad(lambda play: {**GOOD, "exections": {}})


def gives_unserialisable():
    return Bad(lambda play: {**GOOD, "history": {"messages": [object()]}})


def gives_nan():
    return Bad(lambda play: {**GOOD, "omitted": {"journal": float("nan")}})


def gives_surrogate():
    return Bad(lambda play: {**GOOD, "omitted": {"journal": "\ud800"}})


def gives_itself():
    def misdeed(play):
        circle = {}
        circle["history"] = circle
        return circle

    return Bad(misdeed)


def gives_deep():
    def misdeed(play):
        deep = []
        for _ in range(100_000):
            deep = [deep]
        return {"history": deep}

    return Bad(misdeed)


def gives_rather_deep():
    def misdeed(play):
        deep = "[" * 50_000 + "]" * 50_000
        line = b'{"jsonrpc":"2.0","id":2,"result":{"status":"ok","observation":'
        for number in protocol_pipe():
            os.write(number, line + deep.encode() + b"}}\n")
        time.sleep(3600)

    return Bad(misdeed)


def gives_huge():
    return Bad(lambda play: {"omitted": {"history": "x" * (65 * 1024 * 1024)}})


def lacks_a_facet():
    return Bad(lambda play: {"history": {"messages": []}})


def lacks_a_facet_with_reason():
    return Bad(lambda play: {"history": {"messages": []}, "omitted": {"executions": "no hooks"}})


def declares_nonsense():
    return Bad(None, facets=["histroy"])


def declares_no_dict():
    class Adapter:
        def initialize(self):
            return ["not", "a", "dict"]

    return Adapter()


def cannot_be_made():
    raise RuntimeError("no licence key")


NOT_CALLABLE = 3


def dies_at_start():
    os.write(2, b"dying early\n")
    os._exit(9)
