"""What all studies share: steps that are kept, the way to the report, its page, and the overview."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

import browser
from sortlast import Error
from sortlast.study import runner
from sortlast.study.document import Document, Grid, Heading, Paragraph, Picture
from sortlast.study.overview import overview
from sortlast.study.page import render
from sortlast.study.steps import Kept, Step, run
from sortlast.study.studies import STUDIES, load
from sortlast.study.study import Reproduced, Study

SETTINGS = {"seed": 17, "ties": "uniform"}
SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'

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
    kept = Kept(tmp_path, SETTINGS)
    with pytest.raises(Error, match="killed"):
        run(broken, kept, workers=1)
    assert ran == ["dddd"]  # that with most work comes first
    parts = []
    results = run(steps, kept, workers=1, progress=lambda part, _: parts.append(part))
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
        results = run([Step("port", refused)], Kept(tmp_path, SETTINGS), workers=1)
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
        Kept(tmp_path, {}),
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
        run(steps, Kept(tmp_path, SETTINGS), workers=2)
    assert stopped
    assert not list(tmp_path.rglob("*.json"))


def test_steps_of_other_settings_are_refused(tmp_path):
    Kept(tmp_path, SETTINGS).save("8:4,4-thin-tree/BT-10", [1])
    with pytest.raises(Error, match=r"BT-10.json .*seed 17.*now it is seed 18.*another folder"):
        Kept(tmp_path, {**SETTINGS, "seed": 18}).load("8:4,4-thin-tree/BT-10")
    assert Kept(tmp_path, SETTINGS).load("8:4,4-thin-tree/BT-10") == [1]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"settings": {}}', '{"settings": 3, "result": 3}'])
def test_a_broken_step_is_named(tmp_path, text):
    kept = Kept(tmp_path, SETTINGS)
    kept.path("net/BT-10").parent.mkdir()
    kept.path("net/BT-10").write_text(text)
    with pytest.raises(Error, match=r"cannot read .*BT-10.json: .*delete the file"):
        kept.load("net/BT-10")


# --- report -------------------------------------------------------------------------------------------


def invented(pictures=()):
    """A study of two steps with a report that shows them."""

    def report(results, quick, folder):
        for name in pictures:
            (folder / f"{name}.png").write_bytes(b"")
            (folder / f"{name}.svg").write_text(
                '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
            )
        return Document(
            "A <study>",
            [
                Heading("Values"),
                Paragraph("quick" if quick else "whole"),
                Grid("Lengths", ["name", "length"], [[k, str(v["length"])] for k, v in results.items()]),
                Grid("Fates", ["claim", "fate"], [["it is so", "refuted"]], first_number=2),
                *(Picture(name, f"Picture {name}.") for name in pictures),
            ],
        )

    return Study(
        name="invented",
        summary="Nothing.",
        steps=lambda quick: counted(["a", "bb"][: 1 if quick else 2], []),
        settings=SETTINGS,
        report=report,
        reproduced=lambda results, quick: [],
    )


@pytest.mark.parametrize("quick", [False, True])
def test_the_runner_writes_the_report(tmp_path, quick):
    study = invented(["figure-1"])
    results = runner.compute(study, tmp_path / "out", quick=quick, workers=1)
    document, paths = runner.write(study, results, tmp_path / "out", quick=quick)
    assert document.title == "A <study>"
    assert sorted(path.name for path in paths) == ["figure-1.png", "figure-1.svg", "report.html", "report.md"]
    assert all(path.exists() for path in paths)
    text = (tmp_path / "out/report.md").read_text()
    assert ("| bb | 2 |" in text, "quick" in text) == (not quick, quick)
    assert "![Picture figure-1.](figure-1.png)" in text


def test_steps_that_change_the_machine_have_to_be_asked_for(tmp_path):
    ran = []

    def compute(part_done):
        ran.append("hosts")
        return {"seconds": 1}

    study = replace(invented(), steps=lambda quick: [Step("hosts", compute, option="testbed")])
    refused = {"hosts": {"refused": "not run, as it was not asked for; give --testbed"}}
    assert runner.compute(study, tmp_path) == refused
    assert runner.compute(study, tmp_path, options=["port"]) == refused
    assert ran == []
    assert runner.compute(study, tmp_path, options=["testbed"]) == {"hosts": {"seconds": 1}}
    assert runner.compute(study, tmp_path) == {"hosts": {"seconds": 1}}  # that is kept
    assert ran == ["hosts"]


NETWORKS = (
    "fast-ethernet-quiet",
    "fast-ethernet-loaded",
    "gigabit-ethernet-quiet",
    "gigabit-ethernet-loaded",
)


@pytest.mark.parametrize("name", STUDIES)
def test_namespaces_and_the_port_are_asked_for(name):
    found = {step.name: step.option for step in load(name).steps(False) if step.option}
    expected = {
        "all-to-all": dict.fromkeys(("hosts/full", "hosts/half"), "testbed"),
        "hardware-barrier": {f"whole/{each}": "testbed" for each in NETWORKS} | {"whole/port": "port"},
    }
    assert found == expected.get(name, {})


def test_the_page_shows_the_report_in_a_browser(tmp_path):
    study = invented(["figure-1", "figure-2"])
    runner.write(study, runner.compute(study, tmp_path, workers=1), tmp_path)
    with browser.page(tmp_path / "report.html") as shown:
        assert shown.run("document.title") == "A <study>"
        assert shown.run("document.querySelectorAll('table').length") == 2
        assert shown.run("document.querySelector('.refuted').textContent") == "refuted"
        widths = shown.run("[...document.images].map((image) => image.naturalWidth)")
        assert widths == [9, 9]
        assert shown.errors == []
        assert [url for url in shown.requests if not url.startswith(("file:", "data:"))] == []


# --- overview -----------------------------------------------------------------------------------------


def test_the_overview_counts_what_is_reproduced():
    items = [
        Reproduced("Table 1", "this", ["computed"], "equal"),
        Reproduced("Figure 2", "that", ["measured", "simulated"], "ratio 1.1", "another machine"),
        Reproduced("Figure 3", "a photograph", ["not reproduced"], "", "it is a photograph"),
    ]
    made = overview({"invented": items, "own": []}, {"invented": invented(), "own": invented()})
    counts, *rest = [block for block in made.blocks if isinstance(block, Grid)]
    assert counts.rows == [["invented", "1", "2", "1 computed, 1 measured, 1 simulated", "1"]]
    assert [row[0] for grid in rest for row in grid.rows] == ["Table 1", "Figure 2", "Figure 3"]
    assert "it is a photograph" in render(made, {})


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_has_its_name_and_steps_of_one_name_each(name):
    study = load(name)
    assert study.name == name
    for quick in (False, True):
        names = [step.name for step in study.steps(quick)]
        assert names
        assert len(set(names)) == len(names)
