"""What all studies share: the table, steps that are kept, claims, the report, its page, and the overview."""

from __future__ import annotations

import csv
import json
import shutil
import sys
import threading
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

import browser
import sortlast_studies
from sortlast import Error, provenance
from sortlast.provenance import Provenance
from sortlast_studies import NAMES, checks, package, sources
from sortlast_studies.steps import Kept, Step, run
from sortlast_studies.study import Reading, Study, compute, load, overview, tabulate
from sortlast_studies.table import Row, Table, published, read_csv, write_csv

SETTINGS = {"seed": 17, "ties": "uniform"}
HERE = Provenance("1.0", "build1", "here", "a processor", 2, "MPICH 5", "2026-01-01T00:00:00Z")


def kept(folder, settings=SETTINGS, made_by="model", origin=HERE):
    return Kept(folder, settings, made_by, origin)


# --- steps --------------------------------------------------------------------------------------------


def counted(names, ran, **options):
    """Steps that note that they ran, and give the length of their name."""

    def step(name, work):
        def compute(part_done):
            ran.append(name)
            return {"length": len(name)}

        return Step(name, compute, work=work, **options)

    return [step(name, work) for work, name in enumerate(names, 1)]


def test_a_study_goes_on_where_it_stopped(tmp_path):
    ran = []
    steps = counted(["a", "net:2/bb", "net:2/ccc", "dddd"], ran)

    def killed(part_done):
        raise Error("killed")

    broken = [*(Step(step.name, killed, work=step.work) for step in steps[:3]), steps[3]]
    with pytest.raises(Error, match="killed"):
        run(broken, kept(tmp_path), workers=1)
    assert ran == ["dddd"]  # that with most work comes first
    parts = []
    results = run(steps, kept(tmp_path), workers=1, progress=lambda part, _: parts.append(part))
    assert ran == ["dddd", "net:2/ccc", "net:2/bb", "a"]
    assert results == {name: {"length": len(name)} for name in ("a", "net:2/bb", "net:2/ccc", "dddd")}
    assert list(results) == [step.name for step in steps]
    assert parts == sorted(parts)
    assert parts[-1] == pytest.approx(1)


def test_what_a_machine_cannot_do_is_tried_again(tmp_path):
    ran = []

    def refused(part_done):
        ran.append("port")
        return {"refused": "no port"}

    for _ in range(2):
        results = run([Step("port", refused)], kept(tmp_path), workers=1)
        assert results == {"port": {"refused": "no port"}}
    assert ran == ["port", "port"]


def test_what_is_measured_runs_alone_and_last(tmp_path):
    running, most, order = set(), {}, []
    lock = threading.Lock()
    together = threading.Barrier(2, timeout=30)

    def step(name, alone):
        def compute(part_done):
            with lock:
                running.add(name)
                order.append(name)
                most[name] = len(running)
            if not alone:
                together.wait()
            assert (threading.current_thread() is threading.main_thread()) == alone
            with lock:
                most[name] = max(most[name], len(running))
                running.discard(name)
            return None

        return Step(name, compute, alone=alone)

    run(
        [step(f"m{k}", True) for k in range(3)] + [step(f"s{k}", False) for k in range(4)],
        kept(tmp_path, {}),
        workers=2,
    )
    assert {name[0] for name in order[:4]} == {"s"}
    assert [most[f"m{k}"] for k in range(3)] == [1, 1, 1]
    assert max(most.values()) == 2


def test_an_interrupt_ends_the_steps_that_run(tmp_path):
    started = threading.Event()
    stopped = []

    def interrupted(part_done):
        assert started.wait(30)
        raise KeyboardInterrupt

    def endless(part_done):
        while part_done(0.5):
            started.set()
        stopped.append(True)
        raise Error("interrupted")

    steps = [Step("long", endless, work=3), Step("key", interrupted, work=2), Step("later", endless)]
    with pytest.raises(KeyboardInterrupt):
        run(steps, kept(tmp_path), workers=2)
    assert stopped
    assert not list(tmp_path.rglob("*.json"))


THIN = Step("8:4,4-thin-tree/BT-10", lambda part_done: None)


