"""Runs clang-tidy over the C++ sources of a build in which it has not yet found nothing.

    python tests/clang_tidy.py build/run [--deep]

In a source of the product, the paths within each function are followed; with --deep also those through the
functions that it calls, which takes three times as long. --deep looks at the sources of the tests too, within
each function.

A source that was clean is kept in BUILD/clang-tidy.json under a hash of all that the result depends on: what
it and the headers that it includes hold, as the compiler told Ninja, its command, the configuration and
clang-tidy itself. It is looked at again when one of these has changed. What was clean with --deep is clean
without it. Sources that took longest begin first.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHALLOW = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow")]
PRODUCT = ("src", "capi", "icet", "python/src")
TESTS = ("tests",)


def commands(build: Path, looked_at: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Source, object relative to the build folder, and command of all that is looked at in some folders."""
    folders = tuple(f"{ROOT / folder}{os.sep}" for folder in looked_at)
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["file"].startswith(folders):
            yield entry["file"], os.path.relpath(entry["output"], build), entry["command"]


def dependencies(build: Path) -> dict[str, list[str]]:
    """Files that each object of an up-to-date build was made from."""
    command = ["ninja", "-C", build, "-t", "deps"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, list[str]] = {}
    for part in told.strip().split("\n\n"):
        title, *files = part.splitlines()
        found[title.partition(": #deps")[0]] = [os.path.join(build, file.strip()) for file in files]
    return found


@cache
def contents(path: str) -> bytes:
    """Hash of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def key(command: str, files: list[str], tool: bytes) -> str:
    """Hash of all that a result depends on."""
    digest = hashlib.sha256(tool + command.encode())
    for path in sorted(files):
        digest.update(path.encode() + contents(path))
    return digest.hexdigest()


def keys(build: Path, looked_at: tuple[str, ...]) -> dict[str, dict[bool, str]]:
    """Two hashes of each source: of a shallow look at it and of a deep one."""
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    settings = [str(path) for path in (ROOT / ".clang-tidy", *ROOT.glob("tests/**/.clang-tidy"))]
    made_from = dependencies(build)
    found = {}
    for source, output, command in commands(build, looked_at):
        # What is precompiled stands in no list but its own.
        precompiled = re.findall(r"-include (\S+)", command)
        files = made_from[output] + settings
        for name in precompiled:
            files += made_from[os.path.relpath(name, build) + ".gch"]
        tools = {deep: version + " ".join([] if deep else SHALLOW).encode() for deep in (False, True)}
        found[source] = {deep: key(command, files, tool) for deep, tool in tools.items()}
    return found


def look_at(source: str, build: Path, deep: bool) -> tuple[str, float]:
    """What clang-tidy finds in a source, nothing if that is clean; and how long it took [s]."""
    began = time.monotonic()
    command = ["clang-tidy", "-quiet", "-p", build, *([] if deep else SHALLOW), source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr) * (done.returncode != 0), time.monotonic() - began


def main(build: Path, deep: bool) -> int:
    """Look at what is not known to be clean; 1 if something was found."""
    kept = build / "clang-tidy.json"
    # Of each source: the hash under which it was clean, and the time that it took.
    known = json.loads(kept.read_text()) if kept.exists() else {}
    known = {source: known[source] for source in known if os.path.exists(source)}
    wanted = keys(build, PRODUCT + TESTS if deep else PRODUCT)
    deeply = {source: deep and not source.startswith(f"{ROOT / 'tests'}{os.sep}") for source in wanted}
    enough = {source: {hashes[True], hashes[deeply[source]]} for source, hashes in wanted.items()}
    changed = [source for source in wanted if known.get(source, [""])[0] not in enough[source]]
    changed.sort(key=lambda source: -known.get(source, ["", os.path.getsize(source)])[1])
    failed = 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        started = {threads.submit(look_at, source, build, deeply[source]): source for source in changed}
        for done in as_completed(started):
            source = started[done]
            found, seconds = done.result()
            failed += bool(found)
            known[source] = ["" if found else wanted[source][deeply[source]], seconds]
            kept.write_text(json.dumps(known, indent=0))
            if found:
                print(found, flush=True)
    print(f"clang-tidy: {len(changed)} of {len(wanted)} sources looked at, something found in {failed}")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), "--deep" in sys.argv[2:]))
