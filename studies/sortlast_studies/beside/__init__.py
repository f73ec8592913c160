"""What does a frame cost beside the simulation's own traffic, and what does it cost the simulation?

In situ, ranks composite while the simulation that they render exchanges the halos of its boxes. Both cross
the same links. Here the frames of three algorithms run beside a halo exchange that never pauses, as flows, on
one switch, where they share the adapters alone, and on networks that add links to share.
"""

PICTURE = "beside"
SUMMARY = (
    "Beside the simulation's own traffic: frames while a halo exchange runs on the same links, on one "
    "switch, a fat-tree, a tapered tree and a torus; no published values."
)
KIND = """\
Prints tables and figures of simulated frames. There are no published ones to be put beside them, and nothing
is measured.
"""
