"""Measure everything and print one table: `make bench`."""

import check
import plugin
import runner
import simulator
import start_up
import wire
from measure import show

PARTS = (start_up, runner, check, plugin, simulator, wire)


def main() -> None:
    missed = []
    for part in PARTS:
        rows = part.measure()
        show(part.TITLE, rows)
        missed += [one.what for one in rows if one.budget.startswith("!")]
    print(f"\nbudgets not kept: {', '.join(missed) or 'none'}")


if __name__ == "__main__":
    main()
