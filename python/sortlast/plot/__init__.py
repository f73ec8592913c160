"""Pictures of schedules, costs and runs, drawn with matplotlib.

Every function of these modules takes plain values and returns a ``matplotlib.figure.Figure``, which
:func:`save` writes; pyplot's global state is not used.
"""

from sortlast import _extras

with _extras.needed("a picture"):
    from sortlast.plot.activity import timeline
    from sortlast.plot.figure import FORMATS, check_format, draws, save

__all__ = ["FORMATS", "check_format", "draws", "save", "timeline"]