def test_steps_of_other_settings_are_refused(tmp_path):
    kept(tmp_path).save(THIN, [1])
    with pytest.raises(Error, match=r"BT-10.json .*seed 17.*now it is seed 18.*another folder"):
        kept(tmp_path, {**SETTINGS, "seed": 18}).load(THIN)
    assert kept(tmp_path).load(THIN) == [1]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"settings": {}}', '{"settings": 3, "result": 3}', '{"settings": {}, "result": 3}'],
)
def test_a_broken_step_is_named(tmp_path, text):
    path = kept(tmp_path).path(THIN)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(Error, match=r"cannot read .*BT-10.json: .*delete the file"):
        kept(tmp_path).load(THIN)


# --- what a step was made by --------------------------------------------------------------------------


def test_a_step_is_kept_under_model_and_build_and_a_measurement_under_its_machine_too(tmp_path):
    measured = replace(THIN, name="measured/x", alone=True)
    for step in (THIN, measured):
        kept(tmp_path).save(step, [1])
        assert kept(tmp_path, made_by="another model").load(step) is None
        assert kept(tmp_path, origin=replace(HERE, build="build2")).load(step) is None
        assert kept(tmp_path, origin=replace(HERE, date="2026-02-02T00:00:00Z")).load(step) == [1]
    for change in ({"host": "there"}, {"mpi": "Open MPI 5"}, {"cpu": "another"}, {"cores": 4}):
        other = kept(tmp_path, origin=replace(HERE, **change))
        assert other.load(measured) is None
        assert other.load(THIN) == [1]
        assert other.origins[THIN.name].host == "here"


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """The studies in a folder of their own, to be changed; they are never imported but for their root."""
    root = tmp_path / "copied_studies"
    shutil.copytree(Path(sortlast_studies.__file__).parent, root)
    for path in root.rglob("*.py"):
        path.write_text(path.read_text().replace("sortlast_studies", "copied_studies"))
    monkeypatch.syspath_prepend(tmp_path)
    yield root
    for name in [name for name in sys.modules if name.startswith("copied_studies")]:
        del sys.modules[name]


def test_a_changed_constant_of_the_model_makes_the_steps_run_again(copied, tmp_path):
    """Of the study that has it, and of those that use its model; a changed report costs nothing."""

    def ran(name):
        """How many steps of a study run, when its folder is asked for again."""
        made_by = sources.digest(f"copied_studies.{name}.steps")
        steps = [Step("step", lambda part_done: count.append(name) or [1])]
        count = []
        run(steps, kept(tmp_path / name, made_by=made_by), workers=1)
        return len(count)

    assert (ran("narrowed_trees"), ran("narrowed_trees")) == (1, 0)
    for shown in ("report.md", "figures.py", "terms.py", "checks.toml", "README.md"):
        path = copied / "narrowed_trees" / shown
        path.write_text(path.read_text() + "\n")
    assert ran("narrowed_trees") == 0
    model = copied / "narrowed_trees" / "workloads.py"
    model.write_text(model.read_text().replace("_PACKET = 64", "_PACKET = 32"))
    assert (ran("narrowed_trees"), ran("narrowed_trees")) == (1, 0)
    data = copied / "narrowed_trees" / "published.csv"
    data.write_text(data.read_text().replace("2048", "2049"))
    assert ran("narrowed_trees") == 1


@pytest.mark.parametrize("name", NAMES)
def test_what_a_study_shows_is_no_part_of_its_model(name):
    module = f"{package(name).__name__}.steps"
    root = Path(sortlast_studies.__file__).parent
    files = {path.name for path in sources._files(root, "sortlast_studies", module)}
    assert "steps.py" in files
    assert not files & {"study.py", "terms.py", "figures.py", "command.py"}


def test_what_runs_here_tells_where_it_is():
    found = provenance.here()
    assert all((found.version, found.host, found.cpu, found.mpi))
    assert len(found.build) == 12
    assert found.cores >= 1
    assert found.date.startswith("20")
    assert found.date.endswith("Z")
    assert found.machine == provenance.here().machine


