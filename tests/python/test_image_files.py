"""Image files are read and written as premultiplied float32."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image as Pillow

from sortlast import Error, image_files
from sortlast.image_files import Image

SUFFIXES = ["png", "npy", "exr", "tif"]


@pytest.fixture
def pixels():
    """Premultiplied RGBA, (7, 5, 4), with some pixels empty and some opaque."""
    random = np.random.default_rng(3)
    straight = random.random((7, 5, 4), dtype=np.float32)
    straight[0, :, 3], straight[1, :, 3] = 0, 1
    return image_files.premultiplied(straight)


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read_again(tmp_path, pixels, suffix, channels):
    path = tmp_path / f"image.{suffix}"
    image_files.write(path, Image(pixels[..., :channels]))
    # A png rounds straight colour and alpha to 8 bits: half a step each, and both are multiplied.
    tolerance = 1.01 / 255 if suffix == "png" else 0
    np.testing.assert_allclose(image_files.read(path).pixels, pixels[..., :channels], atol=tolerance, rtol=0)


def test_png_has_straight_alpha(tmp_path):
    Pillow.fromarray(np.array([[[200, 100, 0, 51]]], np.uint8)).save(tmp_path / "a.png")
    read = image_files.read(tmp_path / "a.png").pixels
    np.testing.assert_allclose(read[0, 0], np.array([200, 100, 0, 255]) / 255 * 0.2, rtol=1e-6)
    image_files.write(tmp_path / "b.png", Image(read))
    assert np.asarray(Pillow.open(tmp_path / "b.png")).tolist() == [[[200, 100, 0, 51]]]


def test_every_8_bit_colour_survives_a_round_trip(tmp_path):
    colours = np.stack(np.meshgrid(np.arange(256), np.arange(1, 256)), axis=2).astype(np.uint8)
    straight = np.concatenate([colours[..., :1]] * 3 + [colours[..., 1:]], axis=2)
    Pillow.fromarray(straight).save(tmp_path / "a.png")
    image_files.write(tmp_path / "b.png", image_files.read(tmp_path / "a.png"))
    np.testing.assert_array_equal(np.asarray(Pillow.open(tmp_path / "b.png")), straight)


def test_values_out_of_range_are_clipped_in_png(tmp_path):
    bright = np.array([[[1.5, -1.0, np.nan]]], np.float32)
    image_files.write(tmp_path / "a.png", Image(bright))
    assert np.asarray(Pillow.open(tmp_path / "a.png")).tolist() == [[[255, 0, 0]]]


def test_depth_travels_in_exr(tmp_path, pixels):
    depth = np.linspace(0, 1, 35, dtype=np.float32).reshape(7, 5)
    depth[2, 2] = np.inf
    image_files.write(tmp_path / "a.exr", Image(pixels, depth))
    np.testing.assert_array_equal(image_files.read(tmp_path / "a.exr").depth, depth)
    np.testing.assert_array_equal(image_files.read_depth(tmp_path / "a.exr"), depth)
    np.save(tmp_path / "z.npy", depth.astype(np.float64))
    np.testing.assert_array_equal(image_files.read_depth(tmp_path / "z.npy"), depth)


def test_npy_of_doubles_is_read_as_floats(tmp_path, pixels):
    np.save(tmp_path / "a.npy", np.asfortranarray(pixels.astype(np.float64)))
    np.testing.assert_array_equal(image_files.read(tmp_path / "a.npy").pixels, pixels)


def test_tiff_with_straight_alpha_is_premultiplied(tmp_path):
    tifffile = pytest.importorskip("tifffile")
    straight = np.array([[[1.0, 0.5, 0.0, 0.5]]], np.float32)
    tifffile.imwrite(tmp_path / "a.tif", straight, photometric="rgb", extrasamples=["unassalpha"])
    assert image_files.read(tmp_path / "a.tif").pixels.tolist() == [[[0.5, 0.25, 0.0, 0.5]]]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_is_no_image_is_named(tmp_path, suffix):
    path = tmp_path / f"junk.{suffix}"
    path.write_bytes(b"no image")
    with pytest.raises(Error, match=rf"cannot read .*junk\.{suffix}"):
        image_files.read(path)


def test_other_shapes_types_and_suffixes_are_refused(tmp_path):
    np.save(tmp_path / "flat.npy", np.zeros((4, 4), np.float32))
    np.save(tmp_path / "whole.npy", np.zeros((4, 4, 4), np.int64))
    Pillow.fromarray(np.zeros((4, 4), np.uint16)).save(tmp_path / "deep.png")
    for name, message in (
        ("flat.npy", r"shape \(4, 4\); expected"),
        ("whole.npy", "holds int64; expected float64, float32"),
        ("deep.png", "16 bits a channel; convert"),
        ("image.jpg", "known are png, npy, exr, tif"),
        ("missing.png", "No such file"),
    ):
        with pytest.raises(Error, match=message) as failure:
            image_files.read(tmp_path / name)
        assert name in str(failure.value)
    with pytest.raises(Error, match="expected a depth plane"):
        image_files.read_depth(tmp_path / "whole.npy")


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "OpenEXR", None)  # what an absent package imports as
    with pytest.raises(Error, match=r'needs the package OpenEXR: pip install "sortlast\[files\]"'):
        image_files.check_writable(tmp_path / "a.exr")
