"""The committed stubs of the extension modules are what stubgen makes of them now."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from nanobind.stubgen import StubGen

PACKAGE = Path(__file__).parents[2] / "python" / "sortlast"


@pytest.mark.parametrize("name", ["_core", "_fabric", "_simulate"])
def test_stub_is_up_to_date(name):
    module = import_module(f"sortlast.{name}")
    generator = StubGen(module)
    generator.put(module)
    stub = PACKAGE / f"{name}.pyi"
    assert stub.read_text() == generator.get(), (
        f"{stub.name} is out of date; renew it: python -m nanobind.stubgen -m sortlast.{name} -o {stub}"
    )
