"""What a page of browser.py notices, and that it ends."""

import pytest

import browser

BAD = """<!doctype html><title>bad</title>
<img src="http://127.0.0.1:9/picture.png">
<script>
console.log("a word");
fetch("https://example.org/").catch(() => {});
setTimeout(() => { throw new Error("a mistake"); });
</script>"""


@pytest.fixture
def bad(tmp_path):
    path = tmp_path / "bad.html"
    path.write_text(BAD)
    return path


def test_errors_and_requests_are_noticed(bad):
    with browser.page(bad) as shown:
        shown.wait("document.images[0].complete")
        assert shown.requests[0] == bad.as_uri()
        assert set(shown.requests[1:]) == {"http://127.0.0.1:9/picture.png", "https://example.org/"}
        assert "a word" in shown.errors
        assert any("a mistake" in error for error in shown.errors)
        assert sum("ERR_INTERNET_DISCONNECTED" in error for error in shown.errors) == 2


@pytest.mark.parametrize("expression", ["new Promise(() => {})", "(() => { while (true); })()"])
def test_a_page_that_does_not_answer_ends_its_test(expression, bad, monkeypatch):
    monkeypatch.setattr(browser, "_LIMIT", 3.0)
    with pytest.raises(TimeoutError, match="within 3 s"), browser.page(bad) as shown:
        shown.run(expression)
    monkeypatch.undo()
    with browser.page(bad) as shown:
        assert shown.run("document.title") == "bad"


def test_what_is_wrong_in_an_expression_is_told(bad):
    with pytest.raises(Exception, match="nothing is not defined"), browser.page(bad) as shown:
        shown.run("nothing.length")
