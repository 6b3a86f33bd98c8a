"""What a process tells about its work, in its log and in its numbers.

Pure: `config.observing` says who listens."""

from annotate.work.telemetry.context import Context, begin, known, learn, under
from annotate.work.telemetry.counters import (
    ANSWERS,
    ERRORS,
    LEASES_LOST,
    PAIRS,
    PARTS,
    REQUESTS,
    TASKS_TAKEN,
)
