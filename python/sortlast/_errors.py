"""The exceptions of sortlast; the extension modules raise these."""

import builtins
import re

# Names in quotation marks, and words; paths may be longer than names.
_LONG = re.compile(r"(?<!\w)'[^'\n]{401,}'(?!\w)|(?<!\w)\"[^\"\n]{401,}\"(?!\w)|[^\s'\"]{1001,}")
_MOST = 20_000  # characters of a message


def _cut(text: str) -> str:
    """A message with its long names and words cut: they come from files, which may hold anything."""
    text = _LONG.sub(lambda found: f"{found[0][:120]}...{found[0][-40:]}", text)
    return text if len(text) <= _MOST else f"{text[:_MOST]} ..."


class Error(Exception):
    """Base of every exception that sortlast raises."""

    def __init__(self, *args: object):
        super().__init__(*(_cut(each) if isinstance(each, str) else each for each in args))


class ArgumentError(Error, ValueError):
    """An argument is wrong on its own: the message says which, what it was and what was expected."""


class MismatchError(Error):
    """Arguments differ between ranks; raised with the same message on every rank."""


class TimeoutError(Error, builtins.TimeoutError):  # noqa: A001
    """A wait passed its limit; the message says who waits for whom at which stage."""


class RemoteError(Error):
    """Another rank's call failed on the way; the message says which rank's, and why."""


class UsageError(Error):
    """A call that cannot be made now: two at once, on what is closed, or after MPI has ended."""


class MpiError(Error):
    """The MPI library reported an error."""


class MissingExtraError(Error, ImportError):
    """A package is missing that an extra of sortlast brings; the message says what to install."""
