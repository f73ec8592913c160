"""Steps of a study: run in order, kept under what made them, asked for where they change the machine."""

from __future__ import annotations

import shutil
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

import invented_study
import sortlast_studies
from invented_study import HERE, SETTINGS, counted, kept
from sortlast import Error
from sortlast_studies import NAMES, package, sources
from sortlast_studies.steps import Step, run
from sortlast_studies.study import compute


@pytest.fixture
def invented(tmp_path):
    with invented_study.made(tmp_path) as study:
        yield study


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


# --- what has to be asked for -------------------------------------------------------------------------


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
