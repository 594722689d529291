"""Cases as tests: what a user of the pytest plugin sees, in pytest runs of their own."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

EXAMPLES = Path(__file__).parent.parent / "examples"

OWN = """\
- id: ord.denied-call-never-enters
  title: A denied call does not run
  contract: events
  kind: negative
  given:
    tools: [{name: write_file}]
    policy: {write_file: deny}
    model:
      - calls: [{id: c1, name: write_file, arguments: '{"path":"a"}'}]
      - text: done
  expect:
    - {clause: ORD-06, executions: {never: {call: c1}}}
- id: arg.cut-object-never-enters
  title: A call with cut arguments does not run
  contract: events
  kind: negative
  axes:
    stream: [whole, chars]
  given:
    tools: [{name: write_file}]
    model:
      - calls: [{id: c1, name: write_file, arguments: '{"path":'}]
      - text: done
  expect:
    - {clause: ARG-03, executions: {never: {call: c1}}}
"""

DENIED = "ord.denied-call-never-enters"
CUT = "arg.cut-object-never-enters"
CUT_STREAMED = "arg.cut-object-never-enters[stream=chars]"

ANCHOR = """\
from toolassay.testing import vectors

test_contract = vectors(target={target!r}, shipped=False, vectors="own.yaml"{more})
"""

ADAPTER = """\
import os, pathlib, time

pathlib.Path("pids").open("a").write(f"{os.getpid()}\\n")


class Adapter:
    def initialize(self):
        return {"name": "odd", "version": "1", "operations": ["turn/run"],
                "facets": FACETS, "features": FEATURES, "deterministic": True}

    def turn_run(self, play):
        if [tool.name for tool in play.tools] != ["write_file"]:  # the adapter is tried out first
            for tool in play.tools:
                tool.call('{"path":"a"}')
            return play.observation()
        ACT
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with two vectors, a broken agent and no plugins but ours."""
    pytester.path.joinpath("own.yaml").write_text(OWN)
    shutil.copy(EXAMPLES / "broken_agent.py", pytester.path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return pytester


def anchor(
    project: pytest.Pytester, target: str = "python:broken_agent:make", more: str = ""
) -> None:
    project.path.joinpath("test_contract.py").write_text(ANCHOR.format(target=target, more=more))


def adapter(project: pytest.Pytester, act: str, features: str = "['policy']") -> str:
    source = ADAPTER.replace("ACT", act).replace("FEATURES", features)
    project.path.joinpath("odd.py").write_text(source.replace("FACETS", "['executions']"))
    return "python:odd:Adapter"


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return project.runpytest_subprocess("-p", "toolassay.pytest_plugin", "-q", *arguments)


def test_no_part_of_the_kit_is_loaded_where_no_anchor_is(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import sys

        def test_nothing_is_loaded():
            heavy = {"msgspec", "hypothesis", "yaml", "click", "rich", "jsonschema", "jinja2"}
            assert heavy.isdisjoint(sys.modules)
            ours = {name for name in sys.modules if name.partition(".")[0] == "toolassay"}
            assert ours == {"toolassay", "toolassay.pytest_plugin"}
        """
    )

    run(project).assert_outcomes(passed=1)


def test_making_an_anchor_loads_no_part_of_the_kit(project: pytest.Pytester) -> None:
    code = (
        "import sys\n"
        "from toolassay.testing import assert_trace, vectors\n"
        "vectors(target='sim')\n"
        "bad = [m for m in sys.modules if m.startswith(('msgspec', 'yaml', 'pytest',"
        " 'toolassay.spec', 'toolassay.properties'))]\n"
        "assert not bad, bad\n"
    )

    assert project.run(sys.executable, "-c", code).ret == 0


def test_each_case_is_one_test_with_its_id(project: pytest.Pytester) -> None:
    anchor(project)

    lines = run(project, "--collect-only").outlines

    assert lines[:3] == [
        f"test_contract.py::test_contract[{DENIED}]",
        f"test_contract.py::test_contract[{CUT}]",
        f"test_contract.py::test_contract[{CUT_STREAMED}]",
    ]


