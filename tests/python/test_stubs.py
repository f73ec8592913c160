"""The committed stub of the extension module is what stubgen makes of it now."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from nanobind.stubgen import StubGen

STUB = Path(__file__).parents[2] / "python" / "sortlast" / "_core.pyi"


def test_stub_is_up_to_date():
    generator = StubGen(import_module("sortlast._core"))
    generator.put(import_module("sortlast._core"))
    assert STUB.read_text() == generator.get(), (
        f"{STUB.name} is out of date; renew it: python -m nanobind.stubgen -m sortlast._core -o {STUB}"
    )
