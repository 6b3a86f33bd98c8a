"""Calls to other machines: the only way out, and the addresses that may be called."""

from annotate.work.outgoing.calls import NotAllowedError, ServerAnswer, UnreachableError, get, post
from annotate.work.outgoing.networks import EVERYWHERE, Networks, address_fault, may_be_called
from annotate.work.outgoing.waiting import EVERY, look, looking, wait
