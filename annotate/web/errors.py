"""Errors that explain to a person why something was refused."""

import errno

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Numbers of the errors that a full disk raises."""


class Refused(Exception):  # noqa: N818  (it is an answer, not a fault)
    """The request cannot be carried out; the message is meant for the person who asked."""


class NoRoom(Refused):
    """The disk is too full for a file."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__(
            f"There is no room for {name} ({size:,} bytes): this server's disk is nearly full. "
            "Nothing was stored. Ask your administrator to free space, then try again."
        )
