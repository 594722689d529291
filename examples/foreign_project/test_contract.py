"""The whole of what a project writes to be judged: the anchors, and whatever else it tests."""

import sys
from pathlib import Path

import spec
import vectors as embeddings

from toolassay.testing import vectors

TARGET = "python:agent.conformance:Adapter"

test_contract = vectors(target=TARGET, families=["ord", "arg", "msg"])
test_refunds = vectors(target=TARGET, shipped=False, vectors="scenarios")


def test_the_packages_of_this_project_are_its_own():
    here = Path(__file__).parent
    assert spec.OWNER == embeddings.OWNER == "foreign-project"
    assert Path(spec.__file__).parent.parent == here
    assert Path(embeddings.__file__).parent.parent == here


def test_toolassay_leaks_nothing_to_the_top():
    ours = {"simulator", "properties", "adapters", "benchmarks", "cli", "worker", "runner"}
    assert ours.isdisjoint(sys.modules)
