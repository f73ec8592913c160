"""Files of volumes are read as their own libraries read them, and refused before they take memory."""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path

import nibabel
import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkIOLegacy import vtkStructuredPointsWriter
from vtkmodules.vtkIOXML import vtkXMLImageDataWriter

import damage
from sortlast import Error, render
from sortlast.render import metaimage, nifti, vtk_legacy, vtk_xml
from sortlast.render.arrays import to_vtk
from sortlast.render.source import Wanted
from test_damaged_data import COUNT, read_damaged

SHAPE = (7, 6, 5)
SPACING = (2.0, 1.0, 0.5)
TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


def values(dtype: str = "f4", components: int = 1, shape=SHAPE) -> np.ndarray:
    """Voxels of all magnitudes, indexed [x, y, z, component]."""
    drawn = np.random.default_rng(5).random((*shape, components)) * 100
    return drawn.astype(dtype)


def vtk_image(voxels: np.ndarray, of_cells: bool = False) -> vtkImageData:
    image = vtkImageData()
    image.SetDimensions(*(n + of_cells for n in voxels.shape[:3]))
    image.SetSpacing(*SPACING)
    flat = to_vtk(np.ascontiguousarray(voxels.transpose(2, 1, 0, 3)).reshape(-1, voxels.shape[3]))
    flat.SetName("pressure")
    (image.GetCellData() if of_cells else image.GetPointData()).SetScalars(flat)
    return image


def write_vtk(writer, image: vtkImageData, path: Path) -> Path:
    writer.SetInputData(image)
    writer.SetFileName(str(path))
    assert writer.Write()
    return path


def legacy(path: Path, voxels: np.ndarray, binary: bool, of_cells: bool = False) -> Path:
    writer = vtkStructuredPointsWriter()
    (writer.SetFileTypeToBinary if binary else writer.SetFileTypeToASCII)()
    return write_vtk(writer, vtk_image(voxels, of_cells), path)


def xml(path: Path, voxels: np.ndarray, mode: str, packer: str, of_cells: bool = False, **more) -> Path:
    writer = vtkXMLImageDataWriter()
    getattr(writer, f"SetDataModeTo{mode}")()
    getattr(writer, f"SetCompressorTypeTo{packer}")()
    writer.SetBlockSize(128)  # several blocks
    for name, value in more.items():
        getattr(writer, name)(value)
    return write_vtk(writer, vtk_image(voxels, of_cells), path)


def assert_read(found, voxels: np.ndarray, component: int = 0) -> None:
    np.testing.assert_allclose(found.voxels, voxels[..., component], rtol=1e-5)
    assert found.spacing == SPACING


# ---- VTK


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("dtype", TYPES)
def test_legacy_files_are_read_as_vtk_wrote_them(dtype, binary, tmp_path):
    path = legacy(tmp_path / "a.vtk", values(dtype), binary)
    assert_read(vtk_legacy.read(path, Wanted()), values(dtype))


@pytest.mark.parametrize("packer", ["None", "ZLib", "LZ4", "LZMA"])
@pytest.mark.parametrize("mode", ["Ascii", "Binary", "Appended"])
@pytest.mark.parametrize("dtype", TYPES)
def test_xml_files_are_read_as_vtk_wrote_them(dtype, mode, packer, tmp_path):
    path = xml(tmp_path / "a.vti", values(dtype), mode, packer)
    assert_read(vtk_xml.read(path, Wanted()), values(dtype))


@pytest.mark.parametrize(
    "more",
    [
        {"SetEncodeAppendedData": 0},
        {"SetByteOrder": 0},
        {"SetHeaderType": 64},
        {"SetHeaderType": 32},
        {"SetNumberOfPieces": 3},
    ],
)
@pytest.mark.parametrize("packer", ["None", "ZLib"])
def test_xml_files_of_every_layout_are_read(packer, more, tmp_path):
    path = xml(tmp_path / "a.vti", values(), "Appended", packer, **more)
    assert_read(vtk_xml.read(path, Wanted()), values())


@pytest.mark.parametrize("kind", ["vtk", "vti"])
def test_cell_data_is_a_voxel_a_cell(kind, tmp_path):
    path = tmp_path / f"a.{kind}"
    if kind == "vtk":
        found = vtk_legacy.read(legacy(path, values(), True, of_cells=True), Wanted())
    else:
        found = vtk_xml.read(xml(path, values(), "Appended", "ZLib", of_cells=True), Wanted())
    assert_read(found, values())
    assert found.remarks == ["it has no point data: 'pressure' of its cells is shown, a voxel a cell"]


