"""Collectives and groups on the command line: what they cost in which order, and who reads that order."""

from __future__ import annotations

import json
import random
import re

import pytest

from refusals import refused
from sortlast import fabric
from sortlast._errors import ArgumentError

TREE = "k-ary-n-tree:12,2"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A file of the tree whose nodes were named in another order than they were cabled in."""
    numbers = list(range(144))
    random.Random(1).shuffle(numbers)
    text = fabric.write_ibnetdiscover(fabric.make_topology(TREE))
    text = re.sub(r"host(\d{5})", lambda found: f"node{numbers[int(found[1])]:03}", text)
    path = tmp_path_factory.mktemp("cluster") / "cluster.net"
    path.write_text(text)
    return path


def told(cli, tmp_path, *args):
    path = tmp_path / "told.json"
    status, out, _ = cli("fabric", *args, "--json", path)
    return status, out, json.loads(path.read_text())


def test_check_tells_stages_bytes_and_times(cli, tmp_path):
    args = ("check", "--net", TREE, "--schedule", "ring", "--bytes", "1.44G", "--bandwidth", "1000")
    status, out, found = told(cli, tmp_path, *args)
    assert status == 0
    assert "ring: 144 participants, 286 stages, 41,184 flows" in out
    assert (found["stages"], found["stage_max"], found["repeats"]) == (286, [1], [286])
    assert found["time"]["seconds"] == found["time"]["bound"] == pytest.approx(2.86)
    assert found["time"]["max_bytes"] == 286 * 10_000_000
    assert "2.86 s with 1.44 GB a rank and 1,000 MB/s a link" in out


def test_check_of_a_contended_collective_names_the_link_and_advises(cli, cluster, tmp_path):
    args = ("check", "--net", cluster, "--nodes", "node[000-143]", "--schedule", "ring", "--bytes", "1G")
    status, out, found = told(cli, tmp_path, *args)
    assert status == 1
    assert found["max_flows"] > 1
    assert found["time"]["seconds"] == pytest.approx(found["max_flows"] * found["time"]["bound"])
    assert f"{found['contended_stages']} of 286 stages contended" in out
    assert "another order (routing order)" in found["advice"]


def test_order_says_what_the_alphabet_costs_and_writes_the_better_one(cli, cluster, tmp_path):
    hosts = tmp_path / "job.hosts"
    args = ("order", "--net", cluster, "--nodes", "node[000-143]", "--schedule", "ring", "--bytes", "1G")
    status, out, found = told(cli, tmp_path, *args, "--launcher", "slurm", "--hostfile", hosts)
    assert status == 0
    rows = {row["order"]: row for row in found["orders"]}
    assert list(rows) == ["listed, alphabetical", "random, mean of 20", "routing order", "bound"]
    assert rows["listed, alphabetical"]["lost"] > 0.5
    assert rows["random, mean of 20"]["lost"] > 0.5
    assert rows["routing order"]["lost"] == rows["bound"]["lost"] == 0
    assert rows["bound"]["max_flows"] == 1
    assert rows["routing order"]["seconds"] == pytest.approx(rows["bound"]["seconds"])
    assert re.search(r"^ bound +144 +1 +158.9 ms +0.0%", out, re.M)

    # The order that was written is free.
    written = hosts.read_text().split()
    assert sorted(written) == [f"node{n:03}" for n in range(144)]
    assert cli("fabric", "check", "--net", cluster, "--nodes", hosts, "--schedule", "ring")[0] == 0


@pytest.mark.parametrize(
    ("launcher", "second"),
    [
        ("slurm", "host00001"),
        ("torchrun", "host00001 --nnodes=4 --node-rank=1 --master-addr=host00000"),
        ("mpich", "host00001:1"),
        ("openmpi", "host00001 slots=1"),
        ("openmpi-rankfile", "rank 1=host00001 slot=0"),
    ],
)
def test_order_is_written_for_every_launcher(cli, tmp_path, launcher, second):
    path = tmp_path / "hosts"
    args = ("--net", "crossbar:4", "--schedule", "ring", "--launcher", launcher, "--hostfile", path)
    assert cli("fabric", "order", *args)[0] == 0
    assert path.read_text().splitlines()[1] == second


def test_group_kinds_are_read_as_they_are_written():
    kinds = fabric.group_kinds("tensor=8, pipeline=2,mine=3:rail:3@1.5Ki,data=4:none", 7)
    assert [(kind.name, kind.size, kind.collective, kind.bytes) for kind in kinds] == [
        ("tensor", 8, "ring", 7),
        ("pipeline", 2, "chain", 7),
        ("mine", 3, "rail:3", 1536),
        ("data", 4, "", 7),
    ]
    assert fabric.pattern("tensor=2,data=2:none", 4).name == "groups tensor=2:ring,data=2"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tensor", "'tensor' is no kind of groups; expected NAME=SIZE"),
        ("", "'' is no kind of groups"),
        ("tensor=8,,data=2", "'' is no kind of groups"),
        ("model=8", "what model groups do is not known, only of tensor"),
        ("data=8@many", "'many' are no bytes; expected 1 or more, such as 4096, 1.5G or 256Mi"),
        ("data=8@0", "'0' are no bytes"),
        ("data=8@9999999999T", "are no bytes"),
    ],
)
def test_group_kinds_of_another_form_are_refused(text, says):
    with pytest.raises(ArgumentError, match=re.escape(says)):
        fabric.group_kinds(text)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("order", "--schedule", "data=144", "--dummies"), "every rank of data=144 must be there"),
        (("check", "--schedule", "data=100"), "groups data=100:ring are 100 ranks, and there are 144"),
        (("check", "--schedule", "rail:7"), "rail:7 of 144 ranks, which do not fill nodes of 7"),
        (("check", "--schedule", "rail:0"), "expected rail:K with a number"),
        (("check", "--schedule", "ring", "--bytes", "big"), "'big' are no bytes"),
        (("order", "--schedule", "ring", "--dummies"), "every rank of ring must be there"),
    ],
)
def test_what_cannot_be_is_refused(cli, args, says):
    command, *rest = args
    assert says in refused(cli("fabric", command, "--net", TREE, *rest))


def test_bytes_of_a_file_are_its_own(cli, tmp_path):
    path = tmp_path / "traffic"
    path.write_text("0 0 1 5\n")
    err = refused(cli("fabric", "check", "--net", TREE, "--schedule", path, "--bytes", "5"))
    assert "says the bytes of each" in err
