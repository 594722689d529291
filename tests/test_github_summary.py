"""The summary of a step: what it says, its bound, and that nothing in it is markup of others."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from fakes import RAN, REGISTER, TWO, FakeTarget, case_of, events_of, mixed, paper, plan_of
from hostile import EVIL, HUGE, hostile_events, unseen

from toolassay.baseline import Baseline, Entry
from toolassay.cli import run_cli
from toolassay.reports.github_summary import BYTES_MAX, GithubSummary
from toolassay.reports.markdown import plain, preformatted
from toolassay.results import Event

TAGS = {"code", "details", "summary", "pre"}
"""The only tags of a summary."""


def written(events: list[Event]) -> str:
    out, stream = paper()
    report = GithubSummary(out, REGISTER)
    for event in events:
        report(event)
    return stream.getvalue()


def test_it_says_the_verdict_the_numbers_and_what_broke() -> None:
    text = written(events_of(mixed()))

    assert text.startswith("## toolassay: NON-CONFORMANT\n\n<code>my&#95;agent 1.2</code> at ")
    assert "| fail | 1 | 2 |" in text
    assert "| crashed | 1 | 2 |" in text
    assert "| <code>ORD-06</code> | broken | 1 | MUST, page 001, 002 |" in text
    assert "A denied call does not execute&#46; |" in text


def test_the_first_divergence_of_each_clause_is_collapsed_as_the_terminal_shows_it() -> None:
    cases = [case_of("ord.a"), case_of("ord.b")]
    plan = plan_of(FakeTarget({one.id: RAN for one in cases}), cases, selection=TWO)
    text = written(events_of(plan))

    assert text.count("<details>") == text.count("</details>") == 1
    assert "<summary>ORD-06 in <code>ord&#46;a</code></summary>" in text
    assert "observed   write_file was denied and ran" in text
    assert "--case ord.a" in text


def test_a_run_that_passes_is_short() -> None:
    text = written(events_of(plan_of(FakeTarget(), [case_of()], selection=TWO)))

    assert text.startswith("## toolassay: CONFORMANT\n")
    assert "details" not in text
    assert "###" not in text


def test_stale_entries_of_a_baseline_are_named() -> None:
    baseline = Baseline((Entry("MSG-05", "msg.gone", reason="r"),))
    plan = plan_of(FakeTarget(), [case_of()], selection=TWO, baseline=baseline)

    assert "| unmatched | <code>msg&#46;gone</code> | <code>MSG-05</code> |" in written(
        events_of(plan)
    )


@pytest.mark.parametrize("text", [EVIL, HUGE])
def test_nothing_that_an_implementation_says_is_markup(text: str) -> None:
    summary = written(hostile_events(text))
    outside = re.sub(r"<pre>\n.*?\n</pre>", "<pre></pre>", summary, flags=re.DOTALL)

    assert unseen(summary) == []
    assert set(re.findall(r"</?([a-z]+)", summary)) == TAGS
    assert not re.search(r"<(?!/?(?:code|details|summary|pre)>)", summary)
    for sign in ("[link]", "![", "*b*", "@everyone", "www.example", "https://", "```", "<script"):
        assert sign not in outside, sign
    # Every table has the cells of its head in each of its rows.
    for table in re.findall(r"(?:^\|.*\n?)+", outside, re.MULTILINE):
        assert len({line.count("|") for line in table.strip().split("\n")}) == 1


def test_a_block_ends_where_it_should_whatever_stands_in_it() -> None:
    block = preformatted(["a", "", "</pre>", EVIL])

    assert block.count("</pre>") == 1
    assert block.endswith("\n</pre>")
    assert html.unescape(block.split("\n")[3]) == "</pre>"


def test_plain_text_reads_as_it_was_written() -> None:
    assert html.unescape(plain("a|b `c` <d> [e](f)")) == "a|b `c` <d> [e](f)"


@pytest.mark.parametrize("text", ["- item", "-", "    code", "1. item", "---"])
def test_plain_text_begins_no_block(text: str) -> None:
    assert html.unescape(plain(text)) == text
    assert not re.match(r"\d\.|[ -]", plain(text))


def test_a_release_stays_readable_and_a_host_becomes_no_link() -> None:
    assert plain("v1.2.30 of www.example.3") == "v1.2.30 of www&#46;example&#46;3"


def test_it_is_bounded_whatever_is_said() -> None:
    assert len(written(hostile_events(HUGE)).encode()) <= BYTES_MAX + 100


# --- on the command line --------------------------------------------------------------------


def test_the_flag_alone_means_the_summary_of_the_step_and_adds_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    (tmp_path / "step.md").write_text("before\n\n")
    for _ in range(2):
        assert run_cli(["run", "sim", "--case", "ord.plain-call", "--github-summary", "-q"]) == 0

    text = (tmp_path / "step.md").read_text()
    assert text.startswith("before\n\n## toolassay: CONFORMANT\n")
    assert text.count("## toolassay: CONFORMANT") == 2


def test_without_a_step_the_flag_wants_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    assert run_cli(["run", "sim", "--github-summary"]) == 2
    assert "needs a file where GITHUB_STEP_SUMMARY is not set" in capsys.readouterr().err

    assert run_cli(["run", "sim", "--case", "ord.plain-call", "--github-summary", "s.md"]) == 0
    assert (tmp_path / "s.md").read_text().startswith("## toolassay: CONFORMANT")


def test_a_target_is_not_taken_for_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_cli(["run", "--github-summary", "sim"]) == 2

    assert "takes 'sim' for its file; name the target before it" in capsys.readouterr().err
    assert not (tmp_path / "sim").exists()


def test_a_workflow_alone_asks_for_no_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    assert run_cli(["run", "sim", "--case", "ord.plain-call"]) == 0

    assert not (tmp_path / "step.md").exists()
