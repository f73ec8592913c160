"""What viewers say to the server of a page: a place of the camera, and what it refuses."""

from __future__ import annotations

EYE = {"azimuth": 10.0, "elevation": 20.0, "zoom": 1.5, "pan": [0.1, -0.2]}

# What no viewer may ask for, and a word of what it is told.
WRONG = [
    (None, "object"),
    (3, "object"),
    ([], "object"),
    ({"camera": 1}, "object of"),
    ({"eye": 1}, "eye is 1"),
    ({"eye": {**EYE, "zoom": 1e9}}, "zoom is 1e\\+09"),
    ({"eye": {**EYE, "elevation": 90}}, "elevation is 90"),
    ({"eye": {**EYE, "pan": [0]}}, "pan is"),
    ({"eye": {**EYE, "azimuth": "3"}}, "azimuth is '3'"),
    ({"eye": {**EYE, "azimuth": True}}, "azimuth is True"),
    ({"eye": {**EYE, "roll": 1}}, "eye has 'roll'"),
    ({"eye": {"azimuth": 1}}, "eye has no 'elevation'"),
    ({"size": [1, 1]}, "size is 1 x 1"),
    ({"size": [4000, 4000]}, "size is 4000 x 4000"),
    ({"size": [300.5, 200]}, "size is 300.5"),
    ({"size": "300x200"}, "size is '300x200'"),
    ({"seen": 5}, "seen is 5"),
    ({"seen": -1}, "no count"),
    ({"stamp": "x"}, "no count"),
    ({"own": 1}, "own is 1"),
    ({"controls": None}, "controls is None"),
    ({"controls": {"colour": "red"}}, "controls has 'colour'"),
    ({"controls": {"mode": "unstructured"}}, "mode is 'unstructured'"),
    ({"controls": {"algorithm": "quick-sort"}}, "quick-sort"),
    ({"controls": {"algorithm": ["shift"]}}, "algorithm is"),
    ({"controls": {"picture": "png"}}, "picture is 'png'"),
    ({"controls": {"isovalue": float("nan")}}, "isovalue is nan"),
    ({"controls": {"opacity": [[0, 0]]}}, "opacity is"),
    ({"controls": {"opacity": [[0.5, 0], [0.5, 1]]}}, "ascend"),
    ({"controls": {"opacity": [[0, 0], [1, 2]]}}, "a point of opacity is 2"),
    ({"eye": {**EYE, "azimuth": 10**400}}, "azimuth is a int; expected -1e"),
    ({"controls": {"isovalue": -(10**400)}}, "isovalue is a int"),
    ({"size": [10**400, 10**400]}, "expected a whole number"),
    ({"controls": {"clip": {"axis": "w", "at": 0.5}}}, "axis of clip"),
    ({"controls": {"clip": {"axis": "x"}}}, "at of clip"),
]