def test_a_divergence_is_a_report_and_no_traceback(project: pytest.Pytester) -> None:
    anchor(project)

    result = run(project, f"test_contract.py::test_contract[{DENIED}]")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ test_contract?ord.denied-call-never-enters? _*",
            "  ORD-06: A denied call does not execute.",
            "  scenario   the model calls c1 write_file*denied by policy*",
            "  expected   *",
            "  observed   *",
            '  1 *write_file({"path":"a"})  <- here',
            f'  again: pytest "test_contract.py::test_contract?{DENIED}?"',
            "FAILED test_contract.py::test_contract?ord.denied*ORD-06*",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*toolassay/plugin*")


def test_the_clauses_that_a_case_cites_are_told_first_in_its_own_order(
    project: pytest.Pytester,
) -> None:
    read = "    - {clause: ARG-09, executions: {never: {call: c1}}}\n"
    project.path.joinpath("own.yaml").write_text(OWN + read)
    anchor(project)

    lines = run(project, f"test_contract.py::test_contract[{CUT}]").outlines

    told = [line[2:8] for line in lines if line.startswith(("  MSG-", "  ARG-"))]
    assert told == ["ARG-03", "ARG-09", "ARG-04"]


def test_the_short_way_reports_what_the_long_way_reports(project: pytest.Pytester) -> None:
    anchor(project)
    keep = """
        import json

        def pytest_runtest_logreport(report):
            kept = [report.nodeid, report.when, report.outcome, str(report.longrepr),
                    getattr(report, "wasxfail", None), report.sections, report.location,
                    sorted(report.keywords)]
            with open({file!r}, "a") as file:
                print(json.dumps(kept), file=file)
    """
    watch = """
        def pytest_runtest_setup(item):
            pass
    """

    project.makeconftest(keep.format(file="short"))
    run(project).assert_outcomes(failed=2, skipped=1)
    project.makeconftest(keep.format(file="long") + watch)
    run(project).assert_outcomes(failed=2, skipped=1)

    short = [json.loads(line) for line in project.path.joinpath("short").read_text().splitlines()]
    long = [json.loads(line) for line in project.path.joinpath("long").read_text().splitlines()]
    assert len(short) == 9
    assert short == long


def test_a_case_that_does_not_apply_is_skipped_with_its_reason(project: pytest.Pytester) -> None:
    anchor(project)

    result = run(project, "-rs")

    result.stdout.fnmatch_lines(
        ["SKIPPED ?1? test_contract.py:3: not applicable: feature stream-text"]
    )


def test_where_no_case_applies_none_is_skipped(project: pytest.Pytester) -> None:
    target = adapter(project, "return play.observation()", features="[]")
    anchor(project, target, ', families="ord"')

    result = run(project)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*incomplete: none of the 1 cases applies*"])


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("os._exit(3)", "crashed: *exit code 3"),
        ("raise OSError('disk full')", "crashed"),
        ("time.sleep(60)", "timed out"),
        ("return {'executions': 5}", "error"),
        ("return {}", "adapter.declares"),
    ],
)
def test_a_case_that_is_not_judged_fails(project: pytest.Pytester, act: str, said: str) -> None:
    anchor(project, adapter(project, act), ', families="ord", deadline=1')

    result = run(project)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{said}*"])
    result.stdout.no_fnmatch_line("*toolassay/plugin*")


def test_a_target_that_cannot_be_used_fails_each_test_and_is_tried_once(
    project: pytest.Pytester,
) -> None:
    project.path.joinpath("odd.py").write_text(
        "import pathlib\npathlib.Path('tries').open('a').write('x')\nimport no_such_module\n"
    )
    anchor(project, "python:odd:Adapter")

    result = run(project)

    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["  target unusable: *odd*no_such_module*"])
    result.stdout.no_fnmatch_line("*toolassay/plugin*")
    assert project.path.joinpath("tries").read_text() == "x"


