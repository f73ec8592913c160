"""Ray casting of one block with VTK's GPU mapper, so that blocks composite without seams.

By default the mapper starts sampling each ray where it enters the data, so every block has its own sampling
phase; its gradients use a step that depends on the size of the block, and see nothing beyond a clipping
plane; its lighting is distorted by the proportions of the block; it scales the transfer function to the
values of the block; and its framebuffer has 8 bits per channel. Each of these shows as a seam or as a change
of tone. Here

- sample k of a ray lies at k sample distances from the eye, in every block. The shader marches the k with
  ceil(t_in) <= k < ceil(t_out), so exactly one of two blocks that share a face takes a sample. (This
  replaces the mapper's own depth test: the scene has no opaque objects.)
- a block has one ghost voxel on each side, which gradients read and rays do not enter;
- gradients step by one voxel (of the finest level, for boxes of several levels), and lights are computed in
  data coordinates;
- two corners of the ghost layer, which no sample reaches, hold 0 and 1: the ends of the range;
- pixels are float32 (see `window`).

Measured on the MNI152 brain at 400x400, composited from 2 to 16 blocks, the difference to one process is at
most 0.026 of 255, on average 0.005. It is due to the opacity at which a ray ends early. With clipping planes
and the mapper's own sampling it is 4.2 and 0.54; with VTK's fixed-point mapper 50, and plainly visible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .amr import Box
from .arrays import to_vtk
from .blocks import GHOSTS, Block, Spacing
from .camera import Camera, Rectangle
from .data import Array
from .look import Look, volume_property
from .window import Image, Pause, Window, WindowRenderer

if TYPE_CHECKING:
    from vtkmodules.vtkRenderingCore import vtkVolume

SAMPLES_PER_VOXEL = 2.0

DECLARE = """
const float g_opacityThreshold = 0.9999; // 1 - 1/255 would show where blocks lie behind blocks
vec3 g_firstPos;
"""

# Blinn-Phong with a key light over the left shoulder. Where the gradient is small, there is no surface to
# light, and the colour blends into its unlit value.
LIGHT = """
float along(vec3 step)
{
  return texture3D(in_volume[0], g_dataPos + step).r - texture3D(in_volume[0], g_dataPos - step).r;
}

vec4 computeLighting(vec4 color, int component, float label)
{
  vec3 h = in_gradientStep / vec3(textureSize(in_volume[0], 0));
  vec3 gradient = vec3(
    along(vec3(h.x, 0.0, 0.0)), along(vec3(0.0, h.y, 0.0)), along(vec3(0.0, 0.0, h.z)));
  gradient *= in_cellSpacing[0].x / in_cellSpacing[0];
  float steepness = length(gradient);
  vec3 normal = -gradient / max(steepness, 1e-6);
  vec3 toEye = normalize(in_eyePosObjs[0] - ip_vertexPos);
  vec3 toLight = normalize((in_inverseModelViewMatrix * vec4(-0.45, 0.60, 1.0, 0.0)).xyz);
  float facing = max(dot(normal, toLight), 0.0);
  float shine = pow(max(dot(normal, normalize(toLight + toEye)), 0.0), 40.0);
  vec3 lit = color.rgb * (0.28 + 0.82 * facing) + 0.22 * shine;
  return vec4(mix(0.75 * color.rgb, lit, smoothstep(0.0, 0.08, steepness)), color.a);
}
"""

# The mapper owns names that begin with in_, g_ and ip_, except in_block* and in_gradientStep.
FIND_SAMPLES = """
  {
  vec3 eye = in_eyePosObjs[0];
  vec4 far = WindowToNDC(gl_FragCoord.x, gl_FragCoord.y, 1.0);
  far = in_inverseVolumeMatrix[0] * in_inverseModelViewMatrix * in_inverseProjectionMatrix * far;
  vec3 dir = normalize(far.xyz / far.w - eye) * in_sampleDistance;
  dir = mix(dir, vec3(1e-12), vec3(lessThan(abs(dir), vec3(1e-12))));

  // Intersect the ray with the block, in sample distances from the eye.
  vec3 tLower = (in_blockLower - eye) / dir;
  vec3 tUpper = (in_blockUpper - eye) / dir;
  vec3 tIn = min(tLower, tUpper);
  vec3 tOut = max(tLower, tUpper);
  float enters = max(max(tIn.x, tIn.y), max(tIn.z, 0.0));
  float leaves = min(min(tOut.x, tOut.y), tOut.z);

  // Intersect it with what a plane leaves of the whole.
  float height = dot(in_blockClip.xyz, eye) + in_blockClip.w;
  float slope = dot(in_blockClip.xyz, dir);
  if (slope > 0.0) { enters = max(enters, -height / slope); }
  if (slope < 0.0) { leaves = min(leaves, -height / slope); }
  if (slope == 0.0 && height < 0.0) { discard; }

  float first = ceil(enters);
  float last = ceil(leaves) - 1.0;
  if (last < first) { discard; }

  mat4 toTexture = in_cellToPoint[0] * in_inverseTextureDatasetMatrix[0];
  g_dirStep = (toTexture * vec4(dir, 0.0)).xyz;
  g_firstPos = (toTexture * vec4(eye + first * dir, 1.0)).xyz;
  g_dataPos = g_firstPos;
  g_terminatePointMax = last - first;
  g_currentT = 0.0;
  }
"""

# Positions are computed rather than summed, so that rounding errors do not grow along the ray.
PLACE_SAMPLE = """
    g_dataPos = g_firstPos + g_currentT * g_dirStep;
    //VTK::Base::Impl