@pytest.mark.parametrize("kind", ["vtk", "vti", "mha"])
def test_one_component_of_several_is_taken(kind, tmp_path):
    voxels, path = values(components=3), tmp_path / f"a.{kind}"
    if kind == "vtk":
        read = vtk_legacy.read
        legacy(path, voxels, True)
    elif kind == "vti":
        read = vtk_xml.read
        xml(path, voxels, "Binary", "ZLib")
    else:
        read = metaimage.read
        path.write_bytes(mha(voxels))
    assert_read(read(path, Wanted(component=2)), voxels, 2)
    assert read(path, Wanted(component=2)).remarks == []
    first = read(path, Wanted())
    assert_read(first, voxels)
    assert first.remarks == ["component 0 of 3 is shown; sortlast view --component chooses another"]
    with pytest.raises(Error, match=r"there is no component 3 \(--component\); it has 0 to 2"):
        read(path, Wanted(component=3))


def test_fields_and_several_arrays_are_read(tmp_path):
    text = (
        "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 2\n"
        "ORIGIN 0 0 0\nSPACING 2 1 0.5\nPOINT_DATA 8\nFIELD FieldData 2\nskipped 1 3 int\n1 2 3\n"
        "heat 1 8 double\n0 1 2 3\n4 5 6 nan\nSCALARS more float\nLOOKUP_TABLE own\n8 9 10 11 12 13 14 15\n"
        "LOOKUP_TABLE own 2\n0 0 0 1\n1 1 1 1\n"
    )
    (tmp_path / "a.vtk").write_text(text)
    found = vtk_legacy.read(tmp_path / "a.vtk", Wanted())
    np.testing.assert_array_equal(found.voxels.ravel("F"), [0, 1, 2, 3, 4, 5, 6, np.nan])


# ---- MetaImage


def mha(voxels: np.ndarray, packed: bool = False, big: bool = False, data: str = "LOCAL") -> bytes:
    names = {"f4": "FLOAT", "u1": "UCHAR", "i2": "SHORT", "f8": "DOUBLE"}
    x, y, z, components = voxels.shape
    content = np.ascontiguousarray(voxels.transpose(2, 1, 0, 3))
    content = content.astype(content.dtype.newbyteorder(">" if big else "<")).tobytes()
    content = zlib.compress(content) if packed else content
    header = (
        "ObjectType = Image\nNDims = 3\nBinaryData = True\n"
        f"BinaryDataByteOrderMSB = {big}\nCompressedData = {packed}\nCompressedDataSize = {len(content)}\n"
        f"ElementSpacing = 2 1 0.5\nDimSize = {x} {y} {z}\nElementNumberOfChannels = {components}\n"
        f"ElementType = MET_{names[voxels.dtype.str[1:]]}\nElementDataFile = {data}\n"
    )
    return header.encode() + (content if data == "LOCAL" else b"")


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("big", [True, False])
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8"])
def test_metaimages_are_read(dtype, big, packed, tmp_path):
    (tmp_path / "a.mha").write_bytes(mha(values(dtype), packed, big))
    assert_read(metaimage.read(tmp_path / "a.mha", Wanted()), values(dtype))


def test_metaimages_with_data_beside_them_are_read(tmp_path):
    (tmp_path / "a.mhd").write_bytes(mha(values(), data="a.raw"))
    (tmp_path / "a.raw").write_bytes(values()[..., 0].tobytes(order="F"))
    assert_read(metaimage.read(tmp_path / "a.mhd", Wanted()), values())
    (tmp_path / "b.mhd").write_bytes(mha(values(), data="../a.raw"))
    with pytest.raises(Error, match="expected LOCAL, or a file in the same folder"):
        metaimage.read(tmp_path / "b.mhd", Wanted())