def test_one_worker_serves_all_tests_of_an_anchor_and_is_ended(project: pytest.Pytester) -> None:
    anchor(project, adapter(project, "return play.observation()"))

    run(project).assert_outcomes(passed=2, skipped=1)

    (pid,) = project.path.joinpath("pids").read_text().split()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


# --- known failures --------------------------------------------------------------------------


def known(project: pytest.Pytester, *entries: str) -> None:
    text = "known:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries)
    project.path.joinpath("known.yaml").write_text(text)


def test_a_known_failure_is_xfailed_with_its_reason(project: pytest.Pytester) -> None:
    known(
        project,
        f"case: {DENIED}, clause: ORD-05, outcome: fail, reason: asked too late",
        f"case: {DENIED}, clause: ORD-06, outcome: fail, reason: runs first",
    )
    anchor(project, more=', baseline="known.yaml", families="ord"')

    result = run(project, "-rx")

    result.assert_outcomes(xfailed=1)
    result.stdout.fnmatch_lines(["XFAIL *ORD-06: runs first*"])


def test_a_failure_of_another_clause_is_not_excused(project: pytest.Pytester) -> None:
    known(project, f"case: {DENIED}, clause: ORD-06, outcome: fail, reason: runs first")
    anchor(project, more=', baseline="known.yaml", families="ord"')

    result = run(project)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  ORD-05: *"])


def test_a_known_failure_that_passes_fails(project: pytest.Pytester) -> None:
    known(project, f"case: {DENIED}, clause: ORD-06, outcome: fail, reason: runs first")
    anchor(project, "sim", ', baseline="known.yaml"')

    result = run(project)

    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(["*XPASS(strict)*", "*baseline*fail: runs first*"])


def test_the_failures_of_a_vector_are_counted_whatever_is_selected(
    project: pytest.Pytester,
) -> None:
    clauses = ("ARG-03", "ARG-04")
    known(
        project,
        *(f"vector: {CUT}, clause: {one}, outcome: fail, cases: 2, reason: r" for one in clauses),
    )
    anchor(project, more=', baseline="known.yaml", families="arg"')

    result = run(project, f"test_contract.py::test_contract[{CUT}]")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*1 cases of {CUT} fail, pinned are 2*"])


def test_a_baseline_that_names_nothing_is_refused(project: pytest.Pytester) -> None:
    known(project, "case: ord.denied-call-never-enter, clause: ORD-06, outcome: fail, reason: r")
    anchor(project, more=', baseline="known.yaml"')

    result = run(project)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*no case or vector is named*did you mean {DENIED}*"])


# --- relations -------------------------------------------------------------------------------


def test_a_relation_is_judged_when_one_of_its_cases_is_run_alone(project: pytest.Pytester) -> None:
    act = (
        "fragments = play.stream([]) if play.streamed else [play.model([])]\n"
        "        list(fragments)\n"
        "        if not play.streamed: play.tools[0].call('{}', 'c1')\n"
        "        return play.observation()"
    )
    target = adapter(project, act, features="['stream-text']")
    project.path.joinpath("own.yaml").write_text(
        OWN.partition("\n- id: arg")[2].join(["- id: arg", ""])
        + "  relate:\n    - {clause: ARG-13, across: stream}\n"
    )
    anchor(project, target, ', clauses="ARG-13"')

    result = run(project, f"test_contract.py::test_contract[{CUT}]")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  ARG-13: *"])


# --- what is asked for ------------------------------------------------------------------------


def test_options_say_what_an_anchor_leaves_open(project: pytest.Pytester) -> None:
    project.path.joinpath("test_contract.py").write_text(
        "from toolassay.testing import vectors\n"
        "test_contract = vectors(shipped=False, vectors='own.yaml')\n"
    )

    run(project, "--toolassay-target", "sim").assert_outcomes(passed=3)


