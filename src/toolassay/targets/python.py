"""
The target `python:module:factory`: an adapter object, in a worker process.

The worker speaks the protocol of `stdio:` targets; it runs under `--python`,
by default the kit's own interpreter.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from toolassay import worker
from toolassay.errors import AdapterProtocolError, AdapterStartError
from toolassay.spec.case import Case
from toolassay.targets.base import DEADLINE_S, START_S, Answer, Implementation, implementation_of
from toolassay.targets.requests import INITIALIZE, Tokens, params_of, request
from toolassay.targets.stdio import StdioTarget, Words, refused
from toolassay.targets.wire import Reply, UnreadableError, read_answer, read_described, read_reply

WORDS = Words(
    absent="--python names the interpreter of the worker",
    lost="check the module, the factory, PYTHONPATH and --python",
    faulty="the fault is in the adapter; toolassay's docs/adapter-python.md says what it offers",
)
"""What to do about an adapter object that cannot be had."""


class PythonTarget(StdioTarget):
    """
    An adapter object in a worker process.

    Args:
        spec: Where its factory is, as `module:factory`.
        python: The interpreter; the kit's own if not given.
        folder: Where the worker runs; the current folder if not given.
        start_s: Longest wait for the worker to import its implementation.

    Raises:
        AdapterStartError: It cannot be started.
        AdapterProtocolError: What it says of itself has the wrong shape.
    """

    def __init__(
        self,
        spec: str,
        *,
        python: str | None = None,
        folder: Path | None = None,
        start_s: float = START_S,
    ) -> None:
        command = (python or sys.executable, str(Path(worker.__file__).resolve()), spec)
        super().__init__(command, f"python:{spec}", folder=folder, start_s=start_s, words=WORDS)


class InProcessTarget:
    """
    The same adapter object in the kit's own process, for debugging: no deadline holds.

    Args:
        spec: Where its factory is, as `module:factory`.

    Raises:
        AdapterStartError: It cannot be imported.
        AdapterProtocolError: What it says of itself has the wrong shape.
    """

    def __init__(self, spec: str) -> None:
        self._target = f"python:{spec}"
        folder = str(Path.cwd())
        if folder not in sys.path:
            sys.path.insert(0, folder)
        # Ctrl-C must reach the kit, so only these exceptions become results.
        self._session = worker.Session(spec, (Exception, SystemExit))
        self._tokens = Tokens()
        try:
            reply = self._ask("initialize", INITIALIZE)
            if reply.error is not None:
                raise refused(self._target, reply, WORDS)
            self._implementation = implementation_of(read_described(reply), self._target)
        except UnreadableError as error:
            raise AdapterProtocolError(self._target, error.message, hint=error.hint) from None
        except _ThrownError as error:
            what = f"initialize() raised {error}"
            raise AdapterStartError(self._target, what, hint=WORDS.faulty) from None

    @property
    def implementation(self) -> Implementation:
        """What the adapter says of its implementation."""
        return self._implementation

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:
        """Run one case; nothing stops one that hangs."""
        try:
            params = params_of(case, self._tokens.next(), seed, deadline_s)
            reply = self._ask(case.operation, params)
        except UnreadableError as error:
            return Answer("error", message=error.told)
        except _ThrownError as error:
            return Answer("raised", message=str(error))
        return read_answer(reply, case.operation)

    def close(self) -> None:
        """Do nothing: it ends with the kit."""

    def _ask(self, method: str, params: object) -> Reply:
        # Through JSON, so that both ways of running see and say the same.
        asked = msgspec.json.decode(request(0, method, params))
        try:
            line = self._session.answer(asked)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a worker would have died of it
            raise _ThrownError(type(error).__name__) from None
        return read_reply(line)


class _ThrownError(Exception):
    """What is no result came out of an implementation, such as a cancelled task."""
