"""One picture of a VTK window with a scene that is distributed over the ranks of a communicator.

::

    import sortlast.vtk

    sortlast.vtk.compose(window, MPI.COMM_WORLD)
    window.Render()  # on every rank: rank 0's window then shows the whole scene
"""

from sortlast.vtk.adapter import Picture, image
from sortlast.vtk.composition import Composition, compose

__all__ = ["Composition", "Picture", "compose", "image"]
