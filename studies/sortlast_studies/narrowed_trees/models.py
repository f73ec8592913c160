"""Open questions about the paper's simulator, as models: each answers them in one way for all cells.

The paper describes its simulator in one page. It does not say whether a packet requests its output port once
or again in every cycle, in which order a node sends to its neighbours, and how many waves of the waterfall
are under way at once. :data:`MODELS` are combinations of answers. One of them contradicts the text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

MESHES = ("2M", "3M")  # patterns where a node sends to several neighbours at once
WAVES = ("WF",)  # the pattern where nodes repeat their program


@dataclass(frozen=True)
class Setting:
    """How a cell is simulated.

    Attributes:
        requests: argument of :func:`sortlast.simulate.packet`.
        switch_cycles: cycles from the arrival of a packet's head at a switch until it may leave.
        drawn: every node sends to its neighbours in a random order of its own, rather than in step
            (-x, +x, -y, +y, ..).
        one_wave: an iteration of the waterfall begins when the last one has ended, rather than as soon as a
            node has sent all messages of the one before.
    """

    requests: Literal["each-cycle", "persistent"] = "each-cycle"
    switch_cycles: int = 1
    drawn: bool = False
    one_wave: bool = False

    @property
    def name(self) -> str:
        """The differences from the first model; the name of the folder of its steps."""
        parts = ["persistent"] * (self.requests == "persistent") + ["drawn"] * self.drawn
        parts += ["one-wave"] * self.one_wave
        parts += [f"switch-{self.switch_cycles}"] * (self.switch_cycles > 1)
        return "-".join(parts) or "as-is"


@dataclass(frozen=True)
class Model:
    """A setting of all cells.

    Attributes:
        name: its name in the report.
        setting: the setting of all cells.
        possible: whether it is compatible with the paper's text.
    """

    name: str
    setting: Setting
    possible: bool = True

    def of(self, pattern: str) -> Setting:
        """The setting for the cells of a pattern, without options that do not apply to it."""
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