def test_settings_say_what_options_leave_open(project: pytest.Pytester) -> None:
    anchor(project)
    project.path.joinpath("test_contract.py").write_text(
        "from toolassay.testing import vectors\n"
        "test_contract = vectors(shipped=False, vectors='own.yaml')\n"
    )
    project.makeini("[pytest]\ntoolassay_target = python:broken_agent:make\n")

    run(project).assert_outcomes(failed=2, skipped=1)
    run(project, "--toolassay-target", "sim").assert_outcomes(passed=3)


def test_the_table_of_pyproject_says_what_settings_leave_open(project: pytest.Pytester) -> None:
    project.path.joinpath("test_contract.py").write_text(
        "from toolassay.testing import vectors\ntest_contract = vectors(shipped=False)\n"
    )
    project.path.joinpath("pyproject.toml").write_text(
        '[tool.pytest.ini_options]\n[tool.toolassay]\ntarget = "sim"\nvectors = "own.yaml"\n'
    )

    run(project).assert_outcomes(passed=3)


def test_an_option_that_contradicts_an_anchor_is_a_usage_error(project: pytest.Pytester) -> None:
    anchor(project)

    result = run(project, "--toolassay-target", "sim")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *--toolassay-target sim clashes with test_contract*"])


def test_an_option_that_agrees_with_an_anchor_is_no_clash(project: pytest.Pytester) -> None:
    anchor(project, "sim", ", deadline=5")

    run(project, "--toolassay-target=sim", "--toolassay-deadline=5.0").assert_outcomes(passed=3)


@pytest.mark.parametrize(
    "option", ["--toolassay-seed=x", "--toolassay-deadline=0", "--toolassay-baseline=gone.yaml"]
)
def test_a_value_that_no_anchor_could_use_is_a_usage_error(
    project: pytest.Pytester, option: str
) -> None:
    result = run(project, option)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {option.partition('=')[0]}: *"])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (', profile="cor"', "*unknown profile 'cor' (did you mean core?)*"),
        (', clauses="ORD-66"', "*unknown clause 'ORD-66' (did you mean *ORD-06*"),
        (', families="odr"', "*unknown family 'odr'*"),
        (', clauses="DUR-01"', "*no case is selected*"),
        (', baseline="gone.yaml"', "*gone.yaml*"),
    ],
)
def test_a_name_that_stands_for_nothing_is_refused_without_a_traceback(
    project: pytest.Pytester, more: str, said: str
) -> None:
    anchor(project, "sim", more)

    result = run(project)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*toolassay/plugin*")


def test_a_fault_in_an_authored_vector_is_named_by_its_place(project: pytest.Pytester) -> None:
    anchor(project, "sim")
    project.path.joinpath("own.yaml").write_text(OWN.replace("title", "titel", 1))

    result = run(project)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*own.yaml:2:3: unknown key 'titel'*"])


def test_an_anchor_that_is_named_unlike_a_test_is_warned_of(project: pytest.Pytester) -> None:
    project.path.joinpath("test_contract.py").write_text(
        "from toolassay.testing import vectors\ncontract = vectors(target='sim')\n"
    )

    run(project).stdout.fnmatch_lines(["*the anchor 'contract' is no test*"])


def test_an_anchor_may_stand_in_a_class(project: pytest.Pytester) -> None:
    project.path.joinpath("test_contract.py").write_text(
        "from toolassay.testing import vectors\n"
        "class TestAll:\n"
        "    test_contract = vectors(target='sim', shipped=False, vectors='own.yaml')\n"
    )

    result = run(project, "-vv")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines([f"test_contract.py::TestAll::test_contract?{DENIED}?*"])


