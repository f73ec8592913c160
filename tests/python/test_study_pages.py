"""The studies as people run them: their quick subsets computed, and every page opened in a browser."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

import browser
from sortlast.study.studies import STUDIES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    command = [sys.executable, "-m", "sortlast", "study", "all", "--quick", "--output", str(folder)]
    subprocess.run(command, check=True, timeout=1500)
    return folder


@pytest.mark.parametrize("page", ["overview.html", *(f"{name}/report.html" for name in STUDIES)])
def test_a_browser_shows_the_whole_page(folder, page):
    with browser.page(folder / page) as shown:
        assert shown.run("document.title")
        assert shown.run("document.querySelectorAll('table').length") >= 1
        images = shown.run("[...document.images].map(({ alt, naturalWidth }) => [alt, naturalWidth])")
        assert [alt for alt, width in images if width < 100] == []
        assert (len(images) > 0) == (page != "overview.html")
        assert not re.search(r"\b(nan|None|undefined)\b", shown.run("document.body.innerText"))
        links = shown.run("[...document.querySelectorAll('a[href]')].map((link) => link.href)")
        assert [link for link in links if link.startswith("file:") and not _there(link)] == []
        assert shown.errors == []
        assert [url for url in shown.requests if not url.startswith(("file:", "data:"))] == []


def _there(link):
    return Path(unquote(urlparse(link).path)).exists()
