"""Image files are read and written as premultiplied float32."""

from __future__ import annotations

import numpy as np
import OpenEXR
import pytest
import tifffile
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


def test_png_is_upright(tmp_path):
    values = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    exif = Pillow.Exif()
    exif[274] = 6  # the first row is the right column
    Pillow.fromarray(values).save(tmp_path / "a.png", exif=exif)
    expected = values.swapaxes(0, 1)[:, ::-1] / np.float32(255)
    np.testing.assert_array_equal(image_files.read(tmp_path / "a.png").pixels, expected)


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
    straight = np.array([[[1.0, 0.5, 0.0, 0.5]]], np.float32)
    tifffile.imwrite(tmp_path / "a.tif", straight, photometric="rgb", extrasamples=["unassalpha"])
    assert image_files.read(tmp_path / "a.tif").pixels.tolist() == [[[0.5, 0.25, 0.0, 0.5]]]


@pytest.mark.parametrize("dtype", [">f2", ">f4", ">f8", "u1", "<u2", ">u2"])
def test_npy_of_any_byte_order_is_read(tmp_path, pixels, dtype):
    most = np.iinfo(dtype).max if "u" in dtype else 1
    np.save(tmp_path / "a.npy", (pixels * most).astype(dtype))
    np.testing.assert_allclose(image_files.read(tmp_path / "a.npy").pixels, pixels, atol=1 / 255)


# ---- OpenEXR: windows, parts and layers


def window(x0, y0, x1, y1):
    return (np.array([x0, y0], np.int32), np.array([x1, y1], np.int32))


def part(name, channels, data=(0, 0, 4, 6), display=(0, 0, 4, 6)):
    header = {
        "name": name,
        "type": OpenEXR.scanlineimage,
        "compression": OpenEXR.ZIP_COMPRESSION,
        "dataWindow": window(*data),
        "displayWindow": window(*display),
    }
    channels = {key: np.ascontiguousarray(plane) for key, plane in channels.items()}
    return OpenEXR.Part(header, channels, name)


def planes(pixels, prefix="", names="RGBA"):
    return {prefix + name: pixels[..., index] for index, name in enumerate(names)}


@pytest.mark.parametrize("data", [(0, 0, 4, 6), (12, 20, 14, 22), (8, 19, 14, 27), (30, 30, 34, 36)])
def test_pixels_lie_where_the_data_window_says(tmp_path, pixels, data):
    display = (10, 20, 16, 24)
    inner = pixels[: data[3] - data[1] + 1, : data[2] - data[0] + 1]
    inner = np.pad(inner, [(0, n - m) for n, m in zip((9, 7, 4), inner.shape, strict=True)], "edge")
    inner = inner[: data[3] - data[1] + 1, : data[2] - data[0] + 1]
    OpenEXR.File([part("a", planes(inner) | {"Z": inner[..., 0]}, data, display)]).write(
        str(tmp_path / "a.exr")
    )
    found = image_files.read(tmp_path / "a.exr")
    expected, depth = np.zeros((5, 7, 4), np.float32), np.full((5, 7), np.inf, np.float32)
    for y, x in np.ndindex(5, 7):
        row, column = y + display[1] - data[1], x + display[0] - data[0]
        if 0 <= row < inner.shape[0] and 0 <= column < inner.shape[1]:
            expected[y, x], depth[y, x] = inner[row, column], inner[row, column, 0]
    np.testing.assert_array_equal(found.pixels, expected)
    np.testing.assert_array_equal(found.depth, depth)
    assert found.corner == (10, 20)
    cropped = not (data[0] >= 10 and data[1] >= 20 and data[2] <= 16 and data[3] <= 24)
    assert image_files.place(tmp_path / "a.exr") == image_files.Place((10, 20), cropped)
    image_files.write(tmp_path / "b.exr", found)
    assert image_files.place(tmp_path / "b.exr") == image_files.Place((10, 20))


def test_colours_without_alpha_are_opaque_in_their_data_window_alone(tmp_path, pixels):
    OpenEXR.File([part("a", planes(pixels[:2, :2], names="RGB"), (1, 1, 2, 2))]).write(
        str(tmp_path / "a.exr")
    )
    alpha = np.zeros((7, 5))
    alpha[1:3, 1:3] = 1
    np.testing.assert_array_equal(image_files.read(tmp_path / "a.exr").pixels[..., 3], alpha)


