"""The systems there are, in the order in which they are named."""

from collections.abc import Mapping

from evaluation.generating.actions import INLINESEARCH, INTERACT
from evaluation.generating.alce import CLOSEDBOOK, ORACLE, POSITIONAL, SNIPPET, SUMM, VANILLA
from evaluation.generating.attributed_qa import LLM_AS_RETRIEVER, POSTHOC, RETRIEVE_THEN_READ
from evaluation.generating.spec import SystemSpec

SYSTEMS: Mapping[str, SystemSpec] = {
    one.key: one
    for one in (
        VANILLA, SUMM, SNIPPET, INTERACT, INLINESEARCH, CLOSEDBOOK, ORACLE, POSITIONAL,
        RETRIEVE_THEN_READ, POSTHOC, LLM_AS_RETRIEVER,
    )
}  # fmt: skip
"""By their keys."""
