"""Errors whose messages explain to a person why a request was refused."""

import errno

FULL = (errno.ENOSPC, errno.EDQUOT)
"""The error numbers of a full disk."""


class Refused(Exception):  # noqa: N818  (it is an answer, not a fault)
    """A request that cannot be carried out. The message is for the person who sent it."""


class NoRoom(Refused):
    """The disk is too full for a file."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__(
            f"There is no room for {name} ({size:,} bytes): this server's disk is nearly full. "
            "Nothing was stored. Ask your administrator to free space, then try again."
        )
