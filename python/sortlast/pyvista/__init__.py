"""PyVista over the ranks of a communicator: every rank adds its part of the data, rank 0 shows the whole.

::

    import sortlast.pyvista

    plotter = sortlast.pyvista.Plotter(MPI.COMM_WORLD)
    plotter.add_mesh(part, scalars="u")  # this rank's part; None if it has none
    plotter.show(screenshot="whole.png")

Every rank runs the same script. Rendering is controlled by rank 0, which has the window, the movie and the
files; the other ranks render when rank 0 does, until its call has returned.
"""

from sortlast.pyvista.plotter import Plotter, image

__all__ = ["Plotter", "image"]
