"""Compositing in one process: the oracle, and the execution of a schedule without MPI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sortlast import _arrays, _box_images, _core
from sortlast._errors import ArgumentError
from sortlast._frame import Frame
from sortlast.schedule import Schedule


def _pictures(
    images: Sequence[object | None], depths: Sequence[object | None] | None, op: str
) -> tuple[list[_arrays.Picture | None], _arrays.Picture]:
    """Check all images; the second result is one of them, for their common shape."""
    if depths is not None and len(depths) != len(images):
        raise ArgumentError(f"{len(depths)} depths for {len(images)} images; expected one for each")
    pictures: list[_arrays.Picture | None] = []
    for rank, image in enumerate(images):
        depth = None if depths is None or image is None else depths[rank]
        picture = None if image is None else _arrays.picture(image, depth)
        if op == "closest" and picture is not None:
            _arrays.check_depth(picture.depth)
        pictures.append(picture)
    present = [(rank, picture) for rank, picture in enumerate(pictures) if picture is not None]
    if not present:
        raise ArgumentError("all images are None; expected at least one")
    first_rank, first = present[0]
    for rank, picture in present:
        if _kind(picture) != _kind(first):
            kinds = f"image {rank} is {_kind(picture)}, but image {first_rank} is {_kind(first)}"
            raise ArgumentError(f"{kinds}; expected images of one kind")
    return pictures, first


def _kind(picture: _arrays.Picture) -> str:
    depth = " with depth" if picture.has_depth else ""
    return f"{picture.height}x{picture.width}x{picture.channels} {picture.scalar}{depth}"


def _arguments(pictures: list[_arrays.Picture | None], first: _arrays.Picture) -> dict[str, Any]:
    """Convert pictures for the extension module."""
    return {
        "colours": [p and p.colour for p in pictures],
        "depths": [p and p.depth for p in pictures],
        "height": first.height,
        "width": first.width,
        "channels": first.channels,
        "scalar": first.scalar,
        "depth": first.has_depth,
    }


def composite_serial(
    images: Sequence[object | None],
    depths: Sequence[object | None] | None = None,
    op: str = "over",
    order: Sequence[int] | None = None,
    background: Sequence[float] | None = None,
) -> Frame:
    """Composite images one after the other from front to back: the reference for every parallel result.

    Args:
        images: arrays (H, W, C), premultiplied, float32, float16 or uint8; None for missing images.
        depths: planes (H, W) of float32, one per image.
        op: over, closest, add, max or min.
        order: indices of the images from front to back; None is 0, 1, ...
        background: one value per channel, premultiplied (0..1 for uint8 images).

    Returns:
        The frame, computed in float32 and rounded once (and again with a background); it has a depth if there
        are ``depths``.

    Raises:
        ArgumentError: an invalid argument; the message gives the expected value.
    """
    pictures, first = _pictures(images, depths, op)
    colour, depth = _core.composite_serial(
        **_arguments(pictures, first),
        op=_arrays.text(op, "op"),
        order=_arrays.ranks(order, "order"),
        background=_arrays.colours(background, "background"),
    )
    return Frame(colour, depth)


def composite_layers_serial(
    images: Sequence[object],
    positions: Sequence[int],
    shape: Sequence[int],
    *,
    boxes: Sequence[Sequence[int]] | None = None,
    depths: Sequence[object] | None = None,
    op: str = "over",
    background: Sequence[float] | None = None,
) -> Frame:
    """Composite images of boxes of a frame: the reference for :meth:`Compositor.composite_layers`.

    Args:
        images: list of the arrays (height, width, C) of all ranks, premultiplied, float32, float16 or uint8;
            at least one. An image contributes nothing outside its box.
        positions: places of the images in depth, lower ones in front: unique whole numbers.
        shape: (height, width) of the frame in pixels.
        boxes: (x0, y0, x1, y1) of each image, half open, in pixels of the frame; None: each image is of the
            whole frame.
        depths: list of planes (height, width) of float32, one per image.
        op: over, closest, add, max or min.
        background: one value per channel, premultiplied (0..1 for uint8 images).

    Returns:
        The same as :func:`composite_serial`.

    Raises:
        ArgumentError: an invalid argument; the message gives the expected value.
    """
    layers = _box_images.box_images(images, depths, positions, shape, boxes)
    if not layers.colours:
        raise ArgumentError("there are no images; expected at least one")
    pictures = [layers.picture(index) for index in range(len(layers.colours))]
    first = pictures[0]
    for index, picture in enumerate(pictures):
        if (picture.channels, picture.scalar, picture.has_depth) != (
            first.channels,
            first.scalar,
            first.has_depth,
        ):
            raise ArgumentError(
                f"image {index} is {_kind(picture)}, but image 0 is {_kind(first)}; expected one kind"
            )
    whole = [[0, 0, layers.width, layers.height]] * len(pictures)
    colour, depth = _core.composite_boxes_serial(
        [picture.colour for picture in pictures],
        [picture.depth for picture in pictures],
        layers.positions.tolist(),
        whole if layers.boxes is None else layers.boxes.tolist(),
        layers.height,
        layers.width,
        first.channels,
        first.scalar,
        first.has_depth,
        _arrays.text(op, "op"),
        _arrays.colours(background, "background"),
    )
    return Frame(colour, depth)


def execute_serial(
    schedule: Schedule,
    images: Sequence[object | None],
    depths: Sequence[object | None] | None = None,
    op: str = "over",
    seed: int = 0,
) -> Frame:
    """Run a schedule in one thread, without MPI, with image r as the image of rank r.

    ``seed`` determines the order in which messages arrive; it never changes a bit of the result. The other
    arguments are the same as in :func:`composite_serial`; the depth order is the schedule's.
    """
    pictures, first = _pictures(images, depths, op)
    colour, depth = _core.execute_serial(
        schedule, **_arguments(pictures, first), op=_arrays.text(op, "op"), seed=seed
    )
    return Frame(colour, depth)
