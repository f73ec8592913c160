"""The command ``sortlast tune``, its figures, and the profile that it writes."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

import pytest

import commands
import mpirun
from sortlast import provenance, tune
from sortlast.provenance import Provenance
from sortlast.schedule import Machine

pytestmark = [pytest.mark.mpi, pytest.mark.family]


def run(*args):
    return commands.run("tune", *args)


@cache
def machine_name():
    """As a process under MPI has it."""
    reports = mpirun.reports(
        1, "from sortlast import tune; report([tune.machine_name(), tune.kept_profile()])"
    )
    name, kept = reports[0]
    assert kept.endswith(f"/{name}.json")
    return name


def assert_possible(figures):
    for name in ("beta", "node_beta", "gamma_read", "gamma_write", "copy"):
        assert 1e-13 < figures[name] < 1e-6, name
    for name in ("alpha", "node_alpha"):
        assert 1e-8 < figures[name] < 1e-1, name
    assert figures["cores"] >= 1


def test_prints_figures_and_choices_and_writes_the_profile(tmp_path):
    profile, table, began = tmp_path / "profile.json", tmp_path / "table.json", provenance.now()
    done = run("--ranks", 3, "--seconds", 1, "--output", profile, "--json", table)
    assert done.returncode == 0, done.stderr
    assert "measuring on 3 ranks" in done.stderr
    assert "Warning" not in done.stderr

    # The profile loads, and is what was printed.
    machine = Machine.load(str(profile))
    report, told = json.loads(table.read_text()), json.loads(profile.read_text())
    assert report["machine"] == {name: told[name] for name in (*tune.TIMES, "cores", "ranks")}
    assert_possible(report["machine"])
    assert (report["ranks"], machine.ranks) == (3, 3)
    for figure, scale, unit in (("node_alpha", 1e6, "us"), ("alpha", 1e6, "us")):
        assert f"{scale * report['machine'][figure]:.2f} {unit}" in done.stdout
    for figure in ("beta", "node_beta", "gamma_read", "gamma_write", "copy"):
        assert f"{1e-9 / report['machine'][figure]:.2f} GB/s" in done.stdout

    # Both files tell what made them.
    for made_by in (told, report):
        assert made_by["settings"] == {"ranks": 3, "seconds": 1, "node_ranks": None}
        assert Provenance(**made_by["provenance"]).build == provenance.build()
        assert made_by["provenance"]["host"] == provenance.here().host
        assert made_by["provenance"]["date"] >= began
    assert told["measured_on"] == machine_name()

    # There is one node, so that messages between nodes are not known.
    assert not {"alpha", "beta"} & set(report["measured"])
    assert {"gamma_read", "gamma_write", "copy"} <= set(report["measured"])
    assert (machine.alpha, machine.beta) == (Machine().alpha, Machine().beta)
    for name in report["measured"]:
        assert report["low"][name] <= report["machine"][name] <= report["high"][name]
    for line in done.stdout.splitlines():
        if any(f" {name} " in line for name in tune.TIMES):
            name = next(name for name in tune.TIMES if f" {name} " in line)
            assert ("default" in line) == (name not in report["measured"])

    # What auto chooses by them.
    assert {row["p"] for row in report["choices"]} == {3, 12, 48}
    for row in report["choices"]:
        assert row["algorithm"] in done.stdout
        assert 0 < row["transfer"] + row["blend"] <= row["total"] * (1 + 1e-9)


def test_keeps_the_profile_for_every_compositor_on_this_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("SORTLAST_PROFILE", raising=False)
    script = """
        import numpy as np
        import sortlast
        from sortlast import tune
        comp = sortlast.Compositor(comm, node_ranks=1)
        comp.composite(np.ones((8, 8, 4), np.float32))
        report([tune.kept_profile(), comp.explain()])
        """
    before = mpirun.run(2, script)
    assert before.returncode == 0, before.stderr
    path, explained = before.reports[0]
    assert path.startswith(str(tmp_path / "sortlast"))
    assert "on figures from the defaults, as no profile is kept (sortlast tune --keep)" in explained

    done = run("--ranks", 2, "--node-ranks", 1, "--seconds", 0.1, "--keep")
    assert done.returncode == 0, done.stderr
    assert f"kept {path}\n" in done.stdout
    kept = json.loads(Path(path).read_text())
    assert (kept["measured_on"], kept["settings"]["node_ranks"]) == (Path(path).stem, 1)
    assert kept["provenance"]["build"] == provenance.build()
    after = mpirun.run(2, script)
    assert f"on figures from {path} (sortlast tune --keep), taking" in after.reports[0][1]
    assert after.reports[0][1].splitlines()[1] == after.reports[1][1].splitlines()[1]

    # A kept profile that is wrong is an error, which says what to do about it.
    Path(path).write_text("{}")
    wrong = mpirun.run(2, script)
    assert wrong.returncode != 0
    assert "renew it with sortlast tune --keep, or remove it" in wrong.stderr


def test_runs_on_the_ranks_of_the_users_mpiexec(tmp_path):
    command = [sys.executable, "-m", "sortlast", "tune", "--seconds", "0.2", "--node-ranks", "1"]
    done = mpirun.run_command(2, [*command, "--output", str(tmp_path / "profile.json")])
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("by message") == 1  # rank 0 alone prints
    assert Machine.load(str(tmp_path / "profile.json")).ranks == 2
    done = mpirun.run_command(2, [*command, "--ranks", "3"])
    assert done.returncode == 2
    assert "--ranks 3, but mpiexec started 2" in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--ranks", "0"), "should be greater than or equal to 1"),
        (("--node-ranks", "0"), "should be greater than or equal to 1"),
        (("--seconds", "0"), "should be greater than or equal to 0.01"),
        (("--output", "/dev/null/profile.json"), "/dev/null is no folder; choose another place"),
        (("--json", "/dev/null/table.json"), "/dev/null is no folder; choose another place"),
        (("--output", "."), "is a folder; name a file"),
    ],
)
def test_refuses_before_it_starts_ranks(args, message):
    done = run(*args)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "measuring" not in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_arguments_are_named_on_every_rank():
    reports = mpirun.reports(
        2,
        """
        import sortlast
        from sortlast import tune
        told = []
        for arguments in ({"seconds": 0}, {"seconds": float("nan")}, {"node_ranks": -1}):
            try:
                tune.measure(comm, **arguments)
            except sortlast.ArgumentError as error:
                told.append(str(error))
        report(told)
        """,
    )
    for told in reports:
        assert told == [
            "seconds is 0; expected a time, more than 0",
            "seconds is nan; expected a time, more than 0",
            "node_ranks is -1; expected 0 or more, or None",
        ]


def test_a_compositor_tells_that_a_profile_is_of_another_machine(tmp_path):
    """And reads those that do not tell where they were measured, such as old ones."""
    reports = mpirun.reports(
        2,
        f"""
        import json
        import numpy as np
        import sortlast
        from pathlib import Path
        from sortlast import tune
        from sortlast.schedule import Machine
        folder = Path({str(tmp_path)!r})
        if rank == 0:
            Machine().save(str(folder / "old.json"))
            settings = {{"seconds": 2.0, "text": chr(34) + chr(92) + "}}", "nothing": None}}
            tune.save(Machine(), folder / "here.json", settings=settings)
            told = json.loads((folder / "here.json").read_text())
            (folder / "there.json").write_text(json.dumps(told | {{"measured_on": "there_mpich-3"}}))
        comm.barrier()
        explained = []
        for name in ("old", "here", "there"):
            comp = sortlast.Compositor(comm, profile=folder / f"{{name}}.json", node_ranks=1)
            comp.composite(np.ones((8, 8, 4), np.float32))
            explained.append(comp.explain())
        report([explained, json.loads((folder / "here.json").read_text())["settings"]["text"]])
        """,
    )
    for (old, here, there), text in reports:
        assert "/old.json, taking" in old
        assert "/here.json, taking" in here
        note = f"(measured on another machine, there_mpich-3; this is {machine_name()}), taking"
        assert f"/there.json {note}" in there
        assert text == '"\\}'


def test_a_profile_that_cannot_be_kept_is_an_error_that_says_why(tmp_path):
    reports = mpirun.reports(
        1,
        f"""
        import os
        import sortlast
        from pathlib import Path
        from sortlast import tune
        from sortlast.schedule import Machine
        (Path({str(tmp_path)!r}) / "in-the-way").touch()
        told = []
        for cache in ({str(tmp_path / "in-the-way")!r}, None):
            for name in ("XDG_CACHE_HOME", "HOME"):
                os.environ.pop(name, None)
            if cache:
                os.environ["XDG_CACHE_HOME"] = cache
            try:
                tune.keep(Machine())
            except sortlast.Error as error:
                told.append(str(error))
        report(told)
        """,
        alone=True,
    )
    in_the_way, nowhere = reports[0]
    assert in_the_way.startswith(f"cannot write {tmp_path}/in-the-way/sortlast/")
    assert "set HOME or XDG_CACHE_HOME" in nowhere