def test_the_module_of_a_target_is_found_where_pytest_looks_for_modules(
    project: pytest.Pytester,
) -> None:
    for folder in ("src", "tests"):
        project.path.joinpath(folder).mkdir()
    project.path.joinpath("broken_agent.py").rename(project.path / "src/broken_agent.py")
    project.path.joinpath("own.yaml").rename(project.path / "tests/own.yaml")
    anchor(project)
    project.path.joinpath("test_contract.py").rename(project.path / "tests/test_contract.py")
    project.makeini("[pytest]\npythonpath = src\n")

    run(project).assert_outcomes(failed=2, skipped=1)


# --- as for any test --------------------------------------------------------------------------


def test_a_clause_selects_its_cases(project: pytest.Pytester) -> None:
    anchor(project, "sim")

    run(project, "-k", "ORD-06").assert_outcomes(passed=1, deselected=2)


def test_a_test_can_be_deselected_by_its_id(project: pytest.Pytester) -> None:
    anchor(project, "sim")

    result = run(project, "--deselect", f"test_contract.py::test_contract[{CUT_STREAMED}]")

    result.assert_outcomes(passed=2, deselected=1)


def test_only_what_failed_last_is_run_again(project: pytest.Pytester) -> None:
    anchor(project)
    run(project).assert_outcomes(failed=2, skipped=1)

    run(project, "--lf").assert_outcomes(failed=2)


def test_a_mark_of_the_file_acts_on_every_case(project: pytest.Pytester) -> None:
    anchor(project, "sim")
    file = project.path.joinpath("test_contract.py")
    file.write_text(f"import pytest\npytestmark = pytest.mark.skip('later')\n{file.read_text()}")

    run(project).assert_outcomes(skipped=3)


def test_a_conftest_that_watches_tests_is_heard(project: pytest.Pytester) -> None:
    anchor(project, "sim")
    project.makeconftest(
        """
        import pytest

        def pytest_runtest_setup(item):
            if "stream" in item.name:
                pytest.skip("not here")
        """
    )

    run(project).assert_outcomes(passed=2, skipped=1)


def test_the_first_failure_can_end_the_run(project: pytest.Pytester) -> None:
    anchor(project)

    run(project, "-x").assert_outcomes(failed=1)


def test_module_fixtures_of_other_tests_are_torn_down_once(project: pytest.Pytester) -> None:
    body = """
        import pytest

        @pytest.fixture(scope="module")
        def held():
            yield 1
            with open("torn", "a") as file:
                file.write("x")

        def test_before(held):
            assert held
    """
    project.makepyfile(test_a=body)
    file = project.path.joinpath("test_a.py")
    file.write_text(file.read_text() + "\n" + ANCHOR.format(target="sim", more=""))
    project.makepyfile(test_b="def test_after(): assert open('torn').read() == 'x'")

    run(project).assert_outcomes(passed=5)


def test_workers_of_a_distributed_run_report_the_same(project: pytest.Pytester) -> None:
    anchor(project)

    result = run(project, "-p", "xdist.plugin", "-n", "2")

    result.assert_outcomes(failed=2, skipped=1)
    result.stdout.fnmatch_lines(["  ORD-06: A denied call does not execute."])
    result.stdout.fnmatch_lines([f"FAILED test_contract.py::*?{DENIED}? - ORD-06*"])


def test_without_the_plugin_an_anchor_does_nothing(project: pytest.Pytester) -> None:
    anchor(project)
    project.path.joinpath("test_other.py").write_text("def test_other(): pass\n")

    project.runpytest_subprocess("-p", "no:toolassay").assert_outcomes(passed=1)


def test_what_an_implementation_sends_moves_no_cursor(project: pytest.Pytester) -> None:
    act = "play.tools[0].call('\\x1b[2J\\x07' * 9); return play.observation()"
    anchor(project, adapter(project, act))

    result = run(project)

    result.assert_outcomes(failed=2, skipped=1)
    assert "\x1b" not in result.stdout.str()
    assert "\x07" not in result.stdout.str()
