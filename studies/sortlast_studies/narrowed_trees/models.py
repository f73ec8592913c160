"""What the paper leaves open about its simulator, as models: each settles it in one way for all cells.

The paper tells its simulator in one page. It does not say whether a packet asks for its output port once or
anew in every cycle, in which order a node sends to its neighbours, and how many waves of the waterfall are
under way at once. :data:`MODELS` are combinations of answers. One contradicts what it does say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

MESHES = ("2M", "3M")  # patterns in which a node sends to several neighbours at once
WAVES = ("WF",)  # the pattern whose nodes repeat their program


@dataclass(frozen=True)
class Setting:
    """How a cell is simulated.

    Attributes:
        requests: as :func:`sortlast.simulate.packet` takes them.
        switch_cycles: from the arrival of a packet's head at a switch until it may leave.
        drawn: every node sends to its neighbours in an order of its own, drawn at random, and not in step
            (-x, +x, -y, +y, ..).
        one_wave: an iteration of the waterfall begins when the last one has ended, and not as soon as a node
            has sent all messages of the one before.
    """

    requests: Literal["each-cycle", "persistent"] = "each-cycle"
    switch_cycles: int = 1
    drawn: bool = False
    one_wave: bool = False

    @property
    def name(self) -> str:
        """What differs from the first model; the name of the folder of its steps."""
        parts = ["persistent"] * (self.requests == "persistent") + ["drawn"] * self.drawn
        parts += ["one-wave"] * self.one_wave
        parts += [f"switch-{self.switch_cycles}"] * (self.switch_cycles > 1)
        return "-".join(parts) or "as-is"


@dataclass(frozen=True)
class Model:
    """A setting of all cells.

    Attributes:
        name: that the report gives it.
        setting: of all cells.
        possible: that the paper does not say otherwise.
    """

    name: str
    setting: Setting
    possible: bool = True

    def of(self, pattern: str) -> Setting:
        """The setting of the cells of a pattern: what does not concern it is left out."""
        return replace(
            self.setting,
            drawn=self.setting.drawn and pattern in MESHES,
            one_wave=self.setting.one_wave and pattern in WAVES,
        )


_PERSISTENT = Setting("persistent")
_DRAWN = replace(_PERSISTENT, drawn=True)
AS_IS = Model("as is", Setting())
LIKELY = Model("persistent, drawn", _DRAWN)
MODELS = (
    AS_IS,
    Model("drawn", Setting(drawn=True)),
    Model("persistent", _PERSISTENT),
    LIKELY,
    Model("one wave", replace(_DRAWN, one_wave=True)),
    # "A cycle is the time required by a phit to traverse one switch", section 3.
    Model("slow switch", replace(_DRAWN, switch_cycles=3), possible=False),
)
