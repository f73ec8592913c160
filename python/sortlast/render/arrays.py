"""Conversion between NumPy arrays and VTK arrays."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import numpy.typing as npt


def to_vtk(values: npt.NDArray[Any]) -> Any:
    """A vtkDataArray with its own copy of a one-dimensional array; int64 becomes a vtkIdTypeArray."""
    support = _support()
    if values.dtype == np.int64:
        return support.numpy_to_vtkIdTypeArray(values, deep=True)
    return support.numpy_to_vtk(values, deep=True)


def to_numpy(array: Any) -> npt.NDArray[Any]:
    """A view of a vtkDataArray, one row per tuple; it keeps the memory alive."""
    view: npt.NDArray[Any] = _support().vtk_to_numpy(array)
    return view


def _support() -> Any:
    # Imported by name, like other parts of VTK, because its Python part has no types.
    return importlib.import_module("vtkmodules.util.numpy_support")
