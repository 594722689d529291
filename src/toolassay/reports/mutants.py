"""What became of the mutants, as a table or as a document."""

from __future__ import annotations

import msgspec

from toolassay.mutation import MutantReport
from toolassay.printable import clipped
from toolassay.reports.documents import SCHEMA_VERSION, Json, encoded
from toolassay.reports.out import Out
from toolassay.statuses import Exit, verdict_of


class MutantsReport:
    """
    Takes mutants as they are examined.

    Args:
        out: Where to write.
        seed: The seed that was used.
        budget: Generated cases per mutant.
        form: `text` or `json`.
    """

    def __init__(self, out: Out, seed: int, budget: int, form: str) -> None:
        self.out = out
        self.seed = seed
        self.budget = budget
        self.is_text = form == "text"
        self.mutants: list[MutantReport] = []

    def add(self, mutant: MutantReport) -> None:
        """Take one mutant; survivors are shown with their fault."""
        self.mutants.append(mutant)
        if self.is_text:
            self.out.line(self._line(mutant))
            if mutant.survives or not mutant.reached:
                self.out.line(f"          {clipped(mutant.fault, self.out.style.width - 10)}")
            self.out.flush()

    def _line(self, mutant: MutantReport) -> str:
        word = "SURVIVES" if mutant.survives else "killed"
        word = "NOT REACHED" if not mutant.reached else word
        by = f"by {len(mutant.killers)} of {mutant.cases} cases"
        generation = ""
        if mutant.killed_by_generation is not None:
            tried = mutant.examples if mutant.examples is not None else f"not in {self.budget}"
            generation = f", generation {tried}"
        colour = "green" if word == "killed" else "red"
        head = self.out.style.paint(word, colour) + " " * max(0, 9 - len(word))
        return f"{head} {mutant.clause:<8} {mutant.name}  {by}{generation}"

    def finish(self) -> int:
        """Say what it comes to; give the exit code."""
        bad = [one for one in self.mutants if one.survives or not one.reached]
        code = Exit.NON_CONFORMANT if bad else Exit.CONFORMANT
        if not self.mutants:
            code = Exit.INCOMPLETE
        if self.is_text:
            self.out.line(self._words(code))
        else:
            self.out.write(encoded(self._document(code)))
        self.out.flush()
        return code

    def _words(self, code: Exit) -> str:
        total = len(self.mutants)
        by_vectors = sum(one.killed_by_vectors for one in self.mutants)
        words = f"{by_vectors} of {total} mutants killed by vectors of their clause"
        if self.budget:
            by_generation = sum(bool(one.killed_by_generation) for one in self.mutants)
            words += f", {by_generation} by generation within {self.budget} cases"
        return f"{verdict_of(code).upper()}: {words}"

    def _document(self, code: Exit) -> Json:
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": "mutants",
            "seed": self.seed,
            "budget": self.budget,
            "verdict": verdict_of(code),
            "exit_code": int(code),
            "mutants": [msgspec.to_builtins(one) for one in self.mutants],
        }
