"""A storm of random mistakes, as each rank makes them and tells what it met.

All ranks draw the same numbers, so each knows who makes which mistake. A trial gives, on rank 0, its kind and
what was not as the documentation of :class:`sortlast.Compositor` promises; after each a right frame follows
on a compositor that lives on as long as it is usable.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from mpi4py import MPI

import sortlast

LONG = 60.0  # limit of a compositor whose calls all ranks make [s]
SHORT = 3.0  # limit where some rank does not come, on a machine under load [s]
AT_ONCE = 20.0  # for an error that waits for nobody, on a machine under load [s]
SHAPE = (6, 8, 4)

# Calls that are not those of the other ranks, or wrong in themselves.
CALLS: dict[str, Callable[[sortlast.Compositor, np.ndarray, Any], object]] = {
    "size": lambda comp, image, tile: comp.composite(image[:5].copy(), op="add"),
    "type": lambda comp, image, tile: comp.composite(image.astype(np.float16), op="add"),
    "channels": lambda comp, image, tile: comp.composite(image[..., :3].copy(), op="add"),
    "operator": lambda comp, image, tile: comp.composite(image, op="max"),
    "depth": lambda comp, image, tile: comp.composite(image, image[..., 0].copy(), op="add"),
    "background": lambda comp, image, tile: comp.composite(image, op="add", background=[0, 0, 0, 1]),
    "gather": lambda comp, image, tile: comp.gather(tile),
    "no image": lambda comp, image, tile: comp.composite(None, op="add"),
    "float64": lambda comp, image, tile: comp.composite(image.astype(float), op="add"),
    "gaps": lambda comp, image, tile: comp.composite(image[:, ::2], op="add"),
    "order": lambda comp, image, tile: comp.composite(image, op="add", order=[0, 0]),
    "bounds": lambda comp, image, tile: comp.composite(image, op="add", bounds=(0, 0, 9, 9)),
    "word": lambda comp, image, tile: comp.composite(image, op="plus"),
    "root": lambda comp, image, tile: comp.gather(tile, root=99),
    "images": lambda comp, image, tile: comp.composite_layers([], [], (6, 8), op="add"),
    "fragments": lambda comp, image, tile: comp.composite_fragments(image),
}

Met = tuple[str, str, float]  # the name of an exception, its text, and the time that it took [s]


def met(call: Callable[[], object]) -> Met:
    """What a call raises."""
    begin = time.monotonic()
    try:
        call()
    except Exception as error:
        return type(error).__name__, str(error), time.monotonic() - begin
    return "nothing", "", time.monotonic() - begin


class Storm:
    """One rank's part in it."""

    def __init__(self, comm: MPI.Intracomm, seed: int) -> None:
        self.comm, self.draw = comm, random.Random(seed)
        self.image = np.full(SHAPE, (comm.rank + 1) / 64, np.float32)
        self.sum = np.float32(comm.size * (comm.size + 1) / 128)
        self.node_ranks = self.draw.choice([0, 1, 2])
        self.begin()

    def begin(self) -> None:
        """Make the compositor that lasts, and a tile of it."""
        self.lasting = self.compositor(LONG)
        self.tile = self.lasting.composite(self.image, op="add")

    def compositor(self, limit: float, comm: MPI.Intracomm | None = None) -> sortlast.Compositor:
        return sortlast.Compositor(
            self.comm if comm is None else comm, timeout=limit, node_ranks=self.node_ranks
        )

    def is_right(self, comp: sortlast.Compositor, step: int = 1) -> bool:
        """Whether a frame of all ranks is their sum."""
        frame = comp.gather(comp.composite(self.image * np.float32(step), op="add"))
        return frame is None or bool((frame.colour == self.sum * np.float32(step)).all())

    def some(self) -> list[int]:
        """Some ranks but not all."""
        return self.draw.sample(range(self.comm.size), self.draw.randint(1, self.comm.size - 1))

    @contextmanager
    def short(self) -> Iterator[sortlast.Compositor]:
        """A compositor whose limit passes in the block, after which all ranks wait for each other."""
        comp = self.compositor(LONG if self.comm.size == 1 else SHORT)
        self.comm.Barrier()
        yield comp
        self.comm.Barrier()
        comp.close()

    # ---- Kinds of mistakes: each gives what was met, and the exceptions that may be, rank by rank.

    def arguments(self) -> tuple[Met, list[set[str]]]:
        """Some ranks make another call than the rest."""
        odd, name = self.some(), self.draw.choice(list(CALLS))
        mine = (
            CALLS[name]
            if self.comm.rank in odd
            else lambda comp, image, tile: comp.composite(image, op="add")
        )
        return met(lambda: mine(self.lasting, self.image, self.tile)), [{"MismatchError"}] * self.comm.size

    def everywhere(self) -> tuple[Met, list[set[str]]]:
        """All make the same wrong call."""
        name = self.draw.choice(
            ["no image", "float64", "gaps", "order", "bounds", "word", "root", "fragments"]
        )
        call = CALLS[name]
        return met(lambda: call(self.lasting, self.image, self.tile)), [{"ArgumentError"}] * self.comm.size

    def order_of_calls(self) -> tuple[Met, list[set[str]]]:
        """Some gather another frame's tile, or make their calls in another order."""
        odd = self.comm.rank in self.some()
        old = self.tile
        self.tile = self.lasting.composite(self.image, op="add", order=list(range(self.comm.size))[::-1])
        found = met(lambda: self.lasting.gather(old if odd else self.tile))
        return found, [{"MismatchError"}] * self.comm.size

    def exception(self) -> tuple[Met, list[set[str]]]:
        """A renderer raises before the call, and the compositor is closed on that rank."""
        odd = self.some()

        def frame(comp: sortlast.Compositor) -> None:
            with comp:
                if self.comm.rank in odd:
                    raise ZeroDivisionError
                comp.composite(self.image, op="add")

        with self.short() as comp:
            found = met(lambda: frame(comp))
        return found, self.absent(odd, "ZeroDivisionError")

    def absent(self, odd: list[int], theirs: str) -> list[set[str]]:
        others = {"TimeoutError", "RemoteError"}
        return [{theirs} if rank in odd else others for rank in range(self.comm.size)]

    def leaves(self) -> tuple[Met, list[set[str]]]:
        """Some leave the loop a frame earlier."""
        odd = self.some()
        with self.short() as comp:
            found = met(lambda: None if self.comm.rank in odd else comp.composite(self.image, op="add"))
        return found, self.absent(odd, "nothing")

    def sleeps(self) -> tuple[Met, list[set[str]]]:
        """Some come after the limit: they learn that they are late."""
        odd = self.some()
        with self.short() as comp:
            if self.comm.rank in odd:
                time.sleep(2.5 * SHORT)
            found = met(lambda: comp.composite(self.image, op="add"))
        return found, [{"TimeoutError", "RemoteError"}] * self.comm.size

    def two_compositors(self) -> tuple[Met, list[set[str]]]:
        """Some take two compositors in the other order, so that all wait for each other."""
        odd = self.comm.rank in self.some()
        with self.short() as first, self.short() as second:
            comp = second if odd else first
            found = met(lambda: comp.composite(self.image, op="add"))
        return found, [{"TimeoutError", "RemoteError"}] * self.comm.size

    def threads_of_two(self) -> tuple[Met, list[set[str]]]:
        """Two threads with a compositor each: no mistake."""
        comps = [self.compositor(LONG), self.compositor(LONG)]
        right: list[bool] = []

        def frames(comp: sortlast.Compositor) -> None:
            right.extend(self.is_right(comp, step) for step in range(1, 4))

        others = [threading.Thread(target=frames, args=[comp]) for comp in comps]
        for each in others:
            each.start()
        for each in others:
            each.join()
        for comp in comps:
            comp.close()
        return ("nothing" if right == [True] * 6 else f"{right}", "", 0.0), [{"nothing"}] * self.comm.size

    def threads_of_one(self) -> tuple[Met, list[set[str]]]:
        """Two threads call one compositor: who is second gets an error, and the frame is right."""
        odd = self.draw.randrange(self.comm.size)
        if self.comm.rank != odd:
            self.comm.Barrier()
            return met(lambda: self.lasting.composite(self.image, op="add")), self.second(odd)
        answers: list[Met] = []

        def call() -> None:
            answers.append(met(lambda: self.lasting.composite(self.image, op="add")))
            if (
                answers[-1][0] == "UsageError"
            ):  # the other thread waits in its call for the ranks that come now
                self.comm.Barrier()

        others = [threading.Thread(target=call) for _ in range(2)]
        for each in others:
            each.start()
        for each in others:
            each.join()
        names = sorted(answer[0] for answer in answers)
        return (" ".join(names), str(answers), max(answer[2] for answer in answers)), self.second(odd)

    def second(self, odd: int) -> list[set[str]]:
        return [{"UsageError nothing"} if rank == odd else {"nothing"} for rank in range(self.comm.size)]

    def parts(self) -> tuple[Met, list[set[str]]]:
        """Of two parts of the communicator one makes a mistake; the other does not notice."""
        colours = [self.draw.randrange(2) for _ in range(self.comm.size)]
        wrong = self.draw.randrange(2)
        colour = colours[self.comm.rank]
        part = self.comm.Split(colour)
        image = self.image.astype(float) if colour == wrong and part.rank == 0 else self.image
        with self.compositor(LONG, part) as comp:
            found = met(lambda: comp.composite(image, op="add"))
            total = sum(rank + 1 for rank, each in enumerate(colours) if each == colour) / 64
            right = bool((comp.composite(self.image, op="add").pixels == np.float32(total)).all())
        part.Free()
        expected = [
            {"nothing"}
            if each != wrong
            else {"ArgumentError" if colours.count(each) == 1 else "MismatchError"}
            for each in colours
        ]
        return (found if right else ("a wrong picture", "", 0.0)), expected

    def freed(self) -> tuple[Met, list[set[str]]]:
        """The communicator is freed once the compositor has it, which is no mistake; a freed one is none."""
        copy = self.comm.Dup()
        comp = self.compositor(LONG, copy)
        copy.Free()
        right = self.is_right(comp)
        comp.close()
        found = met(lambda: self.compositor(LONG, copy))
        return (found if right else ("a wrong picture", "", 0.0)), [{"ArgumentError"}] * self.comm.size

    def closed(self) -> tuple[Met, list[set[str]]]:
        """Some have closed their compositor."""
        odd = self.some()
        with self.short() as comp:
            if self.comm.rank in odd:
                comp.close()
            found = met(lambda: comp.composite(self.image, op="add"))
        return found, self.absent(odd, "UsageError")

    def constructor(self) -> tuple[Met, list[set[str]]]:
        """Some make another compositor than the rest."""
        wrong: dict[str, Any] = self.draw.choice(
            [
                {"algorithm": "tree"},
                {"algorithm": "none"},
                {"check": 3},
                {"wire": "float16"},
                {"node_ranks": -1},
            ]
        )
        options = {"algorithm": "shift", "timeout": LONG} | (wrong if self.comm.rank in self.some() else {})
        return met(lambda: sortlast.Compositor(self.comm, **options)), [{"MismatchError"}] * self.comm.size

    # ---- Trials

    QUICK = (arguments, everywhere, order_of_calls, threads_of_two, threads_of_one, parts, freed, constructor)
    WAITING = (exception, leaves, sleeps, two_compositors, closed)

    def trial(self, waiting: float) -> dict[str, Any]:
        """One mistake, and a right frame; `waiting` is the share of those at which a limit passes."""
        kinds = self.WAITING if self.draw.random() < waiting else self.QUICK
        # Kinds that are drawn more often than others have more ways to be wrong.
        kind = self.draw.choice([*kinds, *[Storm.arguments] * (8 if kinds is self.QUICK else 0)])
        found, expected = kind(self)
        all_met = self.comm.allgather(found)
        faults = [
            f"rank {rank}: {name} after {seconds:.1f} s: {text}"
            for rank, (name, text, seconds) in enumerate(all_met)
            if name not in expected[rank] or seconds > AT_ONCE
        ]
        texts = {text for name, text, _ in all_met if name in ("MismatchError", "ArgumentError")}
        if len(texts) > 1 and kind is not Storm.parts:
            faults.append(f"texts that differ: {sorted(texts)}")
        usable = self.comm.allgather(self.lasting.usable)
        if len(set(usable)) > 1:
            faults.append(f"usable on some ranks: {usable}")
        if not all(usable):
            self.begin()
        right = all(self.comm.allgather(self.is_right(self.lasting, self.draw.randint(1, 8))))
        errors = sum(name in expected[rank] for rank, (name, _, _) in enumerate(all_met))
        return {
            "kind": kind.__name__,
            "faults": faults,
            "right": right,
            "ranks as promised": errors,
            "seconds": max(seconds for _, _, seconds in all_met),
        }


def after_finalize(storm: Storm) -> list[Met]:
    """What calls meet when MPI has ended, to be asked last."""
    comp, image, tile, comm = storm.lasting, storm.image, storm.tile, storm.comm
    MPI.Finalize()
    calls = [
        lambda: comp.composite(image, op="add"),
        lambda: comp.gather(tile),
        lambda: comp.composite_layers([], [], (6, 8)),
        lambda: sortlast.Compositor(comm),
    ]
    return [met(call) for call in calls] + [met(comp.close)]