def test_colours_and_depth_are_found_in_parts_and_layers(tmp_path, pixels):
    path, z = tmp_path / "a.exr", pixels[..., 1]
    ids = np.zeros((7, 5), np.uint32)
    for parts in (
        [part("id", {"id": ids}), part("rgba", planes(pixels)), part("depth", {"Z": z})],
        [part("all", planes(pixels, "View.Combined.") | {"View.Depth.Z": z, "View.Diffuse.B": z})],
        [part("all", planes(pixels) | planes(pixels / 2, "diffuse.") | {"Z": z, "diffuse.Z": z / 2})],
    ):
        OpenEXR.File(parts).write(str(path))
        found = image_files.read(path)
        np.testing.assert_array_equal(found.pixels, pixels)
        np.testing.assert_array_equal(found.depth, z)
        np.testing.assert_array_equal(image_files.read_depth(path), z)
    found = image_files.read(path, layer="diffuse")
    np.testing.assert_array_equal(found.pixels, pixels / 2)
    np.testing.assert_array_equal(found.depth, z / 2)
    with pytest.raises(
        Error, match=r"no single layer specular with colours; its layers are all, all\.diffuse"
    ):
        image_files.read(path, layer="specular")


def test_one_of_several_layers_has_to_be_chosen(tmp_path, pixels):
    path = tmp_path / "a.exr"
    OpenEXR.File([part("left", planes(pixels)), part("right", planes(pixels / 2))]).write(str(path))
    with pytest.raises(
        Error, match=r"a.exr has colours in several layers: left, right; choose one with --layer"
    ):
        image_files.read(path)
    np.testing.assert_array_equal(image_files.read(path, layer="right").pixels, pixels / 2)


def test_grey_is_read_and_subsampled_channels_are_refused(tmp_path, pixels):
    path = tmp_path / "a.exr"
    OpenEXR.File([part("a", {"Y": pixels[..., 0]})]).write(str(path))
    np.testing.assert_array_equal(image_files.read(path).pixels, np.repeat(pixels[..., :1], 3, axis=2))
    channels = {name: OpenEXR.Channel(name, np.zeros((3, 2), np.float32), 2, 2) for name in "RGB"}
    header = {"type": OpenEXR.scanlineimage, "compression": OpenEXR.ZIP_COMPRESSION}
    header |= {"dataWindow": window(0, 0, 3, 5), "displayWindow": window(0, 0, 3, 5)}
    OpenEXR.File(header, channels).write(str(path))
    with pytest.raises(
        Error, match=r"a.exr: its channel R has one value per 2x2 pixels; expected one per pixel"
    ):
        image_files.read(path)


@pytest.mark.parametrize("name", ["Z", "depth.Z", "V"])
def test_a_depth_plane_needs_no_colours(tmp_path, pixels, name):
    OpenEXR.File([part("a", {name: pixels[:3, :3, 0]}, (1, 1, 3, 3))]).write(str(tmp_path / "z.exr"))
    expected = np.full((7, 5), np.inf)
    expected[1:4, 1:4] = pixels[:3, :3, 0]
    np.testing.assert_array_equal(image_files.read_depth(tmp_path / "z.exr"), expected)


def test_one_of_several_depth_planes_is_chosen_by_its_layer(tmp_path, pixels):
    path, z = tmp_path / "z.exr", pixels[..., 0]
    OpenEXR.File([part("near", {"Z": z}), part("far", {"Z": z + 1})]).write(str(path))
    with pytest.raises(Error, match=r"z.exr has Z in several layers: near, far; choose one with --layer"):
        image_files.read_depth(path)
    np.testing.assert_array_equal(image_files.read_depth(path, layer="far"), z + 1)
    image_files.write(tmp_path / "a.exr", Image(pixels, z))
    np.testing.assert_array_equal(image_files.read_depth(tmp_path / "a.exr", layer="far"), z)


def test_what_openexr_prints_about_damage_becomes_the_error(tmp_path, pixels, capfd):
    image_files.write(tmp_path / "a.exr", Image(pixels))
    content = (tmp_path / "a.exr").read_bytes()
    (tmp_path / "a.exr").write_bytes(content[:-200])
    with pytest.raises(Error, match=r"cannot read .*a.exr as exr: its pixels are damaged \(.*part 0.*\)"):
        image_files.read(tmp_path / "a.exr")
    assert capfd.readouterr() == ("", "")


# ---- TIFF


@pytest.mark.parametrize("orientation", range(9))
def test_tiff_is_upright(tmp_path, orientation):
    values = np.random.default_rng(7).integers(0, 256, (3, 5, 3), np.uint8)
    tags = [(274, "H", 1, orientation, True)]
    tifffile.imwrite(tmp_path / "a.tif", values, photometric="rgb", extratags=tags)
    with Pillow.open(tmp_path / "a.tif") as picture:
        picture.load()  # which turns it
        expected = np.asarray(picture) / np.float32(255)
    np.testing.assert_array_equal(image_files.read(tmp_path / "a.tif").pixels, expected)


def grey_of(pixels):
    return np.repeat(pixels[..., :1], 3, axis=2)


