"""Runs the real OpenSM on a simulated fabric: Debian's opensm attached to ibsim.

    run = opensm.route(netlist, "ftree", tmp_path)
    assert run.engine == "ftree", run.errors  # OpenSM falls back silently
    run.lfts.read_text()                      # its forwarding tables
    assert run.check.clean, run.check.output

A fabric of 144 hosts takes about half a second, one of 1728 hosts 10 to 25 s. Where a tool is missing, the
test that asks is skipped or fails, see references.py.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import references


def preload() -> str:
    """Path of the library that leads a tool's packets to ibsim."""
    return references.find("umad2sim")


@dataclass(frozen=True)
class Check:
    """What ibdmchk says of tables: is everybody reached, and may flows wait in a circle?"""

    paths: int  # from adapter to adapter that it walked
    errors: list[str]  # its lines that begin with -E-, less the one for credit loops
    credit_loops: bool | None  # None: not looked for, because paths are missing
    output: str

    @property
    def paths_ok(self) -> bool:
        return self.paths > 0 and not self.errors

    @property
    def clean(self) -> bool:
        return self.paths_ok and not self.credit_loops


@dataclass(frozen=True)
class Run:
    """What OpenSM left behind."""

    folder: Path  # with its dumps
    engine: str  # that made the tables: another than asked for if that refused
    errors: list[str]  # lines of osm.log with ERR
    ibnetdiscover: str  # output, with the LIDs that OpenSM gave
    dump_fts: str  # output: the tables as the switches hold them
    check: Check

    @property
    def lfts(self) -> Path:
        return self.folder / "opensm-lfts.dump"

    @property
    def fdbs(self) -> Path:
        return self.folder / "opensm.fdbs"

    @property
    def subnet(self) -> Path:
        return self.folder / "opensm-subnet.lst"

    @property
    def ca_order(self) -> Path:
        """Made by ftree only."""
        return self.folder / "opensm-ftree-ca-order.dump"