# --- the table ----------------------------------------------------------------------------------------


def table_of(*rows):
    table = Table()
    for row in rows:
        table.append(row)
    return table


ROWS = [
    Row("Table 1", "a", "x", "s", "published", 0.1, note="section 2"),
    Row("Table 1", "a", "x", "s", "simulated", 1 / 3, (1e-300, 0.5), 3),
    Row("Table 1", "a", "y", "", "computed", None, note='a "note", with\na line and 8,8,4'),
    Row("Table 1", "b", "x", "s", "measured", -0.0),
    Row("Σ φ", "b", "x", "µs", "calibrated", 1e22),
]


def test_a_table_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "table.csv"
    with path.open("w") as file:
        write_csv(table_of(*ROWS), file)
    found = read_csv(path)
    assert list(found) == ROWS
    assert str(found.value("Table 1", "b", "x")) == "-0.0"
    with path.open() as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0]) == ["item", "row", "column", "unit", "kind", "value", "spread", "n", "note"]
    assert float(lines[1]["value"]) == 1 / 3


def test_values_are_found_by_place_and_kind_and_never_overwritten():
    table = table_of(*ROWS)
    assert table.value("Table 1", "a", "x") == 1 / 3  # ours goes before the published one
    assert table.value("Table 1", "a", "x", "published") == 0.1
    assert table.get("Table 1", "a", "x", "measured") is None
    assert table.note("Table 1", "a", "y").startswith("a")
    assert (table.rows("Table 1"), table.columns("Table 1")) == (["a", "b"], ["x", "y"])
    assert table.rows("Table 1", "published") == ["a"]
    assert [row.kind for row in table.of("Table 1", "ours")] == ["simulated", "computed", "measured"]
    assert table.line("Table 1", "a", "ours") == {"x": 1 / 3}
    assert table.column("Table 1", "x") == {"a": 1 / 3, "b": 0.0}
    with pytest.raises(Error, match="no measured of Table 1, a, x"):
        table.value("Table 1", "a", "x", "measured")
    with pytest.raises(Error, match="two published values"):
        table.append(ROWS[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a table of a study"),
        ("a,b\n", "expected a table of a study"),
        ("HEAD1,2,3\n", "line 2: not enough values"),
        ("HEAD1,2,3,s,guessed,1,,,\n", "line 2: there is no kind 'guessed'"),
        ("HEAD1,2,3,s,computed,one,,,\n", "line 2: could not convert"),
    ],
)
def test_another_file_is_no_table(tmp_path, text, message):
    path = tmp_path / "table.csv"
    path.write_text(text.replace("HEAD", "item,row,column,unit,kind,value,spread,n,note\n"))
    with pytest.raises(Error, match=message):
        read_csv(path)
    with pytest.raises(Error, match=r"cannot read .*nowhere"):
        read_csv(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("name", NAMES)
def test_every_published_value_says_where_it_stands(name):
    rows = list(published(package(name).__name__))
    assert all(row.kind == "published" and row.note and row.item for row in rows)


# --- the way to the report ----------------------------------------------------------------------------

FILES = {
    "__init__.py": 'SUMMARY = "Nothing."\n',
    "published.csv": "item,row,column,unit,value,where\nTable 1,a,length,,1,section 1\n",
    "figures.py": """
from matplotlib.figure import Figure


def draw(table):
    figure = Figure(figsize=(2, 1))
    figure.add_subplot().plot(list(table.column("Table 1", "length", "measured").values()))
    return {"figure-1": figure}
""",
    "checks.toml": """
[words]
few = 1

[default]
wants = "[] if rows('Table 1') | length > 1 else ['the rest']"

[[check]]
where = "1"
claim = "Names are short."
value = "max(column('Table 1', 'length').values())"
holds = "value <= few"
shown = "up to {{ value | fmt('d') }}"

[[check]]
where = "2"
claim = "Names are long."
shown = "nobody knows"
needs = "['everything'] if few else []"

[[item]]
item = "Table 1"
about = "this"
how = "computed"
near = "equal"

[[item]]
item = "Figure 2"
about = "that"
how = "measured, simulated"
near = "ratio {{ (value('Table 1', 'a', 'length', 'measured') / few) | fmt('.1f') }}"
why = "another machine"

[[item]]
item = "Figure 3"
about = "a photograph"
how = "not reproduced"
why = "it is a photograph"
""",
    "report.md": """# A <study>

{{ "quick" if quick else "whole" }}

{{ pivot("Table 1", {"length": "d"}, title="Lengths", corner="name", kind="measured") }}

**Claims**

| claim | verdict |
| --- | --- |
{% for check in checks %}
| {{ check.claim }} | {{ check.verdict }} |
{% endfor %}

{{ picture("figure-1", "Picture figure-1.") }}
""",
}


@pytest.fixture
def invented(tmp_path, monkeypatch):
    """A study of two steps; the name of its package is its own."""
    root = tmp_path / "papers" / "invented"
    root.mkdir(parents=True)
    (root.parent / "__init__.py").touch()
    for name, text in (FILES | {"steps.py": "LENGTH = 1\n"}).items():
        (root / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)

    def tabulated(results, quick):
        table = Table(published("papers.invented"))
        for name, result in results.items():
            length = result.get("length")
            table.add("Table 1", name, "length", length, "", "measured", note=result.get("refused", ""))
        return table

    yield Study(
        package="papers.invented",
        steps=lambda quick: counted(["a", "bb"][: 1 if quick else 2], []),
        tabulate=tabulated,
        settings=SETTINGS,
    )
    published.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == "papers"]:
        del sys.modules[name]


