"""The systems there are, in the order in which they are named."""

from collections.abc import Mapping

from evaluation.generating import (
    closedbook,
    inlinesearch,
    interact,
    llm_as_retriever,
    oracle,
    positional,
    posthoc,
    retrieve_then_read,
    snippet,
    summ,
    vanilla,
)
from evaluation.generating.spec import SystemSpec

_MODULES = (
    vanilla, summ, snippet, interact, inlinesearch, closedbook, oracle, positional,
    retrieve_then_read, posthoc, llm_as_retriever,
)  # fmt: skip

SYSTEMS: Mapping[str, SystemSpec] = {one.SPEC.key: one.SPEC for one in _MODULES}
"""By their keys."""
