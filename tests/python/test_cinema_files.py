"""Layers as Cinema databases: read back with the csv module, h5py and Pillow's idea of an image alone."""

from __future__ import annotations

import csv
from pathlib import Path

import h5py
import numpy as np
import pytest
from PIL import Image

from commands import run as command
from deep_images import HEIGHT, WIDTH, fragments
from sortlast import Error, Fragments, cinema_files, deep_files


def lists_of(made):
    """[(depth, colour), ...] of every pixel, front to back; of one depth as they come."""
    ends = np.cumsum(made.counts.ravel())
    for end, count in zip(ends, made.counts.ravel(), strict=True):
        some = range(end - count, end)
        yield sorted(((made.depth[i], made.colour[i].tolist()) for i in some), key=lambda each: each[0])


def read(folder):
    """The layers, as pycinema reads them: rows of data.csv, and of each file the channels and meta data."""
    with (folder / "data.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    found = []
    for row in rows:
        with h5py.File(folder / row["FILE"]) as file:
            channels = {name: np.array(values) for name, values in file["channels"].items()}
            assert int(np.squeeze(file["meta"]["layer"])) == int(row["layer"])
        found.append(channels)
    assert [int(row["layer"]) for row in rows] == list(range(len(rows)))
    return found


def lists_in(layers):
    """As lists_of, of layers that were read."""
    for y, x in np.ndindex(layers[0]["depth"].shape):
        there = [layer for layer in layers if np.isfinite(layer["depth"][y, x])]
        yield [(layer["depth"][y, x], layer["colour"][y, x].tolist()) for layer in there]


def test_layers_are_the_fragments_front_to_back(tmp_path):
    made = fragments(1, depths=5)
    assert cinema_files.write(tmp_path / "a.cdb", made) == made.counts.max()
    layers = read(tmp_path / "a.cdb")
    assert len(layers) == made.counts.max()
    for layer in layers:
        assert layer["rgba"].shape == (HEIGHT, WIDTH, 4)
        assert layer["rgba"].dtype == np.uint8
        assert layer["colour"].dtype == layer["depth"].dtype == np.float32
        absent = np.isinf(layer["depth"])
        assert not layer["colour"][absent].any()
        assert not layer["rgba"][absent].any()
        # What viewers show, over black, is the colour.
        shown = Image.alpha_composite(
            Image.new("RGBA", (WIDTH, HEIGHT), (0, 0, 0, 255)), Image.fromarray(layer["rgba"], "RGBA")
        )
        np.testing.assert_allclose(np.asarray(shown)[..., :3], 255 * layer["colour"][..., :3], atol=1.6)
    assert list(lists_in(layers)) == list(lists_of(made))

    # And of the layers fragments can be made again.
    again = Fragments.from_layers([each["colour"] for each in layers], [each["depth"] for each in layers])
    assert list(lists_of(again)) == list(lists_of(made))


@pytest.mark.parametrize("shape", [(4, 5), (3, 0)])
def test_no_fragments_are_one_empty_layer(shape, tmp_path):
    assert cinema_files.write(tmp_path / "a.cdb", Fragments.empty(shape)) == 1
    (layer,) = read(tmp_path / "a.cdb")
    assert layer["colour"].shape == (*shape, 4)
    assert np.isinf(layer["depth"]).all()


def test_places_that_are_refused(tmp_path):
    made = fragments(2, depths=5)
    with pytest.raises(Error, match=r"ends with \.cdb"):
        cinema_files.write(tmp_path / "a", made)
    with pytest.raises(Error, match="there is no folder"):
        cinema_files.write(tmp_path / "none" / "a.cdb", made)
    (tmp_path / "file.cdb").write_text("mine")
    with pytest.raises(Error, match="it is there already"):
        cinema_files.write(tmp_path / "file.cdb", made)
    assert (tmp_path / "file.cdb").read_text() == "mine"
    (tmp_path / "empty.cdb").mkdir()
    cinema_files.write(tmp_path / "empty.cdb", made)
    before = sorted(path.name for path in (tmp_path / "empty.cdb").iterdir())
    assert before == ["data.csv", *(f"layer-{k:03}.h5" for k in range(made.counts.max()))]
    with pytest.raises(Error, match="it is there already"):
        cinema_files.write(tmp_path / "empty.cdb", made)


@pytest.mark.mpi
def test_the_command_writes_the_layers_of_all_ranks(tmp_path):
    made = [fragments(seed, depths=5) for seed in (3, 4, 5)]
    files = [tmp_path / f"{name}.exr" for name in "abc"]
    for file, each in zip(files, made, strict=True):
        deep_files.write(file, each)
    done = command("composite", *files, "-o", tmp_path / "all.cdb", "--deep")
    assert done.returncode == 0, done.stderr
    expected = [
        sorted((one for some in lists for one in some), key=lambda each: each[0])
        for lists in zip(*map(lists_of, made), strict=True)
    ]
    assert list(lists_in(read(tmp_path / "all.cdb"))) == expected

    again = command("composite", *files, "-o", tmp_path / "all.cdb", "--deep")
    assert again.returncode != 0
    assert "it is there already" in again.stderr
    done = command("composite", *files, "-o", Path(tmp_path, "new.cdb"))
    assert done.returncode == 2
    assert "give --deep with it" in " ".join(done.stderr.replace("│", " ").split())
    assert not (tmp_path / "new.cdb").exists()
