"""Deep images: OpenEXR files of deep scan lines, by themselves and composited by the command."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import chain

import numpy as np
import OpenEXR
import pytest

import openexr_pixels
from commands import run as command
from deep_images import HEIGHT, WIDTH, fragments, further
from sortlast import Error, Fragments, deep_files, image_files
from test_image_files import part, planes, window


def same(one, other):
    assert one.shape == other.shape
    for name in ("counts", "colour", "depth", "depth_back"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.channels or {}).keys() == (other.channels or {}).keys()
    for name, values in (one.channels or {}).items():
        np.testing.assert_array_equal(values, other.channels[name])
        assert values.dtype == other.channels[name].dtype


def pixels_of(path):
    """[(depth, colour), ...] of each pixel, as the package OpenEXR reads them."""
    with OpenEXR.File(str(path), separate_channels=True) as file:
        planes = {name: channel.pixels.ravel() for name, channel in file.parts[0].channels.items()}
    for pixel in range(len(planes["Z"])):
        lists = [planes[name][pixel] for name in "RGBAZ"]
        yield [] if lists[0] is None else [(z, np.array(rgba)) for *rgba, z in zip(*lists, strict=True)]


def test_fragments_return(tmp_path):
    for made in (
        fragments(1),
        fragments(2, most=30),
        further(3),
        Fragments.empty((4, 5), intervals=True),
        Fragments.empty((4, 5)),
    ):
        deep_files.write(tmp_path / "a.exr", made)
        assert deep_files.is_deep(tmp_path / "a.exr")
        same(deep_files.read(tmp_path / "a.exr"), made)

        # The package by itself finds the same.
        found = list(pixels_of(tmp_path / "a.exr"))
        assert [len(each) for each in found] == made.counts.ravel().tolist()
        flat = list(chain(*found))
        assert [z for z, _ in flat] == made.depth.tolist()
        assert [rgba.tolist() for _, rgba in flat] == made.colour.tolist()


def test_what_others_write_is_read(tmp_path):
    """Half floats, no alpha, further channels."""
    lists = np.empty((1, 2), object)
    lists[0, 1] = np.array([0.25, 0.5], np.float16)
    channels = dict.fromkeys(("R", "G", "B", "Z", "ZBack", "id"), lists)
    path = tmp_path / "a.exr"
    OpenEXR.File({"type": OpenEXR.deepscanline, "compression": OpenEXR.ZIPS_COMPRESSION}, channels).write(
        str(path)
    )
    found = deep_files.read(path)
    assert found.counts.tolist() == [[0, 2]]
    assert found.colour.tolist() == [[0.25, 0.25, 0.25, 1], [0.5, 0.5, 0.5, 1]]
    assert found.depth.tolist() == [0.25, 0.5]
    assert found.depth_back is None  # ends where it begins
    assert found.channels["id"].tolist() == [0.25, 0.5]
    assert found.channels["id"].dtype == np.float32


def test_ends_in_front_and_names_that_are_taken_are_refused(tmp_path):
    made = further(4)
    with pytest.raises(Error, match="has the name Z, which is taken"):
        deep_files.write(tmp_path / "a.exr", replace(made, channels={"Z": made.depth}))
    with pytest.raises(Error, match="has the name ZBack, which is taken"):
        deep_files.write(
            tmp_path / "a.exr", replace(made, depth_back=None, channels={"ZBack": made.depth + 1})
        )
    pairs = np.stack([made.depth, made.depth], axis=1)
    for channels in ({"v": pairs, "v.0": made.depth}, {"v.0": made.depth, "v": pairs}):
        with pytest.raises(Error, match=r"has the name v\.0, which is taken"):
            deep_files.write(tmp_path / "a.exr", replace(made, channels=channels))
    deep_files.write(tmp_path / "a.exr", replace(made, depth_back=made.depth - 1))
    with pytest.raises(Error, match=r"a\.exr has fragments whose ZBack lies in front"):
        deep_files.read(tmp_path / "a.exr")


def test_channels_of_several_values_become_several(tmp_path):
    made = fragments(5)
    velocity = np.random.default_rng(5).random((len(made.depth), 3), np.float32)
    deep_files.write(tmp_path / "a.exr", replace(made, channels={"v": velocity}))
    found = deep_files.read(tmp_path / "a.exr").channels
    for axis in range(3):
        assert found[f"v.{axis}"].tolist() == velocity[:, axis].tolist()


def test_channels_without_fragments_are_written(tmp_path):
    """Of one value and of several, as a rank without fragments has them."""
    path = tmp_path / "a.exr"
    deep_files.write(path, Fragments.empty((3, 2), channels={"id": np.uint32, "v": (np.float32, 2)}))
    found = deep_files.read(path)
    assert (found.shape, found.counts.sum()) == ((3, 2), 0)
    assert {name: values.shape for name, values in found.channels.items()} == {
        "id": (0,),
        "v.0": (0,),
        "v.1": (0,),
    }


def test_colours_of_bytes_are_written_as_parts_of_1(tmp_path):
    made = fragments(6)
    colour = np.random.default_rng(6).integers(0, 256, made.colour.shape, np.uint8)
    deep_files.write(tmp_path / "a.exr", replace(made, colour=colour))
    found = deep_files.read(tmp_path / "a.exr").colour
    np.testing.assert_array_equal(found, colour.astype(np.float32) / np.float32(255))


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("first", [(0, 0), (3, -1), (-2, 1), (40, 40)])
def test_fragments_lie_where_the_data_window_says(tmp_path, first, several):
    """In a display window of the same size; in a part behind another, too."""
    made = fragments(9)
    path, (left, top) = tmp_path / "a.exr", first
    deep_files.write(path, made)
    with OpenEXR.File(str(path), separate_channels=True) as file:
        channels = {name: channel.pixels for name, channel in file.parts[0].channels.items()}
    header = {"type": OpenEXR.deepscanline, "compression": OpenEXR.ZIPS_COMPRESSION}
    header["dataWindow"] = window(left, top, left + WIDTH - 1, top + HEIGHT - 1)
    header["displayWindow"] = window(0, 0, WIDTH - 1, HEIGHT - 1)
    display = (0, 0, WIDTH - 1, HEIGHT - 1)
    flat = part("ids", {"id": np.zeros((HEIGHT, WIDTH), np.uint32)}, display, display)
    parts = [flat] if several else []
    OpenEXR.File([*parts, OpenEXR.Part(header, channels, "deep")]).write(str(path))
    assert deep_files.is_deep(path)
    found = deep_files.read(path)

    expected = np.zeros((HEIGHT, WIDTH), np.int32)
    kept = []
    for (y, x), count in np.ndenumerate(made.counts):
        inside = 0 <= y + top < HEIGHT and 0 <= x + left < WIDTH
        kept += [inside] * count
        if inside:
            expected[y + top, x + left] = count
    np.testing.assert_array_equal(found.counts, expected)
    np.testing.assert_array_equal(found.colour, made.colour[kept])
    np.testing.assert_array_equal(found.depth, made.depth[kept])


def test_other_files_are_refused(tmp_path):
    flat = tmp_path / "flat.exr"
    image_files.write(flat, image_files.Image(np.zeros((3, 4, 4), np.float32)))
    assert not deep_files.is_deep(flat)
    assert not deep_files.is_deep(tmp_path / "a.png")
    with pytest.raises(Error, match="no deep scan lines"):
        deep_files.read(flat)
    deep = tmp_path / "deep.exr"
    deep_files.write(deep, fragments(3))
    with pytest.raises(Error, match="deep image"):
        image_files.read(deep)
    with pytest.raises(Error, match="the limit of"):
        deep_files.read(deep, 1000)
    with pytest.raises(Error, match="written as exr"):
        deep_files.write(tmp_path / "a.png", fragments(3))
    with pytest.raises(Error, match="without pixels"):
        deep_files.write(tmp_path / "a.exr", Fragments.empty((3, 0)))
    no_depth = tmp_path / "no.exr"
    channels = {name: np.full((1, 1), None, object) for name in "RGBA"}
    channels["R"][0, 0] = channels["G"][0, 0] = channels["B"][0, 0] = channels["A"][0, 0] = np.ones(
        1, np.float32
    )
    OpenEXR.File({"type": OpenEXR.deepscanline, "compression": OpenEXR.ZIPS_COMPRESSION}, channels).write(
        str(no_depth)
    )
    with pytest.raises(Error, match=r"expected R, G, B, Z"):
        deep_files.read(no_depth)


def test_damaged_files_are_errors(tmp_path):
    path = tmp_path / "a.exr"
    deep_files.write(path, fragments(4))
    whole = path.read_bytes()
    random = np.random.default_rng(5)
    for trial in range(60):
        bad = bytearray(whole)
        if trial % 2:
            del bad[random.integers(1, len(bad)) :]
        else:
            bad[random.integers(len(bad))] ^= 0xFF
        path.write_bytes(bad)
        with suppress(Error):
            deep_files.read(path)


@pytest.mark.mpi
def test_the_command_equals_an_independent_reader(tmp_path):
    files = [tmp_path / f"{name}.exr" for name in "abc"]
    for seed, file in enumerate(files):
        deep_files.write(file, fragments(seed))
    done = command("composite", *files, "-o", tmp_path / "out.exr", "--background", "0.2,0.4,0.6")
    assert done.returncode == 0, done.stderr
    found = image_files.read(tmp_path / "out.exr").pixels.reshape(-1, 4)
    merged = [list(chain(*lists)) for lists in zip(*map(pixels_of, files), strict=True)]
    for pixel, lists in zip(found, merged, strict=True):
        colour = np.zeros(4)
        for _, fragment in sorted(lists, key=lambda each: each[0]):
            colour += (1 - colour[3]) * fragment
        colour += (1 - colour[3]) * np.array([0.2, 0.4, 0.6, 1])
        np.testing.assert_allclose(pixel, colour, atol=1e-6)

    # The merged lists.
    done = command("composite", *files, "-o", tmp_path / "lists.exr", "--deep")
    assert done.returncode == 0, done.stderr
    for mine, lists in zip(pixels_of(tmp_path / "lists.exr"), merged, strict=True):
        lists = sorted(lists, key=lambda each: each[0])
        assert [z for z, _ in mine] == [z for z, _ in lists]
        for (_, one), (_, other) in zip(mine, lists, strict=True):
            assert one.tolist() == other.tolist()


@pytest.mark.mpi
def test_the_command_mixes_intervals_and_keeps_channels(tmp_path):
    """One file has intervals and ids, one sheets; against the splits and merges of Kainz (2013)."""
    files = [tmp_path / "a.exr", tmp_path / "b.exr"]
    parts = [further(6), fragments(7, depths=3)]
    for file, made in zip(files, parts, strict=True):
        deep_files.write(file, made)
    done = command("composite", *files, "-o", tmp_path / "out.exr", "--background", "0.2,0.4,0.6")
    assert done.returncode == 0, done.stderr
    found = image_files.read(tmp_path / "out.exr").pixels.reshape(-1, 4)
    expected = openexr_pixels.flattened(parts, [0.2, 0.4, 0.6, 1])
    np.testing.assert_allclose(found, expected.reshape(-1, 4), atol=2e-6)

    done = command("composite", *files, "-o", tmp_path / "lists.exr", "--deep")
    assert done.returncode == 0, done.stderr
    lists = deep_files.read(tmp_path / "lists.exr")
    assert sorted(lists.channels["id"]) == sorted([*parts[0].channels["id"], *np.zeros(len(parts[1].depth))])
    assert np.array_equal(
        np.sort(lists.depth_back), np.sort(np.concatenate([parts[0].depth_back, parts[1].depth]))
    )
    deep_files.write(files[1], replace(parts[1], channels={"id": parts[1].depth}))
    done = command("composite", *files, "-o", tmp_path / "lists.exr", "--deep")
    assert done.returncode != 0
    assert f"the channel id of {files[1]} is float32, and uint32 in another file" in done.stderr


@pytest.mark.mpi
@pytest.mark.parametrize("first", [0, 1])
def test_the_command_takes_a_file_without_fragments_beside_others(tmp_path, first):
    """Whichever comes first: such a file does not tell that its ids are whole numbers."""
    made = further(8)
    empty = Fragments.empty((HEIGHT, WIDTH), intervals=True, channels={"id": np.uint32})
    files = [tmp_path / "a.exr", tmp_path / "b.exr"]
    deep_files.write(files[first], made)
    deep_files.write(files[1 - first], empty)
    done = command("composite", *files, "-o", tmp_path / "lists.exr", "--deep")
    assert done.returncode == 0, done.stderr
    found = deep_files.read(tmp_path / "lists.exr").channels["id"]
    assert found.dtype == np.uint32
    assert sorted(found) == sorted(made.channels["id"])


@pytest.mark.mpi
def test_the_command_composites_display_windows(tmp_path):
    """Left and right halves of a frame that begins at (10, 20), the right one with a row outside of it."""
    frame, files = (10, 20, 17, 23), [tmp_path / "left.exr", tmp_path / "right.exr"]
    halves = [np.full((4, 4, 4), 0.25, np.float32), np.full((5, 4, 4), 0.5, np.float32)]
    for file, pixels, data in zip(files, halves, [(10, 20, 13, 23), (14, 19, 17, 23)], strict=True):
        OpenEXR.File([part("a", planes(pixels), data, frame)]).write(str(file))
    done = command("composite", *files, "-o", tmp_path / "out.exr")
    assert done.returncode == 0, done.stderr
    assert f"{files[1]}: pixels outside of its display window are left out\n" in done.stdout
    assert str(files[0]) not in done.stdout
    found = image_files.read(tmp_path / "out.exr")
    np.testing.assert_array_equal(found.pixels[..., 0], [[0.25] * 4 + [0.5] * 4] * 4)
    assert found.corner == (10, 20)

    OpenEXR.File([part("a", planes(halves[0]), (0, 0, 3, 3), (0, 0, 7, 3))]).write(str(files[0]))
    done = command("composite", *files, "-o", tmp_path / "out.exr")
    assert done.returncode == 2
    assert f"{files[0]} begins at 0,0, {files[1]} begins at 10,20; give images of one window" in done.stderr


@pytest.mark.mpi
def test_the_command_says_what_is_wrong_with_deep_files(tmp_path):
    files = [tmp_path / "a.exr", tmp_path / "b.exr"]
    deep_files.write(files[0], fragments(1))
    image_files.write(files[1], image_files.Image(np.zeros((HEIGHT, WIDTH, 4), np.float32)))
    for arguments, told in (
        (files, f"{files[1]} is no deep image"),
        ([files[0], files[0], "--op", "add"], "leave --op out"),
        ([files[0], files[0], "--order", "1,0"], "leave --order out"),
        ([files[0], files[0], "--layer", "a"], "leave --layer out"),
        ([files[1], files[1], "--deep"], f"{files[1]} is no deep image"),
    ):
        done = command("composite", *arguments, "-o", tmp_path / "out.exr")
        assert done.returncode == 2
        assert told in " ".join(done.stderr.split())
        assert "Traceback" not in done.stderr
    done = command("composite", files[0], files[0], "-o", tmp_path / "out.png", "--deep")
    assert done.returncode == 2
    assert "--deep writes exr" in " ".join(done.stderr.replace("│", " ").split())
