"""The systems, in the order in which they are listed."""

from collections.abc import Mapping

from evaluation.generating.systems.actions import INLINESEARCH, INTERACT
from evaluation.generating.systems.alce import (
    CLOSEDBOOK,
    ORACLE,
    POSITIONAL,
    SNIPPET,
    SUMM,
    VANILLA,
)
from evaluation.generating.systems.attributed_qa import (
    LLM_AS_RETRIEVER,
    POSTHOC,
    RETRIEVE_THEN_READ,
)
from evaluation.generating.systems.spec import SystemSpec

SYSTEMS: Mapping[str, SystemSpec] = {
    one.key: one
    for one in (
        VANILLA, SUMM, SNIPPET, INTERACT, INLINESEARCH, CLOSEDBOOK, ORACLE, POSITIONAL,
        RETRIEVE_THEN_READ, POSTHOC, LLM_AS_RETRIEVER,
    )
}  # fmt: skip
"""By their keys."""
