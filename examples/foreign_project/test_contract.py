"""The whole of what a project writes to be judged: the anchor, and whatever else it tests."""

import sys
from pathlib import Path

import spec
import vectors as embeddings
from toolassay.testing import vectors

test_contract = vectors(target="python:agent.conformance:Adapter", families=["ord", "arg", "msg"])


def test_the_packages_of_this_project_are_its_own():
    here = Path(__file__).parent
    assert spec.OWNER == embeddings.OWNER == "foreign-project"
    assert Path(spec.__file__).parent.parent == here
    assert Path(embeddings.__file__).parent.parent == here


def test_toolassay_leaks_nothing_to_the_top():
    ours = {"simulator", "properties", "adapters", "benchmarks", "cli", "worker", "runner"}
    assert ours.isdisjoint(sys.modules)
