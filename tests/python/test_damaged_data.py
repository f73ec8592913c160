"""Damaged and hostile data is refused in one line, before the memory that it claims is taken."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import OpenEXR
import pytest

import damage
from sortlast import Error, _memory, deep_files, image_files
from sortlast.image_files import Image

CHILD = Path(__file__).with_name("damage.py")
COUNT = 150  # damaged copies of a file
MOST_TAKEN = 96 << 20  # bytes that reading the small files of these tests takes, and more than enough


def read_damaged(reader: str, path: Path, header: int) -> int:
    """Read damaged copies of a file in a child with little memory; how many were refused."""
    done = subprocess.run(
        [sys.executable, str(CHILD), reader, str(path), str(COUNT), str(header)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    refused, taken = map(int, done.stdout.split())
    spoken = [line for line in done.stderr.splitlines() if not line.startswith(f"{path.name}: seed ")]
    assert not spoken, "a package wrote to standard error"
    assert taken < MOST_TAKEN
    return refused


# ---- the limit


@pytest.mark.parametrize(
    ("text", "count"), [("500M", 500 << 20), ("8G", 8 << 30), ("1.5k", 1536), ("12", 12), ("2GiB", 2 << 30)]
)
def test_sizes_are_read(text, count):
    assert _memory.parse(text) == count


@pytest.mark.parametrize("text", ["", "G", "-1G", "0", "8X", "1e9"])
def test_other_texts_are_no_sizes(text):
    with pytest.raises(ValueError, match="is not a size such as 500M or 8G"):
        _memory.parse(text)


def test_the_limit_is_a_share_of_what_is_available_or_what_was_asked_for():
    available = _memory.value_in(Path("/proc/meminfo"), "MemTotal")
    assert 0 < _memory.limit() < available
    assert _memory.limit(sharers=1000) <= available // 1000
    assert _memory.limit(123, sharers=7) == 123


def test_a_limit_of_the_address_space_is_kept():
    program = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))\n"
    program += "from sortlast import _memory; print(_memory.limit())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) < 2**30


# ---- images


@pytest.mark.parametrize("suffix", ["png", "npy", "exr", "tif"])
def test_damaged_images_are_refused(suffix, tmp_path):
    pixels = np.random.default_rng(4).random((23, 17, 4), np.float32)
    path = tmp_path / f"a.{suffix}"
    image_files.write(path, Image(pixels, pixels[..., 0] if suffix == "exr" else None))
    assert read_damaged("image", path, 400) > COUNT // 4


def test_a_damaged_depth_plane_is_refused(tmp_path):
    np.save(tmp_path / "z.npy", np.zeros((9, 8)))
    assert read_damaged("depth", tmp_path / "z.npy", 128) > COUNT // 4


def png(width: int, height: int) -> bytes:
    """A PNG of black pixels, compressed as far as it goes."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    packer = zlib.compressobj(9)
    row = bytes(1 + width * 4)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_a_png_that_would_grow_past_the_limit_is_refused(tmp_path):
    (tmp_path / "bomb.png").write_bytes(png(3000, 3000))
    with pytest.raises(
        Error, match=r"bomb.png: 3000x3000 pixels need 446.3 MiB of memory, more than the limit of 100.0 MiB"
    ):
        image_files.read(tmp_path / "bomb.png", 100 << 20)
    assert image_files.read(tmp_path / "bomb.png", 500 << 20).pixels.shape == (3000, 3000, 4)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.png",
            png(8, 8)[:16] + struct.pack(">II", 2**20, 2**20) + png(8, 8)[24:],
            "1048576x1048576 pixels",
        ),
        ("a.npy", b"\x93NUMPY\1\0v\0", "a header of text, 118 bytes"),
        ("a.npy", b"\x93NUMPY\2\0" + b"\xff" * 4, "a header of text, 4,294,967,295 bytes"),
        ("a.npy", b"\x93NUMPY\1\0\3\0{} ", "its header is damaged"),
        ("a.tif", b"not a picture at all", "cannot read .*a.tif as tif"),
        ("a.hdr.tif", b"#?RADIANCE\n\n-Y 4 +X 4\n", "cannot read .*a.hdr.tif as tif"),
        ("a.exr", b"v/1\1\2\0\0\0" + b"x" * 300, "cannot read .*a.exr as exr"),
    ],
)
def test_what_a_header_claims_is_held_against_the_file(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Error, match=message) as failure:
        image_files.read(tmp_path / name)
    assert "\n" not in str(failure.value)


