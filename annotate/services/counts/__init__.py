"""Counts that are kept: what they are made of, taking changes into them, and reading them."""

from annotate.services.counts.chunk import Add, CountedChunk, CountedJudgment
from annotate.services.counts.folding import catch_up, forget, look_after_counts, start_over, tell
from annotate.services.counts.parts import counted
from annotate.services.counts.sums import Counts, KeptSums, Zeros, is_behind, kept, waiting

__all__ = [
    "Add",
    "CountedChunk",
    "CountedJudgment",
    "Counts",
    "KeptSums",
    "Zeros",
    "catch_up",
    "counted",
    "forget",
    "is_behind",
    "kept",
    "look_after_counts",
    "start_over",
    "tell",
    "waiting",
]
