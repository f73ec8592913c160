"""Volumes of several ranks sampled at the same places, so that no seam shows where their blocks meet.

Left to itself VTK's GPU mapper begins to sample a ray where the ray enters the data. So the samples of each
block are out of step, and there are more or fewer than of one volume. Besides, it stretches the transfer
functions over the block's own range of values, takes gradients over a step that depends on the number of
the block's points, and lights normals that are bent by the block's proportions. `sample_alike` changes its
shader:

- sample k of a ray lies k sample distances from the eye, in whichever block that is; in a parallel
  projection, from the plane through the eye. A block takes the k with ceil(t_in) <= k < ceil(t_out), in
  front of what is opaque. Of two blocks that share a face exactly one takes a sample;
- t_in and t_out are those of the block's own part. What lies beyond it, its ghost cells, only gives values
  to samples and gradients near the face;
- transfer functions are looked up over their own range, gradients take steps of one cell, and normals are
  lit in the space of the data;
- a ray ends where it is 99.99 % opaque and not 1 - 1/255, behind which other blocks shine through.

Measured with VTK 9.5 and 9.7 on 41^3 points in 8 slabs, composited in float32, against one process, of 255:
at most 0.5, mean 0.003, and the same with lights and a layer of ghost cells; 1.8 where opacity rises
steeply. What is left are single pixels at the edges of blocks. VTK's own sampling gives 9 and 0.27.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sortlast import _arrays
from sortlast._errors import ArgumentError
from sortlast.vtk.parts import Box, valid

_DECLARE = """
const float g_opacityThreshold = 0.9999;
vec3 g_firstSample;
"""

# Names that begin with in_, g_, l_ and ip_ are the mapper's own, but for in_ownLower, in_ownUpper and
# g_firstSample. What VTK has computed of the ray is replaced. Distances along it are in samples.
_FIND_SAMPLES = """
  //VTK::Terminate::Init
  {
  // Find the ray in the space of the data.
  mat4 toData = in_inverseVolumeMatrix[0] * in_inverseModelViewMatrix;
  vec4 far = in_inverseProjectionMatrix * WindowToNDC(gl_FragCoord.x, gl_FragCoord.y, 1.0);
  vec4 near = in_inverseProjectionMatrix * WindowToNDC(gl_FragCoord.x, gl_FragCoord.y, 0.0);
  vec4 solid = in_inverseProjectionMatrix * WindowToNDC(gl_FragCoord.x, gl_FragCoord.y, l_depthValue.x);
  bool parallel = in_projectionMatrix[3][3] == 1.0;
  vec3 eye = parallel ? (toData * vec4(far.xy / far.w, 0.0, 1.0)).xyz : in_eyePosObjs[0];
  vec3 dir = normalize((toData * (far / far.w)).xyz - eye) * in_sampleDistance;
  dir = mix(dir, vec3(1e-12), vec3(lessThan(abs(dir), vec3(1e-12))));
  float perStep = 1.0 / dot(dir, dir);
  float tNear = dot((toData * (near / near.w)).xyz - eye, dir) * perStep;
  float tSolid = dot((toData * (solid / solid.w)).xyz - eye, dir) * perStep;

  // Intersect it with this block's own part.
  vec3 tLower = (in_ownLower - eye) / dir;
  vec3 tUpper = (in_ownUpper - eye) / dir;
  vec3 tIn = min(tLower, tUpper);
  vec3 tOut = max(tLower, tUpper);
  float first = ceil(max(max(tIn.x, tIn.y), max(tIn.z, tNear)));
  float last = ceil(min(min(tOut.x, tOut.y), min(tOut.z, tSolid))) - 1.0;
  if (last < first) { discard; }

  // Tell the mapper, which stops behind the first sample that is not before the end.
  mat4 toTexture = in_cellToPoint[0] * in_inverseTextureDatasetMatrix[0];
  g_dirStep = (toTexture * vec4(dir, 0.0)).xyz;
  g_rayOrigin = (toTexture * vec4(eye + first * dir, 1.0)).xyz;
  g_terminatePointMax = max(last - first - 0.5, 0.0);
  g_rayTermination = g_rayOrigin + g_terminatePointMax * g_dirStep;
  g_dataPos = g_rayOrigin;
  g_terminatePos = g_rayTermination;
  }
"""

_BEGIN = """
  g_firstSample = g_dataPos;
  //VTK::Shading::Init