class Simulation:
    """A fabric that ibsim pretends to be."""

    def __init__(self, folder: Path, socket: str):
        self.folder = folder
        self.socket = socket  # by which tools find it
        settings = {
            "IBSIM_SOCKNAME": socket,
            "OSM_TMP_DIR": ".",
            "OSM_CACHE_DIR": ".",
            "LD_PRELOAD": preload(),
        }
        self._environment = {**os.environ, **settings}

    def run(self, name: str, *arguments: str, timeout: float = 120) -> str:
        """Output of a tool on this fabric. Raises RuntimeError if it fails or takes too long."""
        argv = [references.find(name), *arguments]
        with subprocess.Popen(
            argv,
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if name == "opensm" else subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                output, errors = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                _end(process)
                raise RuntimeError(f"{' '.join(argv)} took more than {timeout:g} s") from None
            finally:
                _end(process)
        if process.returncode != 0:
            raise RuntimeError(
                f"{' '.join(argv)} ended with status {process.returncode}:\n{output}{errors or ''}"
            )
        return output


@contextmanager
def simulate(netlist: str, folder: Path, *, limit: float = 900) -> Iterator[Simulation]:
    """A simulated fabric while the context lasts, and at most `limit` seconds.

    `netlist` is a netlist or the output of ibnetdiscover; LIDs that it names are the ports' LIDs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "net").write_text(netlist)
    socket = f"s{secrets.token_hex(4)}"
    sizes = ["-N", "20000", "-S", "4000", "-P", "400000"]
    # timeout(1) ends it even if we are killed.
    argv = [
        shutil.which("timeout") or "timeout",
        f"{limit:g}",
        references.find("ibsim"),
        "-s",
        "-n",
        *sizes,
        "net",
    ]
    with (
        (folder / "ibsim.log").open("w") as log,
        subprocess.Popen(
            argv,
            cwd=folder,
            env={**os.environ, "IBSIM_SOCKNAME": socket},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        ) as process,
    ):
        try:
            _wait_for_socket(process, socket, folder)
            yield Simulation(folder, socket)
        finally:
            _end(process)


def route(
    netlist: str,
    engine: str,
    folder: Path,
    *,
    roots: Iterable[int] = (),
    compute: Iterable[int] = (),
    tables: str | None = None,
    options: Sequence[str] = (),
    lmc: int = 0,
    timeout: float = 300,
) -> Run:
    """Let OpenSM route the fabric of a netlist once, in a folder of its own.

    `roots` are GUIDs of switches (-a), `compute` those of adapter ports (-u), `tables` is what `-R file`
    loads, ports have 2**`lmc` LIDs, `options` go to opensm. Raises RuntimeError if it makes no tables.
    """
    arguments = ["-F", "/dev/null", "-o", "-R", engine, "-D", "0x43", "-f", "osm.log", "-e"]
    arguments += ["--dump_files_dir", "./", *(["-l", str(lmc)] if lmc else []), *options]
    folder.mkdir(parents=True, exist_ok=True)
    for option, file, guids in [("-a", "roots", list(roots)), ("-u", "compute", list(compute))]:
        if guids:
            (folder / file).write_text("".join(f"0x{guid:016x}\n" for guid in guids))
            arguments += [option, file]
    if tables is not None:
        (folder / "tables").write_text(tables)
        arguments += ["-U", "tables"]
    with simulate(netlist, folder, limit=timeout + 600) as fabric:
        (folder / "opensm.out").write_text(fabric.run("opensm", *arguments, timeout=timeout))
        ibnetdiscover = fabric.run("ibnetdiscover")
        dump_fts = fabric.run("dump_fts")
    log = (folder / "osm.log").read_text(errors="replace")
    return Run(
        folder=folder,
        engine=_engine(log),
        errors=[line for line in log.splitlines() if re.search(r"\bERR\b", line)],
        ibnetdiscover=ibnetdiscover,
        dump_fts=dump_fts,
        check=check(folder),
    )


def check(folder: Path, *, timeout: float = 600) -> Check:
    """What ibdmchk says of the tables that OpenSM dumped.

    Of several LIDs a port it looks at the first; with its option -l it cannot read them. It tends to crash
    once it has said everything (Debian 1.5.7), so its words count, not its exit status.
    """
    argv = [references.find("ibdmchk"), "-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs"]
    ended = subprocess.run(
        argv, cwd=folder, capture_output=True, text=True, errors="replace", timeout=timeout, check=False
    )
    output = ended.stdout + ended.stderr
    (folder / "ibdmchk.out").write_text(output)
    loops = re.search(r"no credit loops found|Found credit loop|credit loops in routing", output)
    paths = re.search(r"Scanned:\s*(\d+) CA to CA paths", output)
    if not loops and "Point to Point Traversals Failed" not in output:
        raise RuntimeError(f"ibdmchk came to no verdict (status {ended.returncode}):\n{output[-2000:]}")
    return Check(
        paths=int(paths.group(1)) if paths else 0,
        errors=re.findall(r"^-E- (?!credit loops in routing).*", output, re.MULTILINE),
        credit_loops=not loops.group(0).startswith("no ") if loops else None,
        output=output,
    )


def _engine(log: str) -> str:
    found = re.findall(r"osm_ucast_mgr_process: (\S+) tables configured", log)
    if not found:
        raise RuntimeError(f"OpenSM made no tables:\n{log[-3000:]}")
    return str(found[-1])


def _wait_for_socket(process: subprocess.Popen[bytes], socket: str, folder: Path) -> None:
    limit = time.monotonic() + 60
    while socket not in Path("/proc/net/unix").read_text(errors="replace"):
        if process.poll() is not None or time.monotonic() > limit:
            raise RuntimeError(f"ibsim does not serve:\n{(folder / 'ibsim.log').read_text()[-2000:]}")
        time.sleep(0.02)


def _end(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """End a process and what it started: kindly first, so that it can wait for its children."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, kind)
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