"""


class VolumeRenderer(WindowRenderer):
    """Renders `voxels` (from `cut(volume, block)`) as a lit, translucent volume.

    `threshold` is the value where the object becomes visible; `size` is (width, height).
    """

    def __init__(
        self, voxels: Array, block: Block, spacing: Spacing, threshold: float, size: tuple[int, int]
    ) -> None:
        super().__init__(Window(size))
        self._threshold, self._unit = threshold, min(spacing)
        self._volume = _volume(voxels, Box(block, 1), spacing)
        self._window.scene.AddVolume(self._volume)
        self.show(Look())

    def show(self, look: Look) -> None:
        """Apply another look from the next image on."""
        _show([self._volume], look, self._threshold, self._unit)

    def render(self, camera: Camera, pause: Pause | None = None) -> Image:
        """(height, width, 4) float32, premultiplied; `pause` as in `Window.render`."""
        return self._window.render(camera, pause=pause)


class BoxesRenderer(WindowRenderer):
    """Renders the boxes of a hierarchy one by one, each like a block in `VolumeRenderer`.

    `boxes` are pairs of a box and its voxels (from `Hierarchy.voxels`). All levels use the samples, gradients
    and opacities of the finest level, with spacing `finest`, so that they look the same.
    """

    def __init__(
        self, boxes: Sequence[tuple[Box, Array]], finest: Spacing, threshold: float, size: tuple[int, int]
    ) -> None:
        super().__init__(Window(size))
        self._threshold, self._unit = threshold, min(finest)
        self._bounds = [box.bounds(finest) for box, _ in boxes]
        self._volumes = [_volume(voxels, box, finest) for box, voxels in boxes]
        for volume in self._volumes:
            volume.VisibilityOff()
            self._window.scene.AddVolume(volume)
        self.show(Look())

    def show(self, look: Look) -> None:
        """Apply another look from the next images on."""
        _show(self._volumes, look, self._threshold, self._unit)

    def render(self, camera: Camera, pause: Pause | None = None) -> tuple[list[Image], list[Rectangle]]:
        """Image and rectangle in the frame, (x0, y0, x1, y1) with y from the top, for every box.

        An image is (y1 - y0, x1 - x0, 4) float32, premultiplied; empty for a box outside the frame. `pause`
        is as in `Window.render`, and is also called between boxes.
        """
        rectangles = [camera.rectangle(bounds, self._window.size) for bounds in self._bounds]
        images: list[Image] = []
        for volume, rectangle in zip(self._volumes, rectangles, strict=True):
            if images and pause is not None:
                pause()
            volume.VisibilityOn()
            try:
                images.append(self._window.render(camera, rectangle, pause))
            finally:
                volume.VisibilityOff()
        return images, rectangles


def _volume(voxels: Array, box: Box, finest: Spacing) -> vtkVolume:
    from vtkmodules.vtkRenderingCore import vtkVolume
    from vtkmodules.vtkRenderingVolumeOpenGL2 import vtkOpenGLGPUVolumeRayCastMapper

    spacing = box.spacing(finest)
    mapper = vtkOpenGLGPUVolumeRayCastMapper()
    mapper.SetInputData(image_data(_with_range(voxels), box.block, spacing))
    mapper.SetAutoAdjustSampleDistances(False)
    mapper.SetUseJittering(False)

    volume = vtkVolume()
    volume.SetMapper(mapper)
    shader = volume.GetShaderProperty()
    shader.AddFragmentShaderReplacement("//VTK::Termination::Dec", True, DECLARE, False)
    shader.AddFragmentShaderReplacement("//VTK::ComputeLighting::Dec", True, LIGHT, False)
    shader.AddFragmentShaderReplacement("//VTK::Terminate::Init", True, FIND_SAMPLES, False)
    shader.AddFragmentShaderReplacement("//VTK::Base::Impl", True, PLACE_SAMPLE, False)
    bounds = box.bounds(finest)
    uniforms = shader.GetFragmentCustomUniforms()
    uniforms.SetUniform3f("in_blockLower", bounds[0::2])
    uniforms.SetUniform3f("in_blockUpper", bounds[1::2])
    uniforms.SetUniformf("in_gradientStep", 1 / box.step)
    return volume


def _show(volumes: Sequence[vtkVolume], look: Look, threshold: float, unit: float) -> None:
    made = volume_property(look, threshold, unit)
    for volume in volumes:
        volume.SetProperty(made)
        mapper: Any = volume.GetMapper()
        mapper.SetSampleDistance(unit / (SAMPLES_PER_VOXEL * look.samples))
        uniforms = volume.GetShaderProperty().GetFragmentCustomUniforms()
        uniforms.SetUniform4f("in_blockClip", look.clip or (0, 0, 0, 1))


def image_data(voxels: Array, block: Block, spacing: Spacing) -> Any:
    """A vtkImageData of a block with its ghosts, positioned in the whole volume."""
    from vtkmodules.vtkCommonDataModel import vtkImageData

    extent = [
        end
        for first, last in zip(block.lower, block.upper, strict=True)
        for end in (first - GHOSTS, last + GHOSTS)
    ]
    image = vtkImageData()
    image.SetExtent(extent)
    image.SetSpacing(*spacing)
    image.GetPointData().SetScalars(to_vtk(voxels.ravel(order="F")))
    return image


def _with_range(voxels: Array) -> Array:
    voxels = voxels.copy(order="F")
    voxels[0, 0, 0], voxels[-1, -1, -1] = 0, 1
    return voxels