def test_an_npy_that_claims_to_be_huge_is_refused(tmp_path):
    with (tmp_path / "a.npy").open("wb") as file:
        shape = {"descr": "<f4", "fortran_order": False, "shape": (2**20, 2**20, 4)}
        np.lib.format.write_array_header_1_0(file, shape)
    with pytest.raises(Error, match=r"1048576x1048576x4 values of float32, 17,592,186,044,416 bytes"):
        image_files.read(tmp_path / "a.npy")


def tiff(data: bytes, tile: int) -> bytes:
    """A TIFF of 16x16 grey bytes in one tile, whose deflated content is ``data``."""
    fields = [(256, 16), (257, 16), (258, 8), (259, 8), (262, 1), (277, 1), (322, tile), (323, tile)]
    fields += [(324, 8), (325, len(data))]
    directory = struct.pack("<H", len(fields))
    directory += b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in fields) + bytes(4)
    return struct.pack("<2sHI", b"II", 42, 8 + len(data)) + data + directory


def zeros(count: int) -> bytes:
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(count >> 20)) + packer.flush()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tile.tif", tiff(zeros(1 << 20), 16384), "its tiles are 16384x16384 pixels, for an image of 16x16"),
        ("strip.tif", tiff(zeros(600 << 20), 256), "a strip or tile holds more than its header claims"),
        (
            "text.npy",
            b"\x93NUMPY\2\0" + struct.pack("<I", 20_000) + b"(" * 20_000,
            "its header has 20,000 byte",
        ),
    ],
    ids=["tile", "strip", "text"],
)
def test_small_images_that_would_take_much_memory_are_refused(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    before = damage.taken()
    with pytest.raises(Error, match=message):
        image_files.read(tmp_path / name)
    assert damage.taken() - before < MOST_TAKEN


def test_every_part_of_an_exr_file_counts(tmp_path):
    def part(name: str, length: int) -> OpenEXR.Part:
        last = np.array([length - 1] * 2, np.int32)
        header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
        header |= {"dataWindow": (np.zeros(2, np.int32), last)}
        header |= {"displayWindow": (np.zeros(2, np.int32), np.array([3, 3], np.int32))}
        names = "RGB" if length == 4 else ["albedo"]
        return OpenEXR.Part(header, {each: np.zeros((length, length), np.float32) for each in names}, name)

    path = tmp_path / "a.exr"
    OpenEXR.File([part("rgb", 4), part("other", 4000)]).write(str(path))
    with pytest.raises(
        Error, match=r"a.exr: 4x4 pixels and 2 parts need 61.0 MiB of memory, more than .* 50"
    ):
        image_files.read(path, 50 << 20)
    assert image_files.read(path, 100 << 20).pixels.shape == (4, 4, 3)


def test_the_fragments_of_a_deep_image_count(tmp_path):
    lists = np.empty((1, 2), object)
    lists[0, 0] = np.zeros(1_000_000, np.float32)
    path, header = tmp_path / "a.exr", {"type": OpenEXR.deepscanline, "compression": OpenEXR.ZIPS_COMPRESSION}
    OpenEXR.File(header, dict.fromkeys("RGBAZ", lists)).write(str(path))
    before = damage.taken()
    with pytest.raises(Error, match=r"a.exr: the fragments of 2x1 pixels need 76.3 MiB of memory, more than"):
        deep_files.read(path, 50 << 20)
    assert damage.taken() - before < 10 << 20
    assert len(deep_files.read(path, 100 << 20).depth) == 1_000_000


def test_composite_takes_the_limit(cli, tmp_path):
    image_files.write(tmp_path / "a.npy", Image(np.zeros((8, 8, 4), np.float32)))
    status, _, err = cli("composite", tmp_path / "a.npy", "-o", tmp_path / "b.npy", "--memory", "many")
    assert (status, "is not a size such as 500M" in err) == (2, True)