"""

# Positions are computed and not summed, so that rounding does not grow along the ray.
_PLACE_SAMPLE = """
    g_dataPos = g_firstSample + g_currentT * g_dirStep;
    //VTK::Base::Impl
"""

_BEFORE_VTK = (
    ("//VTK::Termination::Dec", _DECLARE),
    ("//VTK::Terminate::Init", _FIND_SAMPLES),
    ("//VTK::Shading::Init", _BEGIN),
    ("//VTK::Base::Impl", _PLACE_SAMPLE),
)

# Scalars are 0 to 1 over the range of the block's values, and become so over that of the transfer functions.
_VALUES = (
    "scalar.r = scalar.r * in_volume_scale[0].r + in_volume_bias[0].r;",
    "scalar = scalar * in_volume_scale[0] + in_volume_bias[0];",
)
_OVER_FUNCTIONS = """
      scalar = (in_scalarsRange[0].x + scalar * (in_scalarsRange[0].y - in_scalarsRange[0].x)
                - in_functionRange.x) / (in_functionRange.y - in_functionRange.x);
"""

# What VTK has written, and what takes its place. Its lookup in a rectilinear grid is half a cell off, and
# begins again at the first cell where rounding has put a sample beyond the last.
_AFTER_VTK = (
    *((f"in_cellStep[index].{axis}", f"(1.0 / float(textureSize(volume, 0).{axis}))") for axis in "xyz"),
    (
        "in_textureToEye[0] * vec4(shading_gradient.xyz, 0.0)",
        "in_modelViewMatrix * in_volumeMatrix[0] * vec4(shading_gradient.xyz, 0.0)",
    ),
    (
        "in_textureDatasetMatrix[0] * vec4(g_dataPos, 1.0)",
        "in_textureDatasetMatrix[0] * inverse(in_cellToPoint[0]) * vec4(g_dataPos, 1.0)",
    ),
    (
        "vec4(in_coordsBias, 1.0);",
        "vec4(in_coordsBias, 1.0);  dataPosWorldScaled = clamp(dataPosWorldScaled, 0.0, 1.0);",
    ),
    ("(ijk[j] + pCoords[j]) / in_coordTexSizes[j]", "(ijk[j] + pCoords[j] + 0.5) / in_coordTexSizes[j]"),
)


def own_parts(volumes: Sequence[Any], boxes: Sequence[Sequence[float]] | None) -> dict[Any, Box]:
    """Volumes with the box that each draws of its data, all of it without ``boxes``.

    Raises ArgumentError unless they can be sampled alike.
    """
    if boxes is not None and len(boxes) != len(volumes):
        raise ArgumentError(f"boxes has {len(boxes)} boxes for {len(volumes)} volumes; expected one for each")
    found = {}
    for i, volume in enumerate(volumes):
        if not (hasattr(volume, "IsA") and volume.IsA("vtkVolume")):
            raise ArgumentError(f"volume {i} is a {type(volume).__name__}; expected a vtkVolume")
        bounds = valid(_data(volume).GetBounds())
        own = bounds if boxes is None else valid(_arrays.numbers(boxes[i], f"box {i}", 6))
        if own is None or bounds is None:
            raise ArgumentError(f"volume {i} or its box is empty; leave it out")
        if any(
            low < least - 1e-6 * (most - least) or high > most + 1e-6 * (most - least)
            for low, high, least, most in zip(own[0::2], own[1::2], bounds[0::2], bounds[1::2], strict=True)
        ):
            raise ArgumentError(f"box {i} is {own}, beyond the data of its volume, {bounds}")
        found[volume] = own
    return found


def _data(volume: Any) -> Any:
    """The data of a volume; raises ArgumentError unless it can be sampled alike."""
    mapper = volume.GetMapper()
    if mapper is None or not mapper.IsA("vtkGPUVolumeRayCastMapper"):
        kind = "missing" if mapper is None else f"a {mapper.GetClassName()}, whose samples cannot be placed"
        raise ArgumentError(f"the volume's mapper is {kind}; expected a vtkGPUVolumeRayCastMapper")
    if mapper.GetBlendMode() != mapper.COMPOSITE_BLEND:
        raise ArgumentError("the volume's mapper does not blend front to back; expected COMPOSITE_BLEND")
    mapper.Update()
    data = mapper.GetDataSetInput()
    if data is None or not (data.IsA("vtkImageData") or data.IsA("vtkRectilinearGrid")):
        raise ArgumentError("the volume has no image data and no rectilinear grid; expected one of these")
    if data.IsA("vtkImageData") and not data.GetDirectionMatrix().IsIdentity():
        raise ArgumentError(
            "the volume's data are turned by a direction matrix; expected them along the axes"
        )
    return data


class Grid(NamedTuple):
    """Where the points of a volume's data lie: at equal distances, or else at places along each axis."""

    distances: tuple[float, ...] | None
    places: tuple[NDArray[np.float64], ...] | None


