"""The evaluation of a hardware barrier by Nonaka, Iwashita and Kanazawa (2004), computed and measured.

A cluster composites its images in a device that holds none of them, so that all nodes must wait for each
other before every frame. The paper replaces MPI_Barrier there by one wire to each node.
"""

from sortlast.study.hardware_barrier.study import STUDY

__all__ = ["STUDY"]
