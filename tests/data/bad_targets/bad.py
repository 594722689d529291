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
from collections.abc import Callable, Iterator

from toolassay.adapter import Play

DESCRIPTION = {
    "name": "bad",
    "version": "1",
    "operations": ["turn/run", "event/validate", "arguments/sanitize"],
    "facets": ["history", "executions"],
    "features": [],
    "deterministic": True,
}

GOOD: dict[str, object] = {"history": {"messages": []}, "executions": {"executions": []}}


class Bad:
    """An adapter that does `misdeed` where it is asked to."""

    def __init__(self, misdeed: Callable[[Play], object], **description: object) -> None:
        self.misdeed = misdeed
        self.description = {**DESCRIPTION, **description}

    def initialize(self) -> dict[str, object]:
        return self.description

    def turn_run(self, play: Play) -> object:
        return self.misdeed(play) if play.users == ("bad",) else GOOD


def raises() -> Bad:
    def misdeed(_play: Play) -> object:
        raise ValueError("no \ud800 luck")

    return Bad(misdeed)


def exits_politely() -> Bad:
    def misdeed(_play: Play) -> object:
        sys.exit(3)

    return Bad(misdeed)


def interrupts() -> Bad:
    def misdeed(_play: Play) -> object:
        raise KeyboardInterrupt

    return Bad(misdeed)


def raises_what_cannot_print() -> Bad:
    class UnprintableError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def misdeed(_play: Play) -> object:
        raise UnprintableError

    return Bad(misdeed)


def raises_in_coroutine() -> Bad:
    async def misdeed(_play: Play) -> object:
        raise ValueError("later")

    return Bad(misdeed)


def hangs() -> Bad:
    return Bad(lambda _play: time.sleep(3600))


def closes_its_pipes_and_hangs() -> Bad:
    def misdeed(_play: Play) -> object:
        os.closerange(0, 64)
        time.sleep(3600)
        return GOOD

    return Bad(misdeed)


def hangs_and_swallows() -> Bad:
    def misdeed(_play: Play) -> object:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            try:
                time.sleep(3600)
            except BaseException:  # noqa: BLE001 - this is the misdeed
                continue

    return Bad(misdeed)


def hangs_with_child() -> Bad:
    def misdeed(_play: Play) -> object:
        return os.system("sleep 3600")  # the child holds every pipe open

    return Bad(misdeed)


def exits() -> Bad:
    def misdeed(_play: Play) -> object:
        os.write(2, b"going down\n")
        os._exit(7)

    return Bad(misdeed)


class ExitsAlways(Bad):
    """An adapter that ends in every case, the plainest too."""

    def turn_run(self, play: Play) -> object:
        return self.misdeed(play)


def exits_always() -> Bad:
    return ExitsAlways(exits().misdeed)


def exits_and_leaves_child() -> Bad:
    def misdeed(_play: Play) -> object:
        if os.fork() == 0:
            time.sleep(60)
        os._exit(7)

    return Bad(misdeed)


def segfaults() -> Bad:
    return Bad(lambda _play: ctypes.string_at(0))


def floods_stderr() -> Bad:
    def misdeed(_play: Play) -> object:
        for _ in range(512):
            os.write(2, b"x" * 4096)
        return GOOD

    return Bad(misdeed)


def floods_stdout() -> Bad:
    def misdeed(_play: Play) -> object:
        print("not a protocol line\n" * 10_000, flush=True)  # noqa: T201 - this is the misdeed
        os.write(1, b"nor this\n" * 1000)
        return GOOD

    return Bad(misdeed)


def reads_stdin() -> Bad:
    def misdeed(_play: Play) -> object:
        sys.stdin.read()
        return GOOD

    return Bad(misdeed)


def protocol_pipe() -> Iterator[int]:
    """Find the worker's own copy of standard output, as only malice does."""
    for number in range(3, 64):
        try:
            if not os.get_inheritable(number) and not os.isatty(number):
                os.write(number, b"")
                yield number
        except OSError:
            continue


def writes_noise() -> Bad:
    def misdeed(_play: Play) -> object:
        for number in protocol_pipe():
            os.write(number, b"\xff\xfe no json\n")
        return GOOD

    return Bad(misdeed)


def writes_half_a_line() -> Bad:
    def misdeed(_play: Play) -> object:
        for number in protocol_pipe():
            os.write(number, b'{"jsonrpc": "2.0", "id"')
        os._exit(0)

    return Bad(misdeed)


def answers_another_request() -> Bad:
    def misdeed(_play: Play) -> object:
        for number in protocol_pipe():
            os.write(number, b'{"jsonrpc":"2.0","id":99,"result":{"status":"ok"}}\n')
        return GOOD

    return Bad(misdeed)


def writes_without_end() -> Bad:
    def misdeed(_play: Play) -> object:
        numbers = list(protocol_pipe())
        while True:
            for number in numbers:
                os.write(number, b"x" * 65536)

    return Bad(misdeed)


def gives_nothing() -> Bad:
    return Bad(lambda _play: None)


def gives_wrong_types() -> Bad:
    return Bad(lambda _play: {"history": {"messages": [{"role": "wizard"}]}})


def gives_unknown_facet() -> Bad:
    return Bad(lambda _play: {**GOOD, "exections": {}})


def gives_unserialisable() -> Bad:
    return Bad(lambda _play: {**GOOD, "history": {"messages": [object()]}})


def gives_nan() -> Bad:
    return Bad(lambda _play: {**GOOD, "omitted": {"journal": float("nan")}})


def gives_surrogate() -> Bad:
    return Bad(lambda _play: {**GOOD, "omitted": {"journal": "\ud800"}})


def gives_itself() -> Bad:
    def misdeed(_play: Play) -> object:
        circle: dict[str, object] = {}
        circle["history"] = circle
        return circle

    return Bad(misdeed)


def gives_deep() -> Bad:
    def misdeed(_play: Play) -> object:
        deep: list[object] = []
        for _ in range(100_000):
            deep = [deep]
        return {"history": deep}

    return Bad(misdeed)


def gives_rather_deep() -> Bad:
    def misdeed(_play: Play) -> object:
        deep = "[" * 50_000 + "]" * 50_000
        line = b'{"jsonrpc":"2.0","id":2,"result":{"status":"ok","observation":'
        for number in protocol_pipe():
            os.write(number, line + deep.encode() + b"}}\n")
        return GOOD

    return Bad(misdeed)


def gives_huge() -> Bad:
    return Bad(lambda _play: {"omitted": {"history": "x" * (65 * 1024 * 1024)}})


def lacks_a_facet() -> Bad:
    return Bad(lambda _play: {"history": {"messages": []}})


def lacks_a_facet_with_reason() -> Bad:
    return Bad(lambda _play: {"history": {"messages": []}, "omitted": {"executions": "no hooks"}})


def declares_nonsense() -> Bad:
    return Bad(lambda _play: GOOD, facets=["histroy"])


def declares_a_misspelt_feature() -> Bad:
    return Bad(lambda _play: GOOD, features=["paralell"])


def declares_no_dict() -> object:
    class Adapter:
        def initialize(self) -> object:
            return ["not", "a", "dict"]

    return Adapter()


def cannot_be_made() -> Bad:
    raise RuntimeError("no licence key")


NOT_CALLABLE = 3


def dies_at_start() -> Bad:
    os.write(2, b"dying early\n")
    os._exit(9)
