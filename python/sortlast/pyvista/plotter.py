"""A PyVista plotter with a scene that is distributed over ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast import _arrays, _extras
from sortlast._errors import ArgumentError
from sortlast.vtk import Composition, Picture, compose
from sortlast.vtk import image as _image_of_window
from sortlast.vtk.parts import valid

with _extras.needed("a plotter", extra="pyvista"):
    import pyvista as pv

from sortlast.pyvista import ranges, volumes
from sortlast.pyvista.ranges import Range

if TYPE_CHECKING:
    from mpi4py import MPI

_WHOLE = "sortlast: the box of all parts"  # name of an actor


def image(plotter: pv.Plotter) -> Picture:
    """Render a plotter with one window, and return an image to composite: see ``sortlast.vtk.image``.

    ``plotter.screenshot`` and ``plotter.get_image_depth`` do not composite: their colours are blended with
    the background, and their depths are negative distances with NaN for the background.

    Raises:
        ArgumentError: ``plotter`` is no plotter or is closed, or its window cannot be composited.
    """
    if not isinstance(plotter, pv.Plotter) or plotter.render_window is None:
        raise ArgumentError(f"plotter is {plotter!r}; expected a pyvista.Plotter that is not closed")
    plotter._on_first_render_request()  # resets a camera that was not set
    return _image_of_window(plotter.render_window)


class Plotter(pv.Plotter):  # type: ignore[misc]
    """A ``pyvista.Plotter`` with a scene that is distributed over a communicator. All calls are collective.

    ``show``, ``screenshot``, ``open_movie``, ``open_gif``, ``write_frame``, ``orbit_on_path``, ``render``,
    ``get_image_depth`` and ``update`` act on rank 0 and return None elsewhere. Cameras and annotations are
    taken from rank 0. Anti-aliasing is off, as in ``sortlast.vtk.compose``.

    Args:
        comm: any mpi4py intracommunicator.
        mode: as in ``sortlast.vtk.compose``: "auto", "surface", "volume" or "boxes".
        box: as in ``sortlast.vtk.compose``: the box of this rank's data, if its meshes reach beyond it.
        timeout: longest wait for another rank, in seconds.
        options: passed to ``pyvista.Plotter``.
    """

    composition: Composition
    _shown = False

    def __init__(
        self,
        comm: MPI.Intracomm,
        *,
        mode: str = "auto",
        box: Any = None,
        timeout: float = 60.0,
        **options: Any,
    ) -> None:
        if comm.rank:
            options = options | {"off_screen": True, "notebook": False}
        super().__init__(**options)
        self.disable_anti_aliasing()
        self.composition = compose(self.render_window, comm, mode, box=box, timeout=timeout)
        self._box = None if box is None else valid(_arrays.numbers(box, "box", 6))

    # ---- this rank's part

    def add_mesh(self, mesh: Any, **options: Any) -> Any:
        """Add this rank's part of a mesh; None, or a mesh without points, if it has none.

        Like ``pyvista.Plotter.add_mesh``; returns its actor, or None without a part. ``clim`` defaults to the
        range over all ranks.

        Raises:
            Error: on every rank, if it fails on some, or if they map different arrays to colours.
        """
        add = super().add_mesh
        has = mesh is not None and (not hasattr(mesh, "n_points") or mesh.n_points > 0)
        actors = self._add(
            lambda: [mesh] if has else [],
            lambda meshes: ranges.of_mesh(meshes[0], options),
            lambda meshes, chosen: [add(meshes[0], **chosen, render=False)],
            options,
        )
        self._added(options)
        return actors[0] if actors else None

    def add_volume(self, volume: Any, **options: Any) -> Any:
        """Add this rank's part of a volume; None, or a volume without points, if it has none.

        Like ``pyvista.Plotter.add_volume``; returns its actor, or None without a part. A
        ``pyvista.MultiBlock`` is several volumes, each with its own place in depth, and gives a list of
        actors. ``clim`` defaults to the range over all ranks, and ``opacity_unit_distance`` to the value for
        the whole volume.

        Blocks share the points of their common faces, or have layers of ghost cells beyond them. Cells marked
        as duplicates by ``vtkGhostType`` or outside the plotter's ``box`` are not drawn. Image data aligned
        with the axes and rectilinear grids are sampled at the same places on all ranks by the mapper "gpu",
        see ``sortlast.vtk.Composition.sample_alike``.

        Raises:
            Error: on every rank, if it fails on some, or if ``blending`` is not "composite".
        """
        add = super().add_volume

        def add_blocks(blocks: list[volumes.Block], chosen: dict[str, Any]) -> list[Any]:
            actors = []
            for data, own, name in blocks:
                mapper = {} if own is None else {"mapper": "gpu"}
                actors.append(add(data, **chosen | mapper, name=name, render=False))
                chosen = chosen | {"show_scalar_bar": False}
            return actors

        many = isinstance(volume, pv.MultiBlock)
        blocks: list[volumes.Block] = []

        def find() -> list[volumes.Block]:
            blocks.extend(volumes.blocks_of(volume, options, self._box))
            return blocks

        actors = self._add(
            find,
            lambda found: volumes.range_of(found, options),
            add_blocks,
            options,
        )
        structured = []
        for block, actor in zip(blocks, actors, strict=True):
            if block.own is None:
                volumes.sample_in_full(actor)
            else:
                structured.append((actor, block.own))
        self.composition.sample_alike(*zip(*structured, strict=True) if structured else ([], []))
        self._added(options)
        return actors if many else actors[0] if actors else None

    def _add(
        self,
        find: Callable[[], list[Any]],
        range_of: Callable[[list[Any]], Range | None],
        add: Callable[[list[Any], dict[str, Any]], list[Any]],
        options: dict[str, Any],
    ) -> list[Any]:
        """Add the data of ``find`` on this rank, with options agreed on by all ranks; returns the actors."""
        problem, found, parts = None, None, []
        try:
            parts = find()
            found = range_of(parts) if parts else None
        except Exception as error:
            # The others must not wait for this rank: all ranks raise the error below.
            problem = f"{type(error).__name__}: {error}"
        told: Range | None = self._agree((problem, found), ranges.union)
        chosen = {name: value for name, value in options.items() if name != "render"}
        if told is not None:
            chosen["clim"] = options.get("clim") or told.limits
            unit = told.unit_distance()
            if unit is not None and options.get("opacity_unit_distance") is None:
                chosen["opacity_unit_distance"] = unit
        actors = []
        try:
            if parts:
                actors = add(parts, chosen)
            elif told is not None:
                self._add_scale(told, chosen)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        self._agree((problem, None), ranges.union)
        return actors

    def _added(self, options: dict[str, Any]) -> None:
        """Update the bounding box of all parts for cameras, and show the parts."""
        self.composition.update_bounds()
        for renderer, prop in self.composition.boxes():
            reset = options.get("reset_camera") if renderer is self.renderer else False
            renderer.add_actor(prop, name=_WHOLE, reset_camera=reset, pickable=False, render=False)
        if options.get("render", True):
            self.render()

    def _agree(self, value: Any, decide: Callable[[list[Any]], Any]) -> Any:
        return self.composition.messages.agree(value, decide)

    def _add_scale(self, told: Range, options: dict[str, Any]) -> None:
        """Give a rank without a part the colours and the scalar bar of the other ranks."""
        corners = pv.PolyData(np.zeros((2, 3)), faces=[3, 0, 1, 1])
        corners[told.name] = np.array(told.limits)
        kept = ("clim", "cmap", "n_colors", "flip_scalars", "scalar_bar_args", "show_scalar_bar", "log_scale")
        shown = {name: options[name] for name in kept if name in options}
        actor = super().add_mesh(corners, scalars=told.name, **shown, render=False)
        actor.visibility = False

    # ---- led by rank 0

    def _lead(self, work: Callable[[], Any]) -> Any:
        if self.composition.closed or self.composition.leading:
            return work()
        self._shown = True

        def fresh() -> Any:
            if self._first_time:
                self.composition.update_bounds()
            return work()

        result = self.composition.lead(fresh)
        if self._agree(getattr(self, "_closed", False), lambda closed: closed[0]):
            self.close()
        return result

    def render(self) -> None:
        """Render on all ranks, if ``show`` or another call has rendered before."""
        if self._shown:
            self._lead(super().render)

    def close(self) -> None:
        """Close the plotter and its composition with the other ranks."""
        super().close()
        if not self.composition.leading:
            self.composition.close()


def _led(name: str) -> Any:
    """Make a method of ``pyvista.Plotter`` that acts on rank 0 while the other ranks render when it does."""
    original = getattr(pv.Plotter, name)

    @wraps(original)
    def method(self: Plotter, *arguments: Any, **options: Any) -> Any:
        return self._lead(lambda: original(self, *arguments, **options))

    method.__doc__ = f"As ``pyvista.Plotter.{name}``, on rank 0 while the others follow; None elsewhere."
    return method


for _name in (
    "show",
    "screenshot",
    "open_movie",
    "open_gif",
    "write_frame",
    "orbit_on_path",
    "get_image_depth",
    "save_graphic",
    "update",
):
    setattr(Plotter, _name, _led(_name))
