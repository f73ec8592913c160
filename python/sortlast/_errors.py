"""The exceptions of sortlast; the extension modules raise these."""

import builtins


class Error(Exception):
    """Base of every exception that sortlast raises."""


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