@pytest.mark.parametrize(
    ("line", "data", "message"),
    [
        ("ElementNumberOfChannels = --1", "LOCAL", "ElementNumberOfChannels is '--1'; expected a number"),
        ("ElementNumberOfChannels = " + "1" * 5000, "LOCAL", "ElementNumberOfChannels is '1{40}'; expected"),
        ("HeaderSize = --5", "a.raw", "HeaderSize is '--5'; expected a number from 0"),
        ("BinaryData = False", "LOCAL", "its voxels are text"),
        ("Comment = no folder", ".", r"ElementDataFile is '\.'; expected LOCAL, or a file"),
        ("Comment = no name", "a\0b", "ElementDataFile is .*; expected LOCAL, or a file"),
    ],
)
def test_metaimages_with_damaged_keys_are_refused(line, data, message, tmp_path):
    (tmp_path / "a.raw").write_bytes(bytes(1000))
    head, _, rest = mha(values(), data=data).partition(b"ElementNumberOfChannels = 1\n")
    (tmp_path / "a.mha").write_bytes(head + line.encode() + b"\n" + rest)
    with pytest.raises(Error, match=message):
        metaimage.read(tmp_path / "a.mha", Wanted())


# ---- NIfTI


@pytest.mark.parametrize("suffix", ["nii", "nii.gz"])
@pytest.mark.parametrize("turn", [np.eye(3), [[0, -1, 0], [0, 0, 1], [1, 0, 0]]])
def test_one_time_and_component_of_a_nifti_is_taken_in_canonical_orientation(suffix, turn, tmp_path):
    voxels = np.random.default_rng(6).integers(0, 200, (4, 5, 6, 3, 2)).astype(np.int16)
    affine = np.eye(4)
    affine[:3, :3] = np.array(turn) * [1.0, 2.0, 3.0]
    path = tmp_path / f"a.{suffix}"
    image = nibabel.Nifti1Image(voxels, affine)
    image.header.set_slope_inter(0.5, 3)
    nibabel.save(image, path)
    found = nifti.read(path, Wanted(time=2, component=1))
    canonical = nibabel.as_closest_canonical(nibabel.load(path))
    np.testing.assert_allclose(found.voxels, np.asarray(canonical.dataobj)[..., 2, 1])
    assert found.spacing == pytest.approx(canonical.header.get_zooms()[:3])
    assert nifti.read(path, Wanted()).remarks == [
        "time 0 of 3 is shown; sortlast view --time chooses another",
        "component 0 of 2 is shown; sortlast view --component chooses another",
    ]
    with pytest.raises(Error, match=r"there is no time 3 \(--time\); it has 0 to 2"):
        nifti.read(path, Wanted(time=3))


# ---- damage


@pytest.fixture
def voxels():
    x, y, z = np.ogrid[-1:1:18j, -1:1:20j, -1:1:22j]
    return np.clip(300 - 400 * np.sqrt(x * x + y * y + z * z), 0, 200).astype(np.float32)[..., np.newaxis]


@pytest.mark.parametrize("kind", ["vtk", "text.vtk", "vti", "packed.vti", "lz4.vti", "nii", "nii.gz", "mha"])
def test_damaged_volumes_are_refused(kind, voxels, tmp_path):
    path = tmp_path / f"a.{kind}"
    if kind.endswith("vtk"):
        legacy(path, voxels, not kind.startswith("text"))
    elif kind.endswith("vti"):
        packer = {"packed.vti": "ZLib", "lz4.vti": "LZ4"}.get(kind, "None")
        xml(path, voxels, "Binary" if packer == "ZLib" else "Appended", packer)
    elif kind == "mha":
        path.write_bytes(mha(voxels))
    else:
        nibabel.save(nibabel.Nifti1Image(voxels[..., 0], np.diag([2.0, 1.0, 1.0, 1.0])), path)
    header = {"nii": 352, "mha": 250, "vtk": 200, "text.vtk": 200}.get(kind, 1200)
    assert read_damaged("volume", path, header) > COUNT // 4