def grid(data: Any) -> Grid:
    """The grid of ``vtkImageData`` or a ``vtkRectilinearGrid``."""
    if data.IsA("vtkImageData"):
        flat = [points < 2 for points in data.GetDimensions()]
        return Grid(
            tuple(0.0 if one else step for step, one in zip(data.GetSpacing(), flat, strict=True)), None
        )
    from vtkmodules.util.numpy_support import vtk_to_numpy

    arrays = data.GetXCoordinates(), data.GetYCoordinates(), data.GetZCoordinates()
    return Grid(None, tuple(np.array(vtk_to_numpy(each), np.float64) for each in arrays))  # type: ignore[no-untyped-call]


def spacing(grids: Sequence[Grid]) -> list[float]:
    """Distance of points along x, y and z, however many blocks hold them; 0 along an axis without cells.

    Of image data the least of all, and of rectilinear grids the mean of all together.
    """
    found = []
    for axis in range(3):
        steps = [each.distances[axis] for each in grids if each.distances is not None]
        rows = [each.places[axis] for each in grids if each.places is not None]
        if rows:
            places = np.unique(np.concatenate(rows))
            steps.append((places[-1] - places[0]) / max(len(places) - 1, 1))
        found.append(float(min((step for step in steps if step > 0), default=0)))
    return found


def sample_alike(volume: Any, own: Box, distance: float) -> None:
    """Let a ``vtkVolume`` be sampled as those of other ranks are, which got the same distance.

    Args:
        volume: one of ``own_parts``.
        own: the part of its data that it draws; the rest are ghosts. In the space of its data.
        distance: between samples, in the same units; positive. VTK's usual one is half that of points.
    """
    mapper = volume.GetMapper()
    mapper.SetAutoAdjustSampleDistances(False)
    mapper.SetLockSampleDistanceToInputSpacing(False)
    mapper.SetUseJittering(False)
    mapper.SetSampleDistance(distance)
    shader = volume.GetShaderProperty()
    shader.ClearAllFragmentShaderReplacements()
    for text, replacement in _BEFORE_VTK:
        shader.AddFragmentShaderReplacement(text, True, replacement, False)
    for text, replacement in _AFTER_VTK:
        shader.AddFragmentShaderReplacement(text, False, replacement, True)
    if _has_functions(volume):
        mapper.SetColorRangeType(mapper.NATIVE)
        mapper.SetScalarOpacityRangeType(mapper.NATIVE)
        for text in _VALUES:
            shader.AddFragmentShaderReplacement(text, False, text + _OVER_FUNCTIONS, True)
    uniforms = shader.GetFragmentCustomUniforms()
    uniforms.SetUniform3f("in_ownLower", own[0::2])
    uniforms.SetUniform3f("in_ownUpper", own[1::2])
    share_range(volume)


def _has_functions(volume: Any) -> bool:
    """Whether values of one component are looked up in transfer functions. Colours need none."""
    data = volume.GetMapper().GetDataSetInput()
    scalars = data.GetPointData().GetScalars() or data.GetCellData().GetScalars()
    return scalars is None or scalars.GetNumberOfComponents() == 1


def share_range(volume: Any) -> None:
    """Let a volume's transfer functions have one range, after they have changed."""
    if not _has_functions(volume):
        return
    look = volume.GetProperty()
    colour, opacity = look.GetRGBTransferFunction(), look.GetScalarOpacity()
    ranges = (colour.GetRange(), opacity.GetRange())
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    for function, (first, last) in zip((colour, opacity), ranges, strict=True):
        for end in ((low,) if low < first else ()) + ((high,) if high > last else ()):
            point = function.GetColor(end) if function is colour else (function.GetValue(end),)
            (function.AddRGBPoint if function is colour else function.AddPoint)(end, *point)
    uniforms = volume.GetShaderProperty().GetFragmentCustomUniforms()
    uniforms.SetUniform2f("in_functionRange", (low, high if high > low else low + 1))
