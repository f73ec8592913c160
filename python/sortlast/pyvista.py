"""PyVista over the ranks of a communicator: every rank adds its part of the data, rank 0 shows the whole.

::

    import sortlast.pyvista

    plotter = sortlast.pyvista.Plotter(MPI.COMM_WORLD)
    plotter.add_mesh(part, scalars="u")  # this rank's part; None where there is none
    plotter.show(screenshot="whole.png")

Every rank runs the same script. What renders happens on rank 0, which has the window, the movie
and the files; the other ranks render when it does, until its call has returned.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sortlast import _extras
from sortlast._errors import ArgumentError, Error
from sortlast.vtk import Composition, Picture, compose
from sortlast.vtk import image as _image_of_window

with _extras.needed("a plotter", extra="pyvista"):
    import pyvista as pv

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["Plotter", "image"]

_WHOLE = "sortlast: the box of all parts"  # name of an actor


def image(plotter: pv.Plotter) -> Picture:
    """Render a plotter of one window, and return what composites: see ``sortlast.vtk.image``.

    It is right where ``plotter.screenshot`` and ``plotter.get_image_depth`` are not: their colours are mixed
    with the background, and their depths are negative distances with NaN for the background.

    Raises:
        ArgumentError: not a plotter, one that is closed, or a window that cannot be composited.
    """
    if not isinstance(plotter, pv.Plotter) or plotter.render_window is None:
        raise ArgumentError(f"plotter is {plotter!r}; expected a pyvista.Plotter that is not closed")
    plotter._on_first_render_request()  # which resets a camera that was not set
    return _image_of_window(plotter.render_window)


class Plotter(pv.Plotter):  # type: ignore[misc]
    """A ``pyvista.Plotter`` whose scene is spread over the ranks of a communicator. All calls are collective.

    ``show``, ``screenshot``, ``open_movie``, ``open_gif``, ``write_frame``, ``orbit_on_path``, ``render``,
    ``get_image_depth`` and ``update`` act on rank 0 and return None elsewhere. Cameras and annotations are
    those of rank 0. Anti-aliasing is off, as in ``sortlast.vtk.compose``.

    Args:
        comm: any mpi4py intracommunicator.
        mode: as in ``sortlast.vtk.compose``: "auto", "surface" or "volume".
        box: as there: the box of this rank's data, where its meshes reach beyond it.
        timeout: longest wait for another rank, in seconds.
        options: what ``pyvista.Plotter`` takes.
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
        self.composition: Composition = compose(self.render_window, comm, mode, box=box, timeout=timeout)

    # ---- this rank's part

    def add_mesh(self, mesh: Any, **options: Any) -> Any:
        """Add this rank's part of a mesh; None, or one without points, where it has none.

        As ``pyvista.Plotter.add_mesh``, whose actor it returns, or None without a part. ``clim`` is the range
        over all ranks unless it is passed.

        Raises:
            Error: on every rank, if it fails on some.
        """
        add = super().add_mesh
        return self._add(add, mesh, options, _mesh_range)

    def add_volume(self, volume: Any, **options: Any) -> Any:
        """Add this rank's part of a volume; None, or one without points, where it has none.

        As ``pyvista.Plotter.add_volume``, whose actor it returns, or None without a part. ``clim`` is the
        range over all ranks unless it is passed, and ``opacity_unit_distance`` their greatest default.
        Neighbours share the points of their common face.

        Raises:
            Error: on every rank, if it fails on some, or with another ``blending`` than "composite".
        """
        add = super().add_volume
        return self._add(add, volume, options, _volume_range)

    def _add(
        self,
        add: Callable[..., Any],
        data: Any,
        options: dict[str, Any],
        range_of: Callable[[Any, dict[str, Any]], _Range | None],
    ) -> Any:
        has = data is not None and (not hasattr(data, "n_points") or data.n_points > 0)
        problem, found = None, None
        try:
            found = range_of(data, options) if has else None
        except Exception as error:
            # The others must not wait for this rank: all raise what is wrong here.
            problem = f"{type(error).__name__}: {error}"
        told: _Range | None = self._agree((problem, found), _union)
        if told is not None:
            options = options | {"clim": options.get("clim") or told.limits}
            if told.unit_distance is not None and options.get("opacity_unit_distance") is None:
                options["opacity_unit_distance"] = told.unit_distance
        render = options.pop("render", True)
        actor = None
        try:
            if has:
                actor = add(data, **options, render=False)
                _sample_alike(actor, told)
            elif told is not None:
                self._add_scale(told, options)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        self._agree((problem, None), _union)
        self.composition.update_bounds()
        for renderer, prop in self.composition.boxes():
            renderer.add_actor(prop, name=_WHOLE, reset_camera=False, pickable=False, render=False)
        if render:
            self.render()
        return actor

    def _agree(self, value: Any, decide: Callable[[list[Any]], Any]) -> Any:
        return self.composition.messages.agree(value, decide)

    def _add_scale(self, told: _Range, options: dict[str, Any]) -> None:
        """Give a rank without a part the colours and the scalar bar of the others'."""
        corners = pv.PolyData(np.zeros((2, 3)), faces=[3, 0, 1, 1])
        corners[told.name] = np.array(told.limits)
        kept = ("clim", "cmap", "n_colors", "flip_scalars", "scalar_bar_args", "show_scalar_bar", "log_scale")
        shown = {name: options[name] for name in kept if name in options}
        actor = super().add_mesh(corners, scalars=told.name, **shown, render=False)
        actor.visibility = False

    # ---- what rank 0 does, and the others follow

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
        """Render on all ranks, once ``show`` or another call has done so before."""
        if self._shown:
            self._lead(super().render)

    def close(self) -> None:
        """Close the plotter, and what connects it with the other ranks."""
        super().close()
        if not self.composition.leading:
            self.composition.close()


