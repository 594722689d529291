"""From an anchor to its tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from toolassay.plugin.anchor import Anchor
from toolassay.plugin.contract import Contract
from toolassay.plugin.items import ContractItem
from toolassay.plugin.running import runner_of
from toolassay.plugin.settings import AnchorError, ClashError, resolve
from toolassay.printable import printable
from toolassay.selection import cited
from toolassay.spec.errors import ToolassayError


def collect(
    collector: pytest.Module | pytest.Class, name: str, anchor: Anchor
) -> Iterator[ContractItem]:
    """
    Make one test for each case of an anchor.

    Raises:
        AnchorError: What the anchor asks for cannot be had.
    """
    runner = runner_of(collector.config)
    try:
        contract = Contract(resolve(anchor, name, collector.config, collector.path))
    except ClashError as clash:
        runner.refuse(str(clash))
        raise
    except ToolassayError as fault:
        lines = [*str(fault).splitlines(), *([f"hint: {fault.hint}"] if fault.hint else ())]
        said = "\n".join(printable(line, 400) for line in lines)
        raise AnchorError(f"toolassay: {name}: {said}") from None
    runner.add(contract)
    line, file = anchor.line - 1, ""
    for case in contract.cases:
        # The id is given as a text, so that pytest sees parameters in its brackets.
        own = f"{name}[{case.id}]"
        node = f"{collector.nodeid}::{own}"
        item = ContractItem.from_parent(collector, name=own, nodeid=node)
        item.case, item.contract, item.line = case, contract, line
        # Where an item stands is the same for all but for its name, and slow to work out.
        file = file or item.location[0]
        item.location = (file, line, own)
        # So that `-k ORD-06` picks the cases of a clause.
        item.extra_keyword_matches.update(cited(case))
        yield item
