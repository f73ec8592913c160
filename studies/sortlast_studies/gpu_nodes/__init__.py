"""Nodes of eight GPUs on networks of 800 Gbit/s: which algorithm, and when does the fabric matter?

Each GPU has an image and an adapter, and the GPUs of a node reach each other faster than the network. A node
therefore composites within itself first, after which each of its GPUs holds an eighth of the node's image.
Then the eighths are composited among the nodes, all eight at once: GPU j of a node exchanges messages only
with GPU j of other nodes. Simulated on a fat-tree, on a fat-tree with half of its links up, on a dragonfly,
and on one switch that connects all adapters.
"""

PICTURE = "gpu-nodes"
SUMMARY = (
    "Nodes of eight GPUs on fat-trees and a dragonfly of 800 Gbit/s: which algorithm, and from how many "
    "nodes on the fabric matters; no published values."
)