@pytest.mark.parametrize("dtype", ["u1", ">u2", "u4", "f2", ">f4", "f8"])
@pytest.mark.parametrize("kind", ["planes", "five", "grey", "grey alpha", "white", "tiles"])
def test_tiff_of_every_layout_is_read(tmp_path, pixels, kind, dtype):
    if "u" in dtype:
        pixels = np.rint(pixels)
    values = (pixels.astype(float) * (np.iinfo(dtype).max if "u" in dtype else 1)).astype(dtype)
    expected = pixels.astype(dtype).astype(np.float32)
    options = {"photometric": "rgb", "planarconfig": "contig", "extrasamples": ["assocalpha"]}
    if kind == "planes":
        values = np.ascontiguousarray(np.moveaxis(values, 2, 0))
        options["planarconfig"] = "separate"
    elif kind == "five":
        values = np.concatenate([values[..., :3], values[..., :1], values[..., 3:]], axis=2)
        options["extrasamples"] = ["unspecified", "assocalpha"]
    elif kind == "tiles":
        options |= {"tile": (16, 16), "compression": "zlib"}
    elif kind == "grey alpha":
        values, options["photometric"] = values[..., [0, 3]], "minisblack"
        expected = np.concatenate([grey_of(expected), expected[..., 3:]], axis=2)
    else:
        values, options = values[..., 0], {"photometric": "miniswhite"} if kind == "white" else {}
        expected = 1 - grey_of(expected) if kind == "white" else grey_of(expected)
    tifffile.imwrite(tmp_path / "a.tif", values, **options)
    np.testing.assert_allclose(image_files.read(tmp_path / "a.tif").pixels, expected, atol=1e-6)


def test_a_mask_that_tifffile_wrote_stays_as_it_is(tmp_path, pixels):
    tifffile.imwrite(tmp_path / "a.tif", pixels[..., 0] > 0.5)
    np.testing.assert_array_equal(image_files.read(tmp_path / "a.tif").pixels, grey_of(pixels > 0.5))


@pytest.mark.parametrize(
    "compression", [None, "tiff_lzw", "jpeg", "packbits", "tiff_adobe_deflate", "group4"]
)
@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "CMYK"])
def test_tiff_is_read_as_pillow_reads_it(tmp_path, mode, compression):
    if (compression == "group4") != (mode == "1") or (compression == "jpeg" and mode in ("P", "RGBA")):
        pytest.skip("such files are not written")
    values = np.random.default_rng(8).integers(0, 256, (16, 24, 3), np.uint8)
    path = tmp_path / "a.tif"
    Pillow.fromarray(values).convert(mode).save(path, compression=compression)
    if mode == "CMYK":
        with pytest.raises(Error, match=r"a.tif holds SEPARATED samples; expected grey, palette or RGB"):
            image_files.read(path)
        return
    with Pillow.open(path) as picture:
        expected = np.asarray(picture.convert("RGBA" if mode == "RGBA" else "RGB")) / np.float32(255)
    found = image_files.read(path).pixels
    np.testing.assert_allclose(found, image_files.premultiplied(expected), atol=1.01 / 255)


def test_tiff_may_have_a_palette_of_two_colours(tmp_path):
    mask = np.random.default_rng(9).random((5, 11)) > 0.5
    table = [0, 9, 65535, 0, 0, 65535]
    tifffile.imwrite(
        tmp_path / "a.tif", mask, extratags=[(320, "H", 6, table, True)], photometric="minisblack"
    )
    with tifffile.TiffFile(tmp_path / "a.tif", mode="r+") as file:
        file.pages[0].tags["PhotometricInterpretation"].overwrite(tifffile.PHOTOMETRIC.PALETTE)
    expected = np.array([[0, 1, 0], [9 / 65535, 0, 1]], np.float32)[mask.astype(int)]
    np.testing.assert_allclose(image_files.read(tmp_path / "a.tif").pixels, expected, atol=1e-6)


def test_tiff_of_other_kinds_is_refused_by_name(tmp_path):
    path = tmp_path / "a.tif"
    rgb = np.zeros((2, 4, 6, 3), np.uint8)
    for values, options, message in (
        (rgb, {"photometric": "rgb"}, "a.tif holds 2 images; expected one"),
        (rgb[0, ..., 0].astype(np.int16), {}, "a.tif holds samples of int16; expected floats or unsigned"),
        (np.zeros((4, 6, 5), np.uint8), {"photometric": "rgb", "planarconfig": "contig"}, "marked as alpha"),
        (rgb[0], {"photometric": "rgb", "extratags": [(274, "H", 1, 11, True)]}, "its orientation is 11"),
    ):
        tifffile.imwrite(path, values, **options)
        with pytest.raises(Error, match=message):
            image_files.read(path)


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
