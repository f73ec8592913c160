"""The fabric lab: is a communication pattern contention-free on a fabric, before a job runs there?

::

    from sortlast import fabric

    f = fabric.k_ary_n_tree(12, 2)  # or fabric.read("net.ibnetdiscover")
    r = fabric.route(f, "ftree")  # or fabric.read_routes(f, "opensm-lfts.dump")
    c = fabric.contention(r, "shift", nodes="host[00000-00059]")
    c.contention_free, c.max_flows, c.mean_share
"""

from sortlast._fabric import (
    BestOrder,
    Bisection,
    Contention,
    Pattern,
    Routes,
    Topology,
    allocate_hosts,
    assign_lids,
    block_mapping,
    compute_hosts,
    crossbar,
    describe_channels,
    engines,
    families,
    find_credit_loop,
    fold_node_list,
    gft,
    host_orders,
    k_ary_n_tree,
    make_topology,
    mesh,
    order_hosts,
    pgft,
    read_node_list,
    rlft,
    slender_tree,
    thin_tree,
    torus,
    var_ary_n_tree,
    write_hostfile,
    write_ibnetdiscover,
    write_ibsim,
    write_lfts,
    write_mpigraph,
    write_rankfile,
    write_simgrid,
    write_slurm_topology,
    xgft,
)
from sortlast.fabric.analysis import best_order, bisection, contention, pattern_time, shares
from sortlast.fabric.nodes import names, placement
from sortlast.fabric.patterns import pattern
from sortlast.fabric.reading import is_file, read, read_nodes, read_routes, read_traffic, text_of
from sortlast.fabric.routing import route

__all__ = [
    "BestOrder",
    "Bisection",
    "Contention",
    "Pattern",
    "Routes",
    "Topology",
    "allocate_hosts",
    "assign_lids",
    "best_order",
    "bisection",
    "block_mapping",
    "compute_hosts",
    "contention",
    "crossbar",
    "describe_channels",
    "engines",
    "families",
    "find_credit_loop",
    "fold_node_list",
    "gft",
    "host_orders",
    "is_file",
    "k_ary_n_tree",
    "make_topology",
    "mesh",
    "names",
    "order_hosts",
    "pattern",
    "pattern_time",
    "pgft",
    "placement",
    "read",
    "read_node_list",
    "read_nodes",
    "read_routes",
    "read_traffic",
    "rlft",
    "route",
    "shares",
    "slender_tree",
    "text_of",
    "thin_tree",
    "torus",
    "var_ary_n_tree",
    "write_hostfile",
    "write_ibnetdiscover",
    "write_ibsim",
    "write_lfts",
    "write_mpigraph",
    "write_rankfile",
    "write_simgrid",
    "write_slurm_topology",
    "xgft",
]
