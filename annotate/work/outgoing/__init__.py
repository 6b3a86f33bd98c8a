"""Calls to other machines: the only way out, and which addresses may be called."""

from annotate.work.outgoing.addresses import address_fault
from annotate.work.outgoing.calls import NotAllowedError, ServerAnswer, UnreachableError, get, post
from annotate.work.outgoing.networks import EVERYWHERE, Networks, may_be_called
from annotate.work.outgoing.waiting import EVERY, look, looking, wait
