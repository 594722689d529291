"""
The worker: serves one adapter to the kit, one JSON-RPC 2.0 object per line.

    PYTHON path/to/worker.py MODULE:FACTORY

Standard library only, Python 3.9 and newer: it runs in the environment of the
implementation under test, where the kit need not be installed. Lines go out on
a copy of standard output; what the implementation prints goes to standard error.
A JSON-RPC error says that the adapter is at fault; whatever the implementation
throws is a result, `raised`.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # The first entry is the kit's own folder, whose modules would hide the user's.
    sys.path[0] = os.getcwd()  # noqa: PTH109 - pathlib is a slow import

import asyncio
import importlib
import inspect
import json
import traceback
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping
    from typing import BinaryIO

LINE_MAX = 64 * 1024 * 1024
"""Bytes of the longest line, in and out."""

TAIL_MAX = 4000
"""Characters of a traceback that are sent."""

PROTOCOL = 1
"""Version of the protocol that is spoken here."""

WINDOW = 8
"""How many requests may wait in the pipe while one is answered."""

BAD_JSON = -32700
"""The line is no JSON."""

BAD_REQUEST = -32600
"""The line is no request."""

BAD_METHOD = -32601
"""The method is unknown."""

BAD_PARAMS = -32602
"""What is asked for has the wrong shape."""

ADAPTER_FAULT = -32001
"""The adapter cannot be made, or its answer cannot be sent."""

NOT_FOUND = -32002
"""The module or the factory of the adapter is not where it was looked for."""


class Fault(Exception):  # noqa: N818 - it becomes a JSON-RPC error
    """A fault of the adapter, as a JSON-RPC error."""

    def __init__(self, message: str, detail: str = "", code: int = ADAPTER_FAULT) -> None:
        super().__init__(message)
        self.code = code
        self.message = _safe(message)
        self.detail = _safe(detail)


class Session:
    """
    One adapter object, and the requests to it.

    Args:
        spec: Where its factory is, as `module:factory`.
        caught: Exceptions of the implementation that become results.
    """

    def __init__(
        self, spec: str, caught: tuple[type[BaseException], ...] = (BaseException,)
    ) -> None:
        self._spec = spec
        self._caught = caught
        self._adapter: Any = None
        self._facets: tuple[str, ...] | None = None

    def answer(self, request: Mapping[str, Any]) -> bytes:
        """Answer one request with one line, whatever happens."""
        head = {"jsonrpc": "2.0", "id": request.get("id")}
        try:
            result = self._dispatch(str(request.get("method")), request.get("params", {}))
            return _line({**head, "result": result})
        except Fault as fault:
            error = {"code": fault.code, "message": fault.message, "data": {"detail": fault.detail}}
            return _line({**head, "error": error})

    def _dispatch(self, method: str, params: object) -> Mapping[str, Any]:
        if not isinstance(params, dict):
            raise Fault("params must be an object", code=BAD_PARAMS)
        if method == "initialize":
            return self._initialize()
        if method == "shutdown":
            return {"status": "ok"}
        if self._adapter is None:
            raise Fault(f"{method} before initialize", code=BAD_REQUEST)
        if method == "turn/run":
            return self._turn_run(params)
        if method == "event/validate":
            return self._stateless("event_validate", _text(params, "event"))
        if method == "arguments/sanitize":
            return self._stateless("arguments_sanitize", _bytes(_text(params, "arguments")))
        if method == "reset":
            return self._reset()
        raise Fault(f"unknown method {method!r}", code=BAD_METHOD)

    def _initialize(self) -> Mapping[str, Any]:
        factory = load_factory(self._spec)
        try:
            self._adapter = _with_initialize(factory(), self._spec)
            described = self._adapter.initialize()
            if inspect.isawaitable(described):
                described = asyncio.run(_await(described))
        except Fault:
            raise
        except self._caught as error:
            words = f"{self._spec} raised {_named(error)}{_where(error, self._module())}"
            raise Fault(words, _tail(error)) from None
        if not isinstance(described, dict):
            raise Fault(f"initialize() gave {type(described).__name__}, not a dict")
        facets = described.get("facets")
        self._facets = tuple(facets) if isinstance(facets, (list, tuple)) else None
        return {"protocol": PROTOCOL, "window": WINDOW, **described}

    def _reset(self) -> Mapping[str, Any]:
        reset = getattr(self._adapter, "reset", None)
        if reset is None:
            raise Fault("the adapter has no reset()")
        try:
            done = reset()
            if inspect.isawaitable(done):
                asyncio.run(_await(done))
        except self._caught as error:
            raise Fault(f"reset() raised {_named(error)}", _tail(error)) from None
        return {"status": "ok"}

    def _turn_run(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        from toolassay.adapter import Play  # noqa: PLC0415 - importable since `main`

        try:
            play = Play(
                params["scenario"],
                seed=params.get("seed", 0),
                facets=self._facets,
                deadline_s=params.get("deadline_ms", 10_000) / 1000,
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            words = f"params of turn/run cannot be read: {_named(error)}"
            raise Fault(words, _tail(error), BAD_PARAMS) from None
        result = self._call("turn_run", play, play)
        # The implementation may have swallowed either exception on its way.
        if play.fault:
            raise Fault(play.fault, result.get("detail", ""))
        if play.unsupported:
            return {"status": "unsupported", "why": _safe(play.unsupported)}
        if result["status"] != "ok":
            return result
        seen = result["value"]
        if not isinstance(seen, dict):
            kind = type(seen).__name__
            raise Fault(f"turn_run() gave {kind}; it returns what play.observation() gives")
        return {"status": "ok", "observation": seen}

    def _stateless(self, method: str, argument: str | bytes) -> Mapping[str, Any]:
        result = self._call(method, argument)
        if result["status"] == "ok":
            outcome = result["value"]
            status = outcome.get("status", "ok") if isinstance(outcome, dict) else "ok"
            return {"status": status, "outcome": outcome}
        if result["status"] == "rejected":
            parts = {key: value for key, value in result.items() if key != "status"}
            return {"status": "rejected", "outcome": {"status": "rejected", **parts}}
        return result

    def _call(self, method: str, argument: object, play: Any = None) -> dict[str, Any]:  # noqa: ANN401
        from toolassay.adapter import Rejected, Unsupported  # noqa: PLC0415 - as above

        operation = getattr(self._adapter, method, None)
        if operation is None:
            return {"status": "unsupported", "why": f"the adapter has no {method}"}
        try:
            value = operation(argument)
            if inspect.isawaitable(value):
                value = asyncio.run(_await(value, play))
        except Rejected as refusal:
            return {"status": "rejected", **refusal.as_data()}
        except Unsupported as limit:
            return {"status": "unsupported", "why": _safe(str(limit))}
        except self._caught as error:
            message = _named(error) + _where(error, self._module())
            words = {"type": type(error).__name__, "message": message}
            return {"status": "raised", "error": words, "detail": _tail(error)}
        finally:
            if play is not None:
                play.close()
        return {"status": "ok", "value": value}

    def _module(self) -> object:
        return sys.modules.get(self._spec.partition(":")[0])


def load_factory(spec: str) -> Any:  # noqa: ANN401 - it is the user's
    """
    Import what `module:factory` names.

    Raises:
        Fault: It cannot be imported.
    """
    module_name, _, attribute = spec.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or module_name
        if module_name == missing or module_name.startswith(f"{missing}."):
            where = ", ".join(entry or "." for entry in sys.path[:3])
            raise Fault(f"no module named {missing!r} in {where}, ...", code=NOT_FOUND) from None
        words = f"{module_name} needs the module {missing!r}, which is not installed here"
        raise Fault(words, _tail(error), NOT_FOUND) from None
    except BaseException as error:  # noqa: BLE001 - SystemExit included
        raise Fault(f"importing {module_name} raised {_named(error)}", _tail(error)) from None
    found: Any = module
    for part in attribute.split("."):
        found = getattr(found, part, None)
        if found is None:
            raise Fault(f"the module {module_name!r} has no {attribute!r}", code=NOT_FOUND)
    if not callable(found):
        raise Fault(f"{spec} cannot be called; name a class, or a function that makes the adapter")
    return found


def _with_initialize(adapter: Any, spec: str) -> Any:  # noqa: ANN401 - it is the user's
    if not hasattr(adapter, "initialize"):
        raise Fault(f"{spec} made {type(adapter).__name__}, which has no initialize()")
    return adapter


def make_importable() -> None:
    """Make `toolassay.adapter` importable, whether or not the kit is installed here."""
    if "toolassay" not in sys.modules:
        package = types.ModuleType("toolassay")
        package.__path__ = [os.path.dirname(os.path.abspath(__file__))]  # noqa: PTH100, PTH120
        sys.modules["toolassay"] = package


def serve(session: Session, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer lines until the kit asks for the end or closes its side."""
    while True:
        line = source.readline(LINE_MAX)
        if not line:
            return
        fault: dict[str, Any] = {"code": BAD_REQUEST, "message": "the line is no request"}
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            request, fault = None, {"code": BAD_JSON, "message": "the line is no JSON"}
        if isinstance(request, dict):
            answer = session.answer(request)
        else:
            answer = _line({"jsonrpc": "2.0", "id": None, "error": fault})
        sink.write(answer)
        sink.flush()
        if isinstance(request, dict) and request.get("method") == "shutdown":
            return


