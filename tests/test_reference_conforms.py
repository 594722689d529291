"""The reference passes everything, and behaves the same however it is reached."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ADAPTERS = Path(__file__).parent / "data" / "adapters"


def judged(*words: str, hash_seed: str = "0") -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "toolassay", "run", *words, "--format", "json"],
        env={**os.environ, "PYTHONPATH": str(ADAPTERS), "PYTHONHASHSEED": hash_seed},
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["exit_code"] == done.returncode
    return report


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    return judged("sim")


def test_the_reference_conforms_and_everything_applies_to_it(reference: dict[str, Any]) -> None:
    assert reference["verdict"] == "conformant"
    assert reference["not_applicable"] == {}
    assert reference["counts"]["cases"]["not_applicable"] == 0


@pytest.mark.parametrize(
    "words",
    [
        ("sim", "-j", "2"),
        ("python:reference_adapter:Adapter",),
        ("python:reference_adapter:Adapter", "-j", "2"),
        ("python:reference_adapter:Adapter", "--in-process"),
    ],
    ids=" ".join,
)
def test_the_digest_does_not_depend_on_the_way_or_the_process(
    reference: dict[str, Any], words: tuple[str, ...]
) -> None:
    report = judged(*words, hash_seed="77")

    assert report["canonical_digest"] == reference["canonical_digest"]
    assert report["counts"] == reference["counts"]


def test_another_behaviour_has_another_digest(reference: dict[str, Any]) -> None:
    report = judged("sim", "--case", "ord.*")

    assert report["verdict"] == "conformant"
    assert report["canonical_digest"] != reference["canonical_digest"]