def nifti_of(*shape: int) -> bytes:
    """A NIfTI header that tells of float64 voxels, and a few of them."""
    header = bytearray(nibabel.Nifti1Header(check=False).binaryblock)
    struct.pack_into("<8h", header, 40, len(shape), *shape, *([1] * (7 - len(shape))))
    struct.pack_into("<hh", header, 70, 64, 64)
    struct.pack_into("<f", header, 108, 352.0)
    return bytes(header) + b"\0\0\0\0" + bytes(800)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.vtk",
            b"# vtk DataFile Version 3.0\nt\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 3000 3000 3000\n"
            b"SPACING 1 1 1\nORIGIN 0 0 0\nPOINT_DATA 27000000000\nSCALARS s double 1\nLOOKUP_TABLE d\n123",
            "claims 27000000000 numbers, 216,000,000,000 bytes, which the [0-9]+ bytes of the file cannot",
        ),
        (
            "a.vti",
            b'<VTKFile type="ImageData"><ImageData WholeExtent="0 2999 0 2999 0 2999"><Piece Extent="0 2999 0'
            b' 2999 0 2999"><PointData><DataArray type="Float64" Name="s" format="ascii">1 2</DataArray>'
            b"</PointData></Piece></ImageData></VTKFile>",
            "3000x3000x3000 voxels need .* more than the limit|3000x3000x3000 values of s",
        ),
        ("a.nii", nifti_of(3000, 3000, 3000), "3000x3000x3000 voxels, 216,000,000,000 bytes, which the 800"),
        (
            "a.nii.gz",
            gzip.compress(nifti_of(3000, 3000, 3000), mtime=0),  # the content is part of the test's name
            "cannot hold even if they are compressed",
        ),
        (
            "a.mha",
            mha(np.zeros((2, 2, 2, 1), np.float32)).replace(b"= 2 2 2", b"= 3000 3000 3000"),
            "3000x3000x3000 voxels",
        ),
        (
            "a.vti",
            b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><VTKFile>&b;</VTKFile>',
            "it defines entities",
        ),
        ("a.vti", b'<VTKFile type="PolyData"><PolyData/></VTKFile>', "not an XML image but PolyData"),
        ("a.vtk", b"# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n", "not a legacy file of struct"),
    ],
)
def test_what_a_header_claims_is_held_against_the_file(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    before = damage.taken()
    with pytest.raises(Error, match=message) as failure:
        render.load(str(tmp_path / name))
    assert str(tmp_path / name) in str(failure.value)
    assert "\n" not in str(failure.value)
    assert damage.taken() - before < 1 << 28


PIECES = (
    '<VTKFile type="ImageData"><ImageData WholeExtent="0 1 0 1 0 1">{}</ImageData></VTKFile>',
    '<Piece Extent="0 1 0 1 0 0"><PointData><DataArray type="Float32" Name="s" format="ascii">1 2 3 4'
    "</DataArray></PointData></Piece>",
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<VTKFile>" + "<a>" * 1_000_000, "its XML has elements 33 deep"),
        (
            "<VTKFile>" + "<a/>" * 500_000,
            "its XML has elements 2 deep, and more than 100,000; expected up to",
        ),
        (PIECES[0].format(2 * PIECES[1]), "the pieces have 4 of 8 values of s"),
    ],
    ids=["deep", "many", "overlapping"],
)
def test_xml_of_hostile_pieces_is_refused(text, message, tmp_path):
    (tmp_path / "a.vti").write_text(text)
    before = damage.taken()
    with pytest.raises(Error, match=message):
        vtk_xml.read(tmp_path / "a.vti", Wanted())
    assert damage.taken() - before < 96 << 20


def test_extensions_of_a_nifti_header_count(tmp_path):
    length = 128 << 20
    header = bytearray(nifti_of(4, 4, 4)[:348])
    struct.pack_into("<f", header, 108, length)
    with gzip.open(tmp_path / "a.nii.gz", "wb", compresslevel=1) as file:
        file.write(bytes(header) + b"\1\0\0\0" + struct.pack("<ii", length - 352, 0))
        for _ in range(32):
            file.write(bytes(4 << 20))
    before = damage.taken()
    with pytest.raises(
        Error, match=r"a.nii.gz: the extensions of its header need 256.0 MiB of memory, more than"
    ):
        render.load(str(tmp_path / "a.nii.gz"), memory=50 << 20)
    assert damage.taken() - before < 96 << 20


@pytest.mark.parametrize("kind", ["vtk", "vti", "nii", "mha", "raw"])
def test_a_sound_volume_above_the_limit_is_refused(kind, voxels, tmp_path):
    path = tmp_path / f"a.{kind}"
    source = str(path)
    if kind == "vtk":
        legacy(path, voxels, True)
    elif kind == "vti":
        xml(path, voxels, "Appended", "None")
    elif kind == "nii":
        nibabel.save(nibabel.Nifti1Image(voxels[..., 0], np.eye(4)), path)
    elif kind == "mha":
        path.write_bytes(mha(voxels))
    else:
        path.write_bytes(voxels.tobytes())
        source += ":18x20x22:float32"
    with pytest.raises(Error, match=r"18x20x22 voxels need .*, more than the limit of 97.7 KiB; .*--memory"):
        render.load(source, memory=100_000)
    assert render.load(source, memory=10_000_000).voxels.max() == 1
