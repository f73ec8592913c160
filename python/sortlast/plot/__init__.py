"""Pictures of schedules, costs and runs, drawn with matplotlib.

Every function of the modules here takes plain values and returns a ``matplotlib.figure.Figure``, which
:func:`save` writes; nothing touches pyplot's global state.
"""

from sortlast.plot.figure import save
from sortlast.plot.timeline import timeline

__all__ = ["save", "timeline"]
