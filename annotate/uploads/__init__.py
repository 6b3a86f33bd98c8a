"""Uploads: receive a file, check it, and load it into the study."""

from annotate.uploads.lifecycle import (
    PATIENCE,
    accept,
    cancel,
    check_again,
    confirm,
    discard,
    give_passages,
    give_up,
    is_outdated,
    nudge,
    outcome,
    receive,
    send,
    start,
    waits_for_a_worker,
    work,
)
from annotate.uploads.mapping import is_quick, may_be_table, read_as_table
