"""Where a program to compare with is missing, its tests are skipped, or fail if all are required."""

from __future__ import annotations

import pytest

import conftest
import opensm
import references


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch):
    monkeypatch.setattr(references.shutil, "which", lambda *_, **__: None)


def test_a_test_without_its_program_is_skipped_with_the_package(monkeypatch):
    monkeypatch.delenv("SORTLAST_REQUIRE_REFERENCES", raising=False)
    with pytest.raises(pytest.skip.Exception, match="iverilog is not installed; it is in the Debian package"):
        references.find("iverilog")


def test_it_fails_where_all_are_required(monkeypatch, tmp_path):
    monkeypatch.setenv("SORTLAST_REQUIRE_REFERENCES", "1")
    with pytest.raises(pytest.fail.Exception, match="opensm is not installed; it is in the Debian package"):
        references.find("opensm")
    with pytest.raises(pytest.fail.Exception, match="is not installed"):
        opensm.route("", "minhop", tmp_path)


def test_the_marker_is_looked_at_before_a_test_begins(request, monkeypatch):
    monkeypatch.delenv("SORTLAST_REQUIRE_REFERENCES", raising=False)
    request.node.add_marker(pytest.mark.references("iverilog"))
    with pytest.raises(pytest.skip.Exception, match="iverilog"):
        conftest.pytest_runtest_setup(request.node)


def test_hosts_fail_for_a_missing_program_alone_where_all_are_required(monkeypatch):
    monkeypatch.setattr(references.os, "geteuid", lambda: 0)
    monkeypatch.setenv("SORTLAST_REQUIRE_REFERENCES", "1")
    assert references.needs_hosts().args == (False,)
    monkeypatch.delenv("SORTLAST_REQUIRE_REFERENCES")
    assert references.needs_hosts().args == (True,)
    assert "need ip, tc, unshare; install iproute2" in references.needs_hosts().kwargs["reason"]

    monkeypatch.setattr(references.os, "geteuid", lambda: 1000)
    monkeypatch.setenv("SORTLAST_REQUIRE_REFERENCES", "1")
    assert "need root" in references.needs_hosts().kwargs["reason"]
