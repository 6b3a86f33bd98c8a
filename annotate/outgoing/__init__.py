"""Calls to other machines: the only way out, and which addresses may be called."""

from annotate.outgoing.addresses import address_fault
from annotate.outgoing.calls import NotAllowedError, ServerAnswer, UnreachableError, get, post
from annotate.outgoing.networks import EVERYWHERE, Networks, may_be_called
from annotate.outgoing.waiting import EVERY, look, looking, wait
