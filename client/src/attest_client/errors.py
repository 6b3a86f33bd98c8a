"""What can go wrong."""

from typing import Any


class AttestError(Exception):
    """What Attest answered instead: why, in words, and what to do.

    `code` is one of those that the documentation of the interface lists; `details` says more of
    some, such as what is wrong with each field.
    """

    def __init__(self, status: int, code: str, message: str, details: Any = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.details = status, code, message, details

    def __str__(self) -> str:
        return f"{self.message} {self.details}" if self.details else self.message


class FailedError(AttestError):
    """Work that was asked for came to an end without a result, and why."""

    def __init__(self, message: str) -> None:
        super().__init__(0, "failed", message)
