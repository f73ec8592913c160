"""Blocks of a volume: how it is split, read and rendered, and that the pieces make the whole."""

from __future__ import annotations

from pathlib import Path

import nibabel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vtkmodules.vtkIOLegacy import vtkStructuredPointsWriter
from vtkmodules.vtkIOXML import vtkXMLImageDataWriter

from depth_order import front_to_back
from sortlast import Error, render
from sortlast.render import window
from sortlast.render.blocks import GHOSTS, Block
from sortlast.render.surface import SurfaceRenderer
from sortlast.render.volume import VolumeRenderer, image_data

SIZE = (120, 90)


# ---- splitting


@given(st.tuples(*[st.integers(17, 60)] * 3), st.integers(1, 33))
def test_blocks_cover_the_volume_and_share_their_faces(shape, p):
    blocks = render.split(shape, (1.0, 1.0, 1.0), p)
    assert len(blocks) == p
    cells = np.zeros([n - 1 for n in shape], int)
    for block in blocks:
        cells[tuple(slice(a, b) for a, b in zip(block.lower, block.upper, strict=True))] += 1
    assert (cells == 1).all()


@pytest.mark.parametrize(("shape", "p"), [((2, 2, 2), 2), ((3, 2, 2), 3), ((9, 9, 9), 0)])
def test_what_cannot_be_split_is_an_error(shape, p):
    with pytest.raises(Error, match="cannot split"):
        render.split(shape, (1.0, 1.0, 1.0), p)


def test_ghosts_are_the_neighbours_voxels_and_repeat_the_border():
    voxels = np.random.default_rng(1).random((5, 6, 7), np.float32)
    block = render.cut(voxels, Block((0, 2, 3), (2, 4, 6)))
    np.testing.assert_array_equal(block[1:, :, :-1], voxels[0:4, 1:6, 2:7])
    np.testing.assert_array_equal(block[0], block[1])
    np.testing.assert_array_equal(block[:, :, -1], block[:, :, -2])


# ---- reading


def volume() -> np.ndarray:
    """A ball of values 0 to 200 that touches no border, not cubic."""
    x, y, z = np.ogrid[-1:1:18j, -1:1:20j, -1:1:22j]
    return np.clip(300 - 400 * np.sqrt(x * x + y * y + z * z), 0, 200).astype(np.uint8)


def write(kind: str, folder: Path) -> str:
    voxels, path = volume(), folder / f"ball.{kind}"
    if kind.startswith("nii"):
        nibabel.save(nibabel.Nifti1Image(voxels, np.diag([2.0, 1.0, 1.0, 1.0])), path)
    elif kind == "raw":
        path.write_bytes(voxels.astype(">u2").tobytes(order="F"))
        return f"{path}:18x20x22:>u2"
    else:
        inner = Block((GHOSTS,) * 3, tuple(n - 1 - GHOSTS for n in voxels.shape))
        writer = vtkXMLImageDataWriter() if kind == "vti" else vtkStructuredPointsWriter()
        writer.SetInputData(image_data(voxels, inner, (2.0, 1.0, 1.0)))
        writer.SetFileName(str(path))
        writer.Write()
    return str(path)


@pytest.mark.parametrize("kind", ["nii", "nii.gz", "vti", "vtk", "raw"])
def test_every_format_gives_the_same_voxels(kind, tmp_path):
    read = render.load(write(kind, tmp_path))
    values = volume()
    occupied = np.argwhere(values > 200 * read.threshold / 2)
    low, high = occupied.min(axis=0) - 2, occupied.max(axis=0) + 3
    expected = values[tuple(slice(max(a, 0), b) for a, b in zip(low, high, strict=True))] / 200
    np.testing.assert_allclose(read.voxels, expected, atol=1e-6)
    assert read.spacing == ((1.0, 1.0, 1.0) if kind == "raw" else (2.0, 1.0, 1.0))


def test_what_is_not_a_number_counts_as_the_minimum(tmp_path):
    values = volume().astype(np.float32)
    values[volume() == 0] = np.nan
    values[9, 10, 11] = np.inf
    (tmp_path / "ball.raw").write_bytes(values.tobytes(order="F"))
    read = render.load(f"{tmp_path}/ball.raw:18x20x22:float32")
    assert np.isfinite(read.voxels).all()
    assert read.voxels.max() == 1


@pytest.mark.parametrize("name", ["mni152", "hydrogen"])
def test_named_volumes_are_normalised(name):
    read = render.load(name)
    assert read.voxels.dtype == np.float32
    assert (read.voxels.min(), read.voxels.max()) == (0, 1)
    assert 0.1 < read.threshold < 0.6
    assert 0 < read.radius <= np.linalg.norm(np.multiply(read.voxels.shape, read.spacing)) / 2