def main(arguments: list[str]) -> int:
    """Serve the adapter that the command line names."""
    if len(arguments) != 1 or ":" not in arguments[0]:
        sys.stderr.write("usage: worker.py MODULE:FACTORY\n")
        return 2
    # Prints and reads of the implementation must not meet the protocol.
    sink = os.fdopen(os.dup(1), "wb")
    source = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    make_importable()
    serve(Session(arguments[0]), source, sink)
    return 0


async def _await(value: Awaitable[Any], play: Any = None) -> Any:  # noqa: ANN401
    try:
        return await value
    finally:
        if play is not None:
            play.close()  # threads with hanging tools would keep the event loop from ending


def _line(value: Mapping[str, Any]) -> bytes:
    """Encode one message; what cannot be sent is a fault of the adapter."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        line = text.encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise Fault(f"the adapter's answer is no JSON: {_named(error)}") from None
    if len(line) > LINE_MAX:
        raise Fault(f"the adapter's answer has {len(line)} bytes, more than {LINE_MAX}")
    return line


def _text(params: Mapping[str, Any], name: str) -> str | bytes:
    """Give a text of the parameters: a string, or the bytes of what is none."""
    text = params.get(name)
    if isinstance(text, str):
        return text
    if not isinstance(text, dict) or not isinstance(text.get("base64"), str):
        raise Fault(f"params.{name} must be a text", code=BAD_PARAMS)
    try:
        return _bytes(text)
    except ValueError:
        raise Fault(f"params.{name}.base64 is not well formed", code=BAD_PARAMS) from None


def _bytes(text: str | bytes | Mapping[str, str]) -> bytes:
    from toolassay.adapter_text import raw_of  # noqa: PLC0415 - importable since `main`

    return text if isinstance(text, bytes) else raw_of(text)


def _named(error: BaseException) -> str:
    from toolassay.adapter_text import error_of  # noqa: PLC0415 - importable since `main`

    return error_of(error)


def _where(error: BaseException, module: object) -> str:
    """Say where it was thrown: the last line of the adapter's module, or else the very last."""
    frames = traceback.extract_tb(error.__traceback__)
    own = getattr(module, "__file__", None)
    found = [one for one in frames if one.filename == own] or frames
    if not found:
        return ""
    last = found[-1]
    return _safe(f" (in {last.name}, {os.path.basename(last.filename)}:{last.lineno})")  # noqa: PTH119 - a slow import


def _tail(error: BaseException) -> str:
    try:
        text = "".join(
            traceback.format_exception(type(error), error, error.__traceback__, limit=-20)
        )
    except Exception:  # noqa: BLE001 - an exception may break its own printing
        text = type(error).__name__
    return _safe(text[-TAIL_MAX:])


def _safe(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