def _led(name: str) -> Any:
    """A method of ``pyvista.Plotter`` that acts on rank 0 while the other ranks render when it does."""
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


# ---- what all ranks must have alike


class _Range(NamedTuple):
    """The values of an array that is mapped to colours, and how far volumes are sampled."""

    name: str
    limits: tuple[float, float]
    unit_distance: float | None = None
    sample_distance: float | None = None


def _union(told: list[tuple[str | None, _Range | None]]) -> _Range | None:
    """On rank 0: the range over all ranks; raises Error if a rank has a problem."""
    for rank, (problem, _) in enumerate(told):
        if problem is not None:
            raise Error(f"rank {rank}: {problem}")
    ranges = [found for _, found in told if found is not None]
    if not ranges:
        return None
    limits = [each.limits for each in ranges]
    units = [each.unit_distance for each in ranges if each.unit_distance is not None]
    samples = [each.sample_distance for each in ranges if each.sample_distance is not None]
    return _Range(
        ranges[0].name,
        (min(low for low, _ in limits), max(high for _, high in limits)),
        max(units, default=None),
        min(samples, default=None),
    )


def _mesh_range(mesh: Any, options: dict[str, Any]) -> _Range | None:
    scalars = options.get("scalars")
    if options.get("rgb") or (scalars is None and options.get("color") is not None):
        return None
    if isinstance(mesh, pv.MultiBlock):
        return None if scalars is None else _Range(scalars, mesh.get_data_range(scalars, allow_missing=True))
    return _range(mesh, options)


def _volume_range(volume: Any, options: dict[str, Any]) -> _Range | None:
    blending = options.get("blending", "composite")
    if blending != "composite":
        raise ArgumentError(f"blending is {blending!r}; expected 'composite'")
    found = _range(volume, options)
    if found is None or not hasattr(volume, "dimensions"):
        return found
    unit = float(volume.length / (np.mean(volume.dimensions) - 1))
    spacing = getattr(volume, "spacing", None)
    return found._replace(unit_distance=unit, sample_distance=None if spacing is None else min(spacing) / 2)


def _range(data: Any, options: dict[str, Any]) -> _Range | None:
    """Least and greatest value of what is mapped to colours; None if nothing is."""
    data = pv.wrap(data)
    scalars = options.get("scalars")
    name = scalars if isinstance(scalars, str) else data.active_scalars_name if scalars is None else "Data"
    if isinstance(scalars, str):
        values = pv.get_array(data, scalars, preference=options.get("preference", "point"), err=True)
    else:
        values = data.active_scalars if scalars is None else np.asarray(scalars)
    if values is None or not np.issubdtype(values.dtype, np.number):
        return None
    if values.ndim == 2:
        if data is not None and values.dtype == np.uint8 and options.get("opacity") is None:
            return None
        component = options.get("component")
        values = np.linalg.norm(values, axis=1) if component is None else values[:, component]
    finite = values[np.isfinite(values)]
    return _Range(name, (float(finite.min()), float(finite.max()))) if finite.size else None


def _sample_alike(actor: Any, told: _Range | None) -> None:
    """Let a volume's mapper take samples as far apart as those of all ranks."""
    mapper: Any = actor.GetMapper() if hasattr(actor, "GetMapper") else None
    if told is None or told.sample_distance is None or not hasattr(mapper, "SetSampleDistance"):
        return
    mapper.SetAutoAdjustSampleDistances(False)
    mapper.SetSampleDistance(told.sample_distance)
    for name in ("SetUseJittering", "SetInteractiveAdjustSampleDistances"):
        if hasattr(mapper, name):
            getattr(mapper, name)(False)
