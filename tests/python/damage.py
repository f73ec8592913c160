"""Reads damaged copies of data files in this process, as a child that may take little memory.

    python damage.py READER FILE COUNT HEADER

READER is ``image``, ``depth`` or ``volume``. Each of COUNT copies of FILE has some of its first HEADER
bytes changed, or is cut off; the draws have fixed seeds. Each must be read, or refused in one line that
names the file. Prints how many were refused and how many bytes of memory the process took at most for them.
"""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

import numpy as np

ADDRESS_SPACE = 3 << 30
_NUMBERS = (b"0", b"-1", b"7", b"65536", b"2147483647", b"99999999999", b"1e30", b"nan", b"x", b"")


def damaged(content: bytes, header: int, seed: int) -> bytes:
    """The content with a few changes in its header, as a disk, a transfer or somebody might make them."""
    draw = np.random.default_rng(seed)
    changed = bytearray(content)
    for _ in range(draw.integers(1, 4)):
        at = int(draw.integers(min(header, len(changed))))
        how = draw.integers(5)
        if how == 0:
            changed[at] = draw.integers(256)
        elif how == 1:  # a word of the greatest or the least value
            changed[at : at + 4] = [b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\0\0\0\x80", b"\0\0\0\0"][
                draw.integers(4)
            ]
        elif how == 2:  # another number in text
            numbers = list(re.finditer(rb"\d+", bytes(changed[:header])))
            if numbers:
                one = numbers[draw.integers(len(numbers))]
                changed[one.start() : one.end()] = _NUMBERS[draw.integers(len(_NUMBERS))]
        elif how == 3:
            del changed[at : at + int(draw.integers(1, 9))]
        else:
            del changed[int(draw.integers(len(changed))) :]
            changed += b" " * (not changed)
    return bytes(changed)


def reader(name: str):
    from sortlast import image_files, render

    return {"image": image_files.read, "depth": image_files.read_depth, "volume": render.load}[name]


def taken() -> int:
    """Greatest resident memory of this process so far, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    name, path, count, header = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    from sortlast import Error

    read = reader(name)
    content = path.read_bytes()
    read(str(path))  # what the first call imports is nobody's
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    before, refused = taken(), 0
    copy = path.with_name(f"copy-{path.name}")
    for seed in range(count):
        copy.write_bytes(damaged(content, header, seed))
        print(f"{path.name}: seed {seed}", file=sys.stderr, flush=True)
        try:
            read(str(copy))
        except Error as error:
            refused += 1
            if str(copy) not in str(error) or "\n" in str(error):
                sys.exit(f"seed {seed}: {error}")
    print(refused, taken() - before)


if __name__ == "__main__":
    main()
