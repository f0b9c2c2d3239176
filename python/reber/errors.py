# SPDX-License-Identifier: BSD-3-Clause
"""What Reber raises. Every message says what, where, what was expected and what to do."""


class Error(Exception):
    """Base of all of Reber's exceptions."""


class InputError(Error, ValueError):
    """The request cannot be carried out as asked (exit code 2 of the command line)."""


class DataError(Error, OSError):
    """A file is missing, damaged or not what it claims to be (exit code 3)."""


class DeviceError(Error, RuntimeError):
    """A compute device failed or is not there, or memory is lacking (exit code 4)."""


class InternalError(Error, RuntimeError):
    """A promise inside Reber was broken: a bug of Reber's (exit code 70)."""


class Cancelled(Error):
    """The work was stopped."""
