"""How much do compositing and the traffic of the rendered simulation slow each other down?

In situ, ranks composite while the simulation that they render exchanges the halos of its boxes. Both use
the same links. Here the frames of three algorithms run concurrently with a halo exchange that never pauses,
as flows, on one switch, where they share only adapters, and on networks, where they share links too.
"""

PICTURE = "beside"
SUMMARY = (
    "Frames during the simulation's own traffic: a halo exchange runs on the same links, on one "
    "switch, a fat-tree, a tapered tree and a torus; no published values."
)