@pytest.mark.parametrize("quick", [False, True])
def test_a_study_writes_table_and_report(invented, tmp_path, quick):
    reading = Reading(invented, compute(invented, tmp_path / "out", quick=quick, workers=1))
    paths = reading.write(tmp_path / "out")
    assert sorted(path.name for path in paths) == [
        "figure-1.png",
        "figure-1.svg",
        "invented.csv",
        "invented.json",
        "report.html",
        "report.md",
    ]
    assert all(path.exists() for path in paths)
    text = (tmp_path / "out/report.md").read_text()
    assert text.startswith("# A <study>\n")
    assert ("| bb | 2 |" in text, "quick" in text) == (not quick, quick)
    assert "![Picture figure-1.](figure-1.png)" in text
    found = json.loads((tmp_path / "out/invented.json").read_text())
    assert [Row(*(tuple(x) if isinstance(x, list) else x for x in row)) for row in found["rows"]] == list(
        reading.table
    )
    verdicts = [(check["claim"], check["verdict"], check["figure"]) for check in found["checks"]]
    assert verdicts == [
        ("Names are short.", "undecided", "up to 1; the rest did not run")
        if quick
        else ("Names are short.", "refuted", "up to 2"),
        ("Names are long.", "undecided", "needs everything, which did not run"),
    ]
    assert [item["near"] for item in found["items"]] == ["equal", "ratio 1.0", ""]


@pytest.mark.parametrize(("holds", "verdict"), [("value < 2", "undecided"), ("value > 2", "refuted")])
def test_a_claim_that_rests_on_a_calibrated_value_is_never_confirmed(invented, holds, verdict):
    templates = Reading(invented, tabulate(invented, {"a": {"length": 1}}, True)).templates
    claim = {"where": "1", "claim": "-", "value": "1", "holds": holds, "shown": "it is {{ value }}"}
    [check] = checks.judge(checks.Declared({}, [claim | {"calibrated_by": "Figure 4"}], []), templates)
    assert check.verdict == verdict
    assert check.figure.startswith("it is 1")
    assert check.figure.endswith("; no test, as Figure 4 is given") is (verdict == "undecided")


def test_a_report_that_is_drawn_again_from_the_table_is_equal(invented, tmp_path):
    reading = Reading(invented, compute(invented, tmp_path, workers=1))
    first = {path.name: path.read_bytes() for path in reading.write(tmp_path)}
    again = Reading.of_file(invented, tmp_path / "invented.csv")
    second = {path.name: path.read_bytes() for path in again.write(tmp_path / "again")}
    same = [
        name for name in first if not name.endswith((".svg", ".html"))
    ]  # matplotlib draws names of its own
    assert len(same) == 4
    assert {name: first[name] for name in same} == {name: second[name] for name in same}


