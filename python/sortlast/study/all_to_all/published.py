"""The published values: ``published.json``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, cast


@lru_cache(maxsize=1)
def published() -> dict[str, Any]:
    """All of it, each table with where it stands in the paper."""
    text = files(__package__).joinpath("published.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text))


def cluster(name: str) -> float:
    """A figure of the paper's cluster, by the name it has in the file."""
    return float(published()["cluster"][name])


def seconds(table: str, row: str) -> Sequence[float | None]:
    """A row of Table 4.2, 4.4 or 4.5, by the number of nodes; None where the paper has ERR."""
    return cast("Sequence[float | None]", published()["tables"][table]["rows"][row])


def words(table: str, row: str) -> Sequence[str]:
    """A row of Table 4.1 or 4.3, as printed."""
    return cast("Sequence[str]", published()["tables"][table]["rows"][row])
