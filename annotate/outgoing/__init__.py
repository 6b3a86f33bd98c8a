"""Calls to other machines: the only way out, and which addresses may be called."""

from annotate.outgoing.calls import Answer, NotAllowedError, UnreachableError, post
from annotate.outgoing.networks import EVERYWHERE, Networks, may_be_called

__all__ = [
    "EVERYWHERE",
    "Answer",
    "Networks",
    "NotAllowedError",
    "UnreachableError",
    "may_be_called",
    "post",
]
