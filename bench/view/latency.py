"""From the mouse to the picture: ``sortlast view`` on several ranks compared with trame in one process.

    python latency.py [--data mni152] [--ranks 4] [--size 1024x768] [--mode surface] [--quiet 2] [--alone]

One Chromium, driven by Playwright, drags in each page in turn, on the same data. A probe in the page notes
when a mouse event arrives and when the next picture is drawn (a canvas draws a picture, or an image has
loaded); the time between is the latency of a drag that finds the server idle. For ``sortlast view`` the parts
of frames are printed as well: of frames while the camera moves, and of frames at rest. "send" is the time
from when rank 0 has encoded a picture until the page's script has it, by the clock of this machine; "share"
is everything except rendering, and waiting for the slowest rank to render, relative to rendering.

With ``--mode volume`` it then drags while the fine picture is being rendered, a quarter of its time after the
start: "interrupted" is the time from the mouse to the picture in that case.

Mesa renders. With ``--mode volume``, trame's frames take many seconds; ``--alone`` leaves trame out.

Needs playwright, chromium, trame and trame-vtk.
"""

import argparse
import json
import shutil
import socket
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

PANEL = 320  # on the page of sortlast view [pixels]
EVENTS = 12  # per drag, 60 per second
REST = 4.0  # time until the picture at rest [s]
VIEWER_REST = 0.25  # delay before sortlast view begins a fine picture [s]
LIMIT = 60_000  # timeout for a picture [ms]

PROBE = """
window.probe = { moved: 0, drawn: [] };
const note = () => window.probe.drawn.push(performance.now());
const draw = CanvasRenderingContext2D.prototype.drawImage;
CanvasRenderingContext2D.prototype.drawImage = function (...given) { draw.apply(this, given); note(); };
document.addEventListener("load", (event) => { if (event.target instanceof HTMLImageElement) note(); }, true);
for (const kind of ["pointermove", "mousemove"]) {
  document.addEventListener(kind, () => { window.probe.moved ||= performance.now(); }, true);
}
"""


@contextmanager
def serving(*command: str):
    """A process that prints ``open ADDRESS``, and the address; killed with all its children."""
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)
    try:
        for line in process.stdout:
            if line.startswith("open "):
                yield line.split()[1]
                return
        raise SystemExit(f"{command[0]} ended without an address")
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def latencies(page, size: tuple[int, int], given) -> list[float]:
    """Milliseconds from the first event of a short drag to the next picture."""
    x, y = size[0] / 2, size[1] / 2
    found = []
    for k in range(given.moves + 3):  # the first events adapt the coarseness of frames
        page.mouse.move(x, y)
        page.mouse.down()
        wait_until_quiet(page, given.quiet)
        page.evaluate("window.probe = { moved: 0, drawn: [] }")
        for step in range(1, EVENTS + 1):
            page.mouse.move(x + 4 * step, y + 2 * step * (-1) ** k)
            time.sleep(1 / 60)
        page.wait_for_function(
            "() => window.probe.moved && window.probe.drawn.some((at) => at > window.probe.moved)",
            timeout=LIMIT,
        )
        found.append(
            page.evaluate("window.probe.drawn.find((at) => at > window.probe.moved) - window.probe.moved")
        )
        page.mouse.up()
        wait_until_quiet(page, given.quiet)
    return found[3:]


def interruptions(page, size: tuple[int, int], fine: float, moves: int) -> list[float]:
    """Milliseconds from a mouse event to its picture, while a fine one is rendered for `fine` seconds."""
    found = []
    page.mouse.move(size[0] / 2, size[1] / 2)
    page.mouse.down()
    for k in range(moves):
        for step in (
            3 * (k % 2 + 1),
            -3,
        ):  # the first triggers a fine picture, the second interrupts it
            page.evaluate("window.probe = { moved: 0, drawn: [] }")
            page.mouse.move(size[0] / 2 + step, size[1] / 2)
            page.wait_for_function("() => window.probe.drawn.length", timeout=LIMIT)
            if step > 0:
                time.sleep(VIEWER_REST + fine / 4)
        found.append(page.evaluate("window.probe.drawn[0] - window.probe.moved"))
    page.mouse.up()
    return found


