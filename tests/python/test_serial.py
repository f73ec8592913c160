"""The oracle against arithmetic in NumPy, and what arrays it takes and refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sortlast
from sortlast import ArgumentError, Fragments, Frame, composite_serial, execute_serial


def random_images(seed, count, height=5, width=7, channels=4, dtype="float32"):
    """Premultiplied images."""
    random = np.random.default_rng(seed)
    images = random.random((count, height, width, channels), np.float32)
    if channels == 4:
        images[..., :3] *= images[..., 3:]
    return list(np.round(images * 255).astype(np.uint8) if dtype == "uint8" else images.astype(dtype))


def over(images):
    """Front to back in double precision."""
    result = np.zeros(images[0].shape)
    for image in images:
        result += (1 - result[..., 3:]) * image.astype(np.float64)
    return result


# ---- values


@given(st.integers(0, 2**31), st.integers(1, 9), st.data())
def test_over_is_the_formula_in_the_given_order(seed, count, data):
    images = random_images(seed, count)
    order = data.draw(st.permutations(range(count)))
    expected = over([images[i] for i in order])
    assert np.abs(composite_serial(images, order=order).colour - expected).max() <= 1e-6 * count


@pytest.mark.parametrize(("op", "reference"), [("add", np.sum), ("max", np.max), ("min", np.min)])
@pytest.mark.parametrize("channels", [3, 4])
def test_commuting_operators(op, reference, channels):
    images = random_images(1, 5, channels=channels)
    expected = reference(np.stack(images).astype(np.float64), axis=0)
    assert np.abs(composite_serial(images, op=op).colour - expected).max() <= 1e-6 * 5


def test_closest_takes_the_nearest_and_the_front_of_equals():
    images = random_images(2, 3, channels=3)
    depths = [np.full((5, 7), d, np.float32) for d in (2.0, 1.0, 1.0)]
    depths[0][0, 0] = 0.5
    frame = composite_serial(images, depths, op="closest", order=[2, 1, 0])
    assert np.array_equal(frame.colour[0, 0], images[0][0, 0])
    assert np.array_equal(frame.colour[1:], images[2][1:])
    assert frame.depth[0, 0] == 0.5
    assert (frame.depth[1:] == 1.0).all()


def test_a_frame_is_an_array_of_its_colours():
    frame = composite_serial(random_images(1, 2, 3, 5))
    assert (frame.shape, frame.dtype, frame.depth, frame.channels) == ((3, 5, 4), np.float32, None, {})
    assert repr(frame) == "Frame(5x3, 4 x float32)"
    assert np.asarray(frame) is frame.colour
    assert not np.shares_memory(np.array(frame), frame.colour)
    assert np.array_equal(np.asarray(frame, np.float64), frame.colour)
    assert np.asarray(frame, np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="needs a copy"):
        frame.__array__(np.float64, copy=False)
    with pytest.raises(AttributeError):
        frame.colour = None
    lists = Frame(None, fragments=Fragments.empty((3, 5)))
    assert repr(lists) == "Frame(Fragments(5x3, 0 fragments))"
    for use in (np.asarray, lambda lists: lists.shape, lambda lists: lists.dtype):
        with pytest.raises(ArgumentError, match="colour is None; expected a frame that was gathered without"):
            use(lists)


@given(data=st.data())
def test_schedules_run_to_the_oracles_image(data):
    name = data.draw(st.sampled_from([entry.name for entry in sortlast.schedule.algorithms()]), "name")
    p = data.draw(st.integers(1, 12), "p")
    order = data.draw(st.permutations(range(p)), "order")
    images: list = random_images(p, p, 3, 5)
    for rank in data.draw(st.sets(st.integers(0, p - 1), max_size=p - 1), "without"):
        images[rank] = None
    s = sortlast.schedule.make(name, p, 15, order=order)
    first = execute_serial(s, images, seed=1).colour
    assert np.abs(first - composite_serial(images, order=order).colour).max() <= 1e-6 * p
    assert np.array_equal(execute_serial(s, images, seed=data.draw(st.integers(2, 99), "seed")), first)


# ---- arrays


class Foreign:
    """An array of another library: nothing but DLPack."""

    def __init__(self, array, on_cpu=True):
        self.array, self.on_cpu = array, on_cpu

    def __dlpack__(self, **options):
        if not self.on_cpu:
            raise BufferError("the data lies on a GPU")
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1 if self.on_cpu else 2, 0)


def test_dlpack_arrays_are_taken():
    images = random_images(7, 3)
    depths = list(np.random.default_rng(7).random((3, 5, 7), np.float32))
    expected = composite_serial(images, depths, op="closest")
    got = composite_serial([Foreign(i) for i in images], [Foreign(d) for d in depths], op="closest")
    assert np.array_equal(got.colour, expected.colour)
    assert np.array_equal(got.depth, expected.depth)


def test_read_only_arrays_are_taken():
    images = random_images(8, 2)
    for image in images:
        image.flags.writeable = False
    assert composite_serial(images).shape == (5, 7, 4)


def test_arrays_are_taken_without_a_copy():
    array = random_images(9, 1)[0]
    for image in (array, Foreign(array)):
        picture = sortlast._arrays.picture(image, None)
        assert picture.colour is not None
        assert picture.colour.ctypes.data == array.ctypes.data


F32 = np.zeros((4, 6, 4), np.float32)
DEPTH = np.zeros((4, 6), np.float32)


@pytest.mark.parametrize(
    ("image", "depth", "expected"),
    [
        (F32.astype(np.float64), None, "image is float64; expected float32, float16 or uint8"),
        (F32.astype(np.uint16), None, "image is uint16; expected float32, float16 or uint8"),
        (F32.astype(">f4"), None, "image is >f4; expected float32, float16 or uint8"),
        (F32[..., 0], None, r"image has shape \(4, 6\); expected \(H, W, 4\)"),
        (F32[..., :2], None, r"image has shape \(4, 6, 2\); expected \(H, W, 4\)"),
        (F32.transpose(1, 0, 2), None, "image is not C-contiguous.*ascontiguousarray"),
        (F32[:, ::2], None, "image is not C-contiguous"),
        (F32[..., :3], None, "image is not C-contiguous"),
        ([[1.0]], None, "image is a list; expected a NumPy array or a CPU array with DLPack"),
        (Foreign(F32, on_cpu=False), None, "image cannot be read on the CPU through DLPack: .* GPU"),
        (F32, DEPTH.astype(np.float64), "depth is float64; expected float32"),
        (F32, DEPTH[:3], r"depth has shape \(3, 6\); expected \(4, 6\), as the image"),
        (F32, DEPTH.T, r"depth has shape \(6, 4\)"),
        (F32, np.zeros((4, 12), np.float32)[:, ::2], "depth is not C-contiguous"),
        (F32, "near", "depth is a str; expected a NumPy array"),
        (F32, True, "depth is True; expected a plane"),
    ],
)
def test_other_arrays_are_refused(image, depth, expected):
    with pytest.raises(ArgumentError, match=expected):
        composite_serial([image], [depth])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"images": []}, "all images are None"),
        ({"images": [None]}, "all images are None"),
        ({"images": [F32, F32], "depths": [DEPTH]}, "1 depths for 2 images"),
        ({"images": [F32, F32[:2]]}, "image 1 is 2x6x4 float32, but image 0 is 4x6x4 float32"),
        (
            {"images": [F32, F32], "depths": [DEPTH, None]},
            "image 1 is .*, but image 0 is .* with depth",
        ),
        ({"images": [F32], "op": "under"}, "unknown operator 'under': use one of over, closest"),
        ({"images": [F32], "op": "closest"}, "closest needs a depth plane"),
        ({"images": [np.zeros((2, 2, 3), np.uint8)]}, "over needs an alpha channel"),
        ({"images": [F32, F32], "order": [0]}, "order"),
        ({"images": [F32, F32], "order": [0, 0]}, "order"),
        ({"images": [F32, F32], "order": [0, 1.5]}, r"order is \[0, 1.5\]; expected a list of ranks"),
        ({"images": [F32, F32], "order": 3}, "order is 3; expected a list of ranks"),
        ({"images": [F32, F32], "order": [0, float("inf")]}, "expected a list of ranks"),
        ({"images": [F32], "background": [1]}, "background has 1 values; .*4"),
        ({"images": [F32], "background": "red"}, "background is 'red'; expected one number a channel"),
        ({"images": [F32], "background": [10**400] * 4}, "expected one number a channel"),
    ],
)
def test_other_arguments_are_refused(arguments, expected):
    with pytest.raises(ArgumentError, match=expected):
        composite_serial(**arguments)


def test_a_schedule_of_another_size_is_refused():
    s = sortlast.schedule.make("shift", 3, 24)
    with pytest.raises(ArgumentError, match="2"):
        execute_serial(s, [F32, F32])
    with pytest.raises(ArgumentError, match="pixels"):
        execute_serial(s, [F32[:1]] * 3)