def test_steps_that_change_the_machine_have_to_be_asked_for(invented, tmp_path):
    ran = []

    def seconds(part_done):
        ran.append("hosts")
        return {"length": 1}

    study = replace(invented, steps=lambda quick: [Step("hosts", seconds, option="testbed")])

    def found(**options):
        row = compute(study, tmp_path, **options).find("Table 1", "hosts", "length", "measured")
        return row.note or row.value

    refused = "not run, as it was not asked for; give --testbed"
    assert found() == refused
    assert found(options=["port"]) == refused
    assert ran == []
    assert found(options=["testbed"]) == 1
    assert found() == 1  # that is kept
    assert ran == ["hosts"]


def test_steps_of_two_machines_stand_in_two_rows_of_the_provenance(invented):
    results = {"a": {"length": 1}, "bb": {"length": 2}}
    there = replace(HERE, host="there", date="2026-03-03T00:00:00Z")
    later = replace(HERE, date="2026-02-02T00:00:00Z")
    reading = Reading(invented, tabulate(invented, results, False, [HERE, there, later]))
    assert reading.table.note("provenance", 1, "host") == "here"
    assert reading.table.note("provenance", 1, "date") == "2026-01-01T00:00:00Z to 2026-02-02T00:00:00Z"
    assert reading.table.note("provenance", 1, "steps") == "2"
    assert reading.table.note("provenance", 2, "host") == "there"
    assert "2 machines or builds" in reading.markdown


NETWORKS = (
    "fast-ethernet-quiet",
    "fast-ethernet-loaded",
    "gigabit-ethernet-quiet",
    "gigabit-ethernet-loaded",
    "future-fast-ethernet",
    "future-gigabit-ethernet",
)


@pytest.mark.parametrize("name", NAMES)
def test_namespaces_and_the_port_are_asked_for(name):
    found = {step.name: step.option for step in load(name).steps(False) if step.option}
    expected = {
        "all-to-all": dict.fromkeys(("hosts/full", "hosts/half"), "testbed"),
        "hardware-barrier": {f"whole/{each}": "testbed" for each in NETWORKS} | {"whole/port": "port"},
    }
    assert found == expected.get(name, {})
    assert set(getattr(package(name), "OPTIONS", ())) >= set(found.values())


def test_the_page_shows_the_report_in_a_browser(invented, tmp_path):
    Reading(invented, compute(invented, tmp_path, workers=1)).write(tmp_path)
    with browser.page(tmp_path / "report.html") as shown:
        assert shown.run("document.title") == "A <study>"
        assert shown.run("document.querySelectorAll('table').length") == 3
        assert shown.run("document.querySelector('.refuted').textContent") == "refuted"
        assert shown.run("getComputedStyle(document.querySelector('tbody td + td')).textAlign") == "right"
        widths = shown.run("[...document.images].map((image) => image.naturalWidth > 100)")
        assert widths == [True]
        assert shown.errors == []
        assert [url for url in shown.requests if not url.startswith(("file:", "data:"))] == []


# --- overview and studies -----------------------------------------------------------------------------


def test_the_overview_counts_what_is_reproduced(invented):
    text, page = overview([Reading(invented, tabulate(invented, {"a": {"length": 1}}, True))])
    assert "| invented | 1 | 2 | 1 computed, 1 measured, 1 simulated | 1 |" in text
    rows = [line.split(" | ")[0] for line in text.splitlines() if line.startswith(("| Table", "| Figure"))]
    assert rows == ["| Table 1", "| Figure 2", "| Figure 3"]
    assert "it is a photograph" in page
    assert "Nothing." in text


@pytest.mark.parametrize("name", NAMES)
def test_every_study_has_its_name_and_steps_of_one_name_each(name):
    study = load(name)
    assert study.name == name
    assert import_module(study.package).SUMMARY
    for quick in (False, True):
        names = [step.name for step in study.steps(quick)]
        assert names
        assert len(set(names)) == len(names)