def wait_until_quiet(page, seconds: float) -> None:
    """Wait until no picture has arrived for some seconds: pressing a button also makes trame send some."""
    before = -1
    while (now := page.evaluate("window.probe.drawn.length")) != before:
        before = now
        time.sleep(seconds)


def summary(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "median": statistics.median(ordered),
        "p95": ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))],
    }


KEEP_HEADERS = """
window.headers = [];
const Native = window.WebSocket;
window.WebSocket = class extends Native {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", ({ data }) => {
      if (!(data instanceof ArrayBuffer)) return;
      const length = new DataView(data).getUint32(0, true);
      const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
      header.seconds.send = Date.now() / 1e3 - header.ready;
      window.headers.push({ ...header, bytes: data.byteLength });
    });
  }
};
"""


def parts(headers: list[dict]) -> dict[str, float]:
    """Medians of a frame's parts [ms], and the share of everything except rendering."""
    found = {
        name: 1e3 * statistics.median(h["seconds"][name] for h in headers) for name in headers[0]["seconds"]
    }
    other = sum(found[name] for name in ("order", "composite", "gather", "encode", "send"))
    return {
        **found,
        "bytes": statistics.median(h["bytes"] for h in headers),
        "share": other / found["render"],
    }


def frames(headers: list[dict]) -> dict[str, dict[str, float]]:
    return {
        "frames while moving": parts([h for h in headers if not h["fine"]]),
        "frames at rest": parts([h for h in headers if h["fine"]]),
    }


def show(result: dict[str, dict[str, float]]) -> None:
    for name, values in result.items():
        print(name, {key: round(value, 2) for key, value in values.items()}, flush=True)


def measure_ours(browser, given, size: tuple[int, int]) -> dict[str, dict[str, float]]:
    command = ("-m", "sortlast", "view", given.data, "--ranks", given.ranks, "--mode", given.mode)
    with serving(*command) as address:
        page = browser.new_page(viewport={"width": size[0] + PANEL, "height": size[1]})
        page.add_init_script(PROBE)
        page.add_init_script(KEEP_HEADERS)
        page.goto(address)
        page.wait_for_function("() => window.view?.settled()", timeout=LIMIT)
        found = latencies(page, size, given)
        time.sleep(REST)
        page.wait_for_function("() => window.view.settled()", timeout=LIMIT)
        headers = page.evaluate("window.headers")
        result = {"sortlast view, latency [ms]": summary(found)} | frames(headers)
        if given.mode == "volume":
            fine = result["frames at rest"]["render"] / 1e3
            result["interrupted [ms]"] = summary(interruptions(page, size, fine, given.moves))
        page.close()
    return result


def measure_trame(browser, given, size: tuple[int, int]) -> dict[str, dict[str, float]]:
    local = str(Path(__file__).with_name("trame_local.py"))
    with serving(local, given.data, given.mode, str(free_port())) as address:
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.add_init_script(PROBE)
        page.goto(address)
        page.wait_for_function("() => window.probe.drawn.length", timeout=LIMIT)
        time.sleep(REST)
        found = latencies(page, size, given)
        page.close()
    return {"trame in one process, latency [ms]": summary(found)}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--data", default="mni152")
    asked.add_argument("--ranks", default="4")
    asked.add_argument("--size", default="1024x768")
    asked.add_argument("--mode", choices=("surface", "volume"), default="surface")
    asked.add_argument("--moves", type=int, default=30)
    asked.add_argument(
        "--quiet",
        type=float,
        default=2.0,
        help="seconds without a picture before a drag, so that nothing is under way",
    )
    asked.add_argument("--alone", action="store_true", help="without trame")
    asked.add_argument("--json", type=Path)
    given = asked.parse_args()
    width, height = map(int, given.size.split("x"))
    program = shutil.which("chromium") or shutil.which("google-chrome")
    result: dict[str, dict[str, float]] = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, chromium_sandbox=False)
        for measure in (measure_ours, measure_trame)[: 1 if given.alone else 2]:
            found = measure(browser, given, (width, height))
            show(found)
            result |= found
        browser.close()
    if given.json:
        given.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
