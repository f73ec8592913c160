"""The evaluation of a hardware barrier by Nonaka, Iwashita and Kanazawa (2004), computed and measured.

A cluster composites its images in a device that cannot store them, so all nodes must wait for each other
before every frame. The paper replaces MPI_Barrier for this purpose by one wire to each node.
"""

PICTURE = "tables-3-and-6"
SUMMARY = (
    "Synchronised frames of a compositing device, with barriers in software and hardware: Nonaka et al., "
    '"Performance Evaluation of a Low-Cost Parallel-port-based Hardware Barrier on VG Cluster" (2004).'
)
OPTIONS = ("testbed", "port")
