"""Common base of the three MPI reductions.

They use `over` (or another operator) as a non-commutative MPI_Op, made of this library's own blend kernels.
The MPI library chooses the algorithm. This is the comparison of Figure 1 in Peterka et al., "A Configurable
Algorithm for Parallel Image-Compositing Applications" (2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sortlast import _native
from sortlast.bench.peer import Peer, Scene
from sortlast.bench.task import CHANNELS

if TYPE_CHECKING:
    pass


class ReductionPeer(Peer):
    """An MPI reduction into memory that all frames reuse."""

    call: str  # name of the MPI function

    def __init__(self, scene: Scene, algorithm: str) -> None:
        from mpi4py import MPI

        super().__init__(scene, algorithm)
        self.native: Any = _native.bench().Reduction(
            MPI._handleof(self.comm), self.task.op, self.task.format, self.task.n
        )

    @classmethod
    def algorithms(cls, scene: Scene) -> Sequence[str]:
        """The only algorithm."""
        return [cls.call]

    @classmethod
    def obstacle(cls, scene: Scene) -> str | None:
        """The images have depth."""
        if scene.task.has_depth:
            return f"{scene.task.op} reads colour and depth, two planes, and a reduction has elements of one"
        return None

    def memory(self, pixels: int) -> NDArray[Any]:
        """Memory for a number of pixels."""
        return np.empty((pixels, CHANNELS), self.task.dtype)

    def close(self) -> None:
        """Free the operator."""
        del self.native
        super().close()
