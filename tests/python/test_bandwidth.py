"""The command ``sortlast bandwidth``, what it measures, and its picture."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import commands
import mpirun
import sortlast
from sortlast import bandwidth, fabric, provenance
from sortlast.bandwidth import Bandwidths
from sortlast.plot import bandwidth as picture
from sortlast.provenance import Provenance


def run(*args):
    return commands.run("bandwidth", *args)


def some(p, seed=1, message_bytes=1000):
    matrix = np.random.default_rng(seed).uniform(1e8, 2e9, (p, p))
    np.fill_diagonal(matrix, 0)
    return Bandwidths(matrix, [f"node{rank}" for rank in range(p)], message_bytes)


# --- measuring --------------------------------------------------------------------------------------------


@pytest.mark.family
@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 5])
def test_every_pair_is_measured_and_all_ranks_get_the_same(ranks):
    reports = mpirun.reports(
        ranks,
        """
        from sortlast import bandwidth
        told = []
        found = bandwidth.measure(comm, 100_000, 3, lambda done, total: told.append((done, total)))
        report([found.matrix.tolist(), found.names, found.message_bytes, told])
        """,
    )
    assert all(each == reports[0] for each in reports)
    matrix, names, message_bytes, told = reports[0]
    matrix = np.array(matrix)
    assert matrix.shape == (ranks, ranks)
    assert (np.diag(matrix) == 0).all()
    pairs = matrix[~np.eye(ranks, dtype=bool)]
    assert ((pairs > 1e4) & (pairs < 1e13)).all()
    assert len(names) == ranks
    assert message_bytes == 100_000
    assert told == [[done, ranks - 1] for done in range(ranks)]


@pytest.mark.mpi
def test_a_changed_message_is_an_error_on_every_rank():
    reports = mpirun.reports(
        3,
        """
        import sortlast
        from sortlast import bandwidth
        sound = bandwidth.payload
        def spoilt(source, destination, size):
            block = sound(source, destination, size)
            if (source, destination) == (1, 0) and rank == 1:
                block[77] += 1
            return block
        bandwidth.payload = spoilt
        try:
            bandwidth.measure(comm, 1000)
        except sortlast.Error as error:
            report(str(error))
        """,
    )
    assert len(set(reports)) == 1
    assert reports[0].startswith(
        "the message of rank 1 arrived at rank 0 changed: 1 of 1000 bytes, the first at 77"
    )


@pytest.mark.mpi
def test_wrong_arguments_are_named_on_every_rank():
    reports = mpirun.reports(
        2,
        """
        import sortlast
        from mpi4py import MPI
        from sortlast import bandwidth
        told = []
        for where, message_bytes, repeat in ((MPI.COMM_SELF, 1, 1), (comm, 0, 1), (comm, 1, 0)):
            try:
                bandwidth.measure(where, message_bytes, repeat)
            except sortlast.ArgumentError as error:
                told.append(str(error))
        report(told)
        """,
    )
    for told in reports:
        assert told == [
            "a communicator of 1 rank has no pairs; start 2 ranks or more",
            "message_bytes is 0; expected 1 or more",
            "repeat is 0; expected 1 or more",
        ]


@given(source=st.integers(0, 999), shift=st.integers(1, 6), size=st.integers(1, 2000), data=st.data())
def test_payload_tells_pairs_and_changes_apart(source, shift, size, data):
    block = bandwidth.payload(source, source + shift, size)
    assert bandwidth.difference(block, source, source + shift) is None
    assert bandwidth.difference(block, source + 1, source + shift) is not None
    assert bandwidth.difference(block, source, source + shift + 1) is not None
    place = data.draw(st.integers(0, size - 1))
    block[place] ^= data.draw(st.integers(1, 255))
    assert f"the first at {place}," in bandwidth.difference(block, source, source + shift)


def test_figures_leave_the_diagonal_out():
    found = Bandwidths(np.array([[0, 2.0, 4.0], [6.0, 0, 8.0], [1.0, 3.0, 0]]), ["a", "b", "c"], 1)
    assert (found.minimum, found.mean, found.maximum) == (1, 4, 8)
    assert found.slowest(2) == [(2, 0), (0, 1)]
    assert len(found.slowest(99)) == 6


# --- the prediction ---------------------------------------------------------------------------------------


def test_prediction_divides_a_link_among_its_flows():
    # Two leaves of four hosts and one spine: all that goes from leaf to leaf shares one link.
    routes = fabric.route(fabric.pgft(m=[4, 2], w=[1, 1], p=[1, 1]), "ftree")
    found = bandwidth.predict(routes, range(8), message_bytes=1000, link_bytes_per_second=1e6)
    for sender in range(8):
        for receiver in range(8):
            shift = (receiver - sender) % 8
            across = [i // 4 != (i + shift) % 8 // 4 for i in range(8)]
            flows = sum(across[:4]) if across[sender] else 1
            expected = 0 if sender == receiver else 1e6 / flows
            assert found.matrix[sender, receiver] == pytest.approx(expected)
    slow = bandwidth.predict(routes, range(8), 1000, 1e6, latency=1e-3)
    assert slow.matrix[0, 1] == pytest.approx(1000 / (1e-3 + 1000 / found.matrix[0, 1]))
    assert found.names[3] == "host00003 HCA-1"
    with pytest.raises(sortlast.ArgumentError, match="1 node has no pairs"):
        bandwidth.predict(routes, [0], 1, 1)


# --- the picture ------------------------------------------------------------------------------------------


def test_picture_is_the_papers():
    found = some(12)
    values = picture.grey(found)
    sender, receiver = np.unravel_index(found.matrix.argmax(), (12, 12))
    assert values[sender, receiver] == 255
    assert np.abs(values - 255 * found.matrix / found.maximum).max() <= 0.5

    figure = picture.draw({"measured": found})
    left, right, scale = figure.axes
    image = left.images[0]
    assert image.get_cmap().name == "gray"
    assert (image.norm.vmin, image.norm.vmax) == (0, 255)
    np.testing.assert_array_equal(image.get_array().filled(0), values)
    assert image.get_array().mask.tolist() == np.eye(12, dtype=bool).tolist()
    heights = [bar.get_height() for bar in right.patches]
    assert sum(heights) == 12 * 11
    off = values[~np.eye(12, dtype=bool)]
    assert heights == [(off == value).sum() for value in range(256)]

    # Both scales are in MB/s: the maximum is at the end of each.
    fullest = found.maximum / 1e6
    assert max(bar.get_x() + bar.get_width() / 2 for bar in right.patches) == pytest.approx(fullest)
    marks = [
        (float(text.get_text()), place)
        for text, place in zip(scale.get_yticklabels(), scale.get_yticks(), strict=True)
    ]
    assert len(marks) > 2
    assert [place for _, place in marks] == pytest.approx([255 * speed / fullest for speed, _ in marks])
    assert "MB/s" in scale.get_ylabel()
    assert "MB/s" in right.get_xlabel()


# --- the command ------------------------------------------------------------------------------------------


def test_the_mpi_is_not_asked_of_a_module_in_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "mpi4py.py").write_text("raise SystemExit('planted')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)
    assert provenance._mpi.__wrapped__() != ""


@pytest.mark.mpi
def test_command_prints_draws_and_writes(tmp_path):
    drawn, table = tmp_path / "bandwidth.png", tmp_path / "bandwidth.json"
    done = run("--ranks", 4, "--bytes", 16384, "--repeat", 2, "--output", drawn, "--json", table)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    written = json.loads(table.read_text())
    assert (written["p"], written["message_bytes"]) == (4, 16384)
    made_by = Provenance(**written["provenance"])
    here = provenance.here()
    assert (made_by.host, made_by.mpi, made_by.build) == (here.host, here.mpi, here.build)
    asked = {"message_bytes": 16384, "repeat": 2}
    assert written["settings"] == asked | {
        "net": None,
        "engine": None,
        "lft": None,
        "nodes": None,
        "rail": None,
    }
    matrix = np.array(written["matrix"])
    pairs = matrix[~np.eye(4, dtype=bool)]
    for name, value in (("minimum", pairs.min()), ("mean", pairs.mean()), ("maximum", pairs.max())):
        assert written[name] == pytest.approx(value)
        assert f"{value / 1e6:.1f}" in done.stdout
    assert written["names"][0] in done.stdout
    assert drawn.read_bytes().startswith(b"\x89PNG")


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("options", "where"),
    [
        ((), "on its first 4 nodes in routing order"),
        (("--nodes", "host[00000-00001,00004-00005]"), "on the nodes that are listed"),
    ],
)
def test_command_draws_the_prediction_beside_the_measurement(tmp_path, options, where):
    table, text = tmp_path / "bandwidth.json", tmp_path / "matrix.txt"
    fabric_options = ("--net", "k-ary-n-tree:4,2", *options)
    done = run("--ranks", 4, "--bytes", 5000, *fabric_options, "--json", table, "--matrix", text)
    assert done.returncode == 0, done.stderr
    assert f"predicted for 4-ary 2-tree, ftree, {where}" in done.stdout
    written = json.loads(table.read_text())
    assert written["settings"]["net"] == "k-ary-n-tree:4,2"
    assert written["settings"]["engine"] == "ftree"
    assert written["predicted"]["mean"] == pytest.approx(written["maximum"])  # it is contention-free
    lines = text.read_text().splitlines()
    head = next(k for k, line in enumerate(lines) if line.startswith("Send\t"))
    for row, line in zip(written["matrix"], lines[head + 1 : head + 5], strict=True):
        speeds = [float(cell) for cell in line.split("\t")[1:5]]
        assert speeds == pytest.approx([each / 1e6 for each in row], rel=1e-3)


@pytest.mark.mpi
def test_command_runs_on_the_ranks_of_the_users_mpiexec(tmp_path):
    command = [sys.executable, "-m", "sortlast", "bandwidth", "--bytes", "5000", "--repeat", "1"]
    done = mpirun.run_command(3, [*command, "--json", str(tmp_path / "bandwidth.json")])
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("slowest pairs") == 1  # rank 0 alone prints
    assert json.loads((tmp_path / "bandwidth.json").read_text())["message_bytes"] == 5000
    done = mpirun.run_command(2, [*command, "--ranks", "3"])
    assert done.returncode == 2
    assert "--ranks 3, but mpiexec started 2" in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--ranks", "1"), "should be greater than or equal to 2"),
        (("--bytes", "0"), "should be greater than or equal to 1"),
        (("--output", "matrix.jpg"), "the suffix must be one of png, svg, pdf"),
        (("--json", "/dev/null/table.json"), "/dev/null is no folder; choose another place"),
        (("--net", "nowhere"), "there is no such file, nor a family of this name"),
        (("--net", "crossbar:9", "--nodes", "host[00001-00003]"), "3 nodes for 4 ranks; name more"),
    ],
)
def test_command_refuses_before_it_starts_ranks(args, message):
    done = run(*args)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "stages of" not in done.stderr
    assert "Traceback" not in done.stderr
