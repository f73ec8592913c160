"""Nodes of eight GPUs on networks of 800 Gbit/s: which algorithm, and when does the fabric matter?

Each GPU has an image and an adapter of its own, and the GPUs of a node reach each other faster than the
network. So a node composites within itself first, after which each of its GPUs holds an eighth of the node's
image, and the eighths are composited among the nodes, all eight at once: GPU j of a node meets GPU j of the
others alone. Simulated on a fat-tree, on one of which half is left out, and on a dragonfly, beside a switch
to which all are connected.
"""

PICTURE = "gpu-nodes"
SUMMARY = (
    "Nodes of eight GPUs on fat-trees and a dragonfly of 800 Gbit/s: which algorithm, and from how many "
    "nodes on the fabric matters; no published values."
)
KIND = """\
Prints tables and figures of simulated frames. There are no published ones to be put beside them, and nothing
is measured.
"""