@pytest.mark.parametrize(
    ("source", "contents", "message"),
    [
        ("no-such-volume", None, r"expected a name \(mni152, .*\) or a file"),
        ("a.txt", b"text", r"unknown format '.txt'; expected NIfTI"),
        ("a.raw", b"1234", r"a raw file needs its dimensions"),
        ("a.raw:2x2:uint8", b"1234", r"expected FILE:XxYxZ:DTYPE"),
        ("a.raw:2x2xtwo:uint8", b"1234", r"expected FILE:XxYxZ:DTYPE"),
        ("a.raw:2x2x2:colour", b"1234", r"expected FILE:XxYxZ:DTYPE"),
        ("a.raw:2x2x2:complex64", b"1234", r"expected FILE:XxYxZ:DTYPE"),
        ("a.raw:2x2x2:uint8", b"1234", r"4 bytes, but 2x2x2 of uint8 are 8 bytes"),
        ("b.raw:2x2x2:uint8", None, r"b.raw: no such file"),
        ("a.raw:1x2x2:uint8", b"1234", r"at least 2x2x2 voxels, got shape \(1, 2, 2\)"),
        ("a.raw:2x2x2:uint8", b"77777777", r"all voxels have the same value"),
        ("a.nii", b"1234", r"cannot read a.nii as NIfTI"),
        ("a.vti", b"1234", r"not an XML image"),
        ("a.vtk", b"1234", r"not a legacy file of structured points"),
    ],
)
def test_wrong_data_says_what_was_expected(source, contents, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if contents is not None:
        Path(source.split(":")[0]).write_bytes(contents)
    with pytest.raises(Error, match=message):
        render.load(source)


# ---- rendering


def over(images: list[np.ndarray]) -> np.ndarray:
    """Composite premultiplied images, front first."""
    front = np.zeros_like(images[0])
    for image in images:
        front = front + (1 - front[..., 3:]) * image
    return front


@pytest.fixture(scope="module")
def brain():
    return render.load("mni152")


def whole(read) -> Block:
    return render.split(read.voxels.shape, read.spacing, 1)[0]


def camera(read, azimuth=60.0, elevation=28.0):
    return render.Camera.orbit(whole(read).bounds(read.spacing), read.radius, azimuth, elevation)


PARTS = [2, 5]


def render_blocks(kind, read, view, blocks, size=SIZE):
    images = []
    for block in blocks:
        renderer = kind(render.cut(read.voxels, block), block, read.spacing, read.threshold, size)
        images.append(renderer.render(view))
    return images


@pytest.mark.parametrize("p", PARTS)
@pytest.mark.parametrize("azimuth", [60.0, 215.0])
def test_volume_blocks_composite_to_the_whole(brain, p, azimuth):
    view = camera(brain, azimuth)
    (expected,) = render_blocks(VolumeRenderer, brain, view, [whole(brain)])
    blocks = render.split(brain.voxels.shape, brain.spacing, p)
    images = render_blocks(VolumeRenderer, brain, view, blocks)
    order = front_to_back([block.bounds(brain.spacing) for block in blocks], view.eye)
    assert np.abs(over([images[i] for i in order]) - expected).max() < 0.1 / 255
    assert np.abs(over([images[i] for i in reversed(order)]) - expected).max() > 20 / 255


def test_volume_images_are_premultiplied_and_finer_than_8_bits(brain):
    (image,) = render_blocks(VolumeRenderer, brain, camera(brain), [whole(brain)])
    assert image.shape == (SIZE[1], SIZE[0], 4)
    assert image.dtype == np.float32
    assert image.flags.c_contiguous
    assert (image[0, 0] == 0).all()
    assert image[SIZE[1] // 2, SIZE[0] // 2, 3] > 0.95
    assert (image >= 0).all()
    assert (image[..., :3] <= image[..., 3:] + 1e-6).all()
    assert len(np.unique(image[..., 3])) > 1000


@pytest.mark.parametrize("p", PARTS)
def test_surface_blocks_composite_to_the_whole(brain, p):
    view = camera(brain)
    ((expected, expected_depth),) = render_blocks(SurfaceRenderer, brain, view, [whole(brain)])
    blocks = render.split(brain.voxels.shape, brain.spacing, p)
    pairs = render_blocks(SurfaceRenderer, brain, view, blocks)
    depths = np.stack([depth for _, depth in pairs])
    nearest = depths.argmin(axis=0)
    image = np.take_along_axis(np.stack([i for i, _ in pairs]), nearest[None, ..., None], axis=0)[0]
    np.testing.assert_array_equal(depths.min(axis=0), expected_depth)
    assert (np.abs(image - expected).max(axis=-1) > 2 / 255).mean() < 1e-3


def test_surface_depth_is_infinite_off_the_surface(brain):
    ((image, depth),) = render_blocks(SurfaceRenderer, brain, camera(brain), [whole(brain)])
    covered = image[..., 3] == 1
    assert 0.3 < covered.mean() < 0.9
    assert np.isinf(depth[~covered]).all()
    assert ((depth[covered] > 0) & (depth[covered] < 1)).all()
    assert (image[~covered] == 0).all()


def test_a_block_off_the_surface_renders_nothing():
    empty = np.zeros((6, 6, 6), np.float32)
    block = Block((0, 0, 0), (3, 3, 3))
    view = render.Camera.orbit(block.bounds((1.0, 1.0, 1.0)), 3.0, 0.0, 0.0)
    image, depth = SurfaceRenderer(empty, block, (1.0, 1.0, 1.0), 0.5, (9, 7)).render(view)
    assert (image == 0).all()
    assert np.isinf(depth).all()
    assert (VolumeRenderer(empty, block, (1.0, 1.0, 1.0), 0.5, (9, 7)).render(view) == 0).all()


def test_without_osmesa_the_error_says_what_to_install(monkeypatch):
    monkeypatch.delenv(window.WINDOW_CLASS, raising=False)
    monkeypatch.setattr(window, "OSMESA", ("libOSMesa-that-is-not-there.so",))
    with pytest.raises(Error, match="apt-get install libosmesa6"):
        render.check_offscreen()
