"""The exceptions of sortlast; the extension modules raise these."""

import builtins
import re

# Names in quotation marks, and words; paths may be longer than names.
_LONG = re.compile(r"(?<!\w)'[^'\n]{401,}'(?!\w)|(?<!\w)\"[^\"\n]{401,}\"(?!\w)|[^\s'\"]{1001,}")
_MOST = 20_000  # max characters of a message


def _cut(text: str) -> str:
    """Shorten long names and words in a message: they may come from files with arbitrary content."""
    text = _LONG.sub(lambda found: f"{found[0][:120]}...{found[0][-40:]}", text)
    return text if len(text) <= _MOST else f"{text[:_MOST]} ..."


class Error(Exception):
    """Base of every exception that sortlast raises."""

    def __init__(self, *args: object):
        super().__init__(*(_cut(each) if isinstance(each, str) else each for each in args))


class ArgumentError(Error, ValueError):
    """An invalid argument: the message names it, its value and the expected value."""


class MismatchError(Error, ValueError):
    """Arguments differ between ranks; raised with the same message on every rank."""


class TimeoutError(Error, builtins.TimeoutError):  # noqa: A001
    """A wait exceeded its limit; the message says which rank waits for which, and at which stage."""


class RemoteError(Error, RuntimeError):
    """The call failed on another rank; the message names the rank and the cause."""


class UsageError(Error, RuntimeError):
    """A call that is not possible now: two at once, on a closed object, or after MPI has ended."""


class MpiError(Error, RuntimeError):
    """The MPI library reported an error."""


class MissingExtraError(Error, ImportError):
    """A package from an extra of sortlast is missing; the message says what to install."""
