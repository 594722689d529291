"""How many scenarios the reference plays in a second."""

from measure import Row, least, show

from toolassay.authoring.packs import load_pack_cases
from toolassay.simulator.reference import Reference
from toolassay.spec.scenario import Behaviour, Reply, Scenario, ScriptedCall, ToolScript

TITLE = "simulator, scenarios a second"
LEAST = 5_000
COUNT = 2_000

SMALL = Scenario(
    model=(Reply(calls=(ScriptedCall("c1", "read_file", '{"path":"a"}'),)), Reply("done")),
    tools=(ToolScript("read_file", behaviour=Behaviour(returns="text")),),
)
"""One call, one answer, one last word."""


def measure() -> list[Row]:
    reference = Reference()
    shipped = [case.scenario for case in load_pack_cases() if case.scenario is not None]

    def small() -> None:
        for seed in range(COUNT):
            reference.turn_run(SMALL, seed)

    def all_shipped() -> None:
        for scenario in shipped:
            reference.turn_run(scenario, 0)

    of_small, of_all = least(small, all_shipped)
    alone, mixed = COUNT / of_small, len(shipped) / of_all
    kept = "" if alone >= LEAST else "! "
    return [
        Row("small, one call", f"{alone:,.0f} /s", "", f"{kept}>= {LEAST}"),
        Row("all shipped scenarios", f"{mixed:,.0f} /s", f"{mixed / alone:.2f} x small"),
    ]


if __name__ == "__main__":
    show(TITLE, measure())
