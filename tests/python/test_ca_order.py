"""The routing order is the one in which the real OpenSM's ftree numbers compute nodes, dummies included."""

import random

import pytest

import opensm
import references
from sortlast import _fabric, fabric

pytestmark = references.OPENSM


def without_some(topology, count):
    """The same without hosts at random."""
    return topology.without_hosts(random.Random(5).sample(range(len(topology.hosts)), count))


FABRICS = {
    "12-ary 2-tree": lambda: fabric.k_ary_n_tree(12, 2),
    "43 hosts missing": lambda: without_some(fabric.k_ary_n_tree(12, 2), 43),
    "4-ary 3-tree": lambda: fabric.k_ary_n_tree(4, 3),
    "4-ary 3-tree, 20 hosts missing": lambda: without_some(fabric.k_ary_n_tree(4, 3), 20),
    "parallel links": lambda: fabric.pgft(m=[8, 4], w=[1, 4], p=[1, 2]),
    "thin": lambda: fabric.thin_tree(8, 4, 3),
    "slender": lambda: fabric.slender_tree(4, 2, 4),
}


def real_order(topology, folder, **options):
    """The fabric with the LIDs that OpenSM gave, and the order that it wrote."""
    run = opensm.route(fabric.write_ibsim(topology), "ftree", folder, **options)
    assert run.engine == "ftree", run.errors
    seen = _fabric.read_topology(run.ibnetdiscover, "ibnetdiscover")
    return seen, _fabric.read_ca_order(seen, run.ca_order.read_text(), "ca-order")


@pytest.mark.parametrize("name", FABRICS)
def test_routing_order_is_opensms(name, tmp_path):
    seen, order = real_order(FABRICS[name](), tmp_path)
    assert fabric.order_hosts(seen, "routing-dummies") == order
    assert fabric.order_hosts(seen, "routing") == [host for host in order if host >= 0]


def test_with_a_link_cut_and_some_hosts_balanced_for(tmp_path):
    whole = fabric.k_ary_n_tree(6, 2)
    cut = next(link for link in whole.links if link.a >= len(whole.hosts))
    topology = whole.without_links([cut.channel])
    assert [(m.lower_name, m.upper_name) for m in topology.missing_links()] == [(cut.a_name, cut.b_name)]
    compute = [host for host in topology.hosts if host.number % 5]
    seen, order = real_order(
        topology,
        tmp_path,
        roots=[switch.guid for switch in topology.switches if switch.level == 2],
        compute=[host.port_guid for host in compute],
    )
    guids = {host.guid for host in compute}
    numbers = [host.number for host in seen.hosts if host.guid in guids]
    assert fabric.order_hosts(seen, "routing-dummies", numbers, compute=numbers) == order
