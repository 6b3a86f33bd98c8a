"""Why a question has no value, as codes: a reason may end in what was wrong in this very case, and
a run counts how often each was one."""

from evaluation.asking.asker import UNREADABLE
from evaluation.asking.replies import CANNOT
from evaluation.asking.speech import CUT, REFUSED
from evaluation.entailment.asker import FAILED

TEXTS = {
    "failed": FAILED,
    "unreadable": UNREADABLE,
    "cannot_tell": CANNOT,
    "cut_off": CUT,
    "declined": REFUSED,
}


def code_of(reason: str) -> str:
    """The code of a reason; one that stands for itself is its own."""
    return next((code for code, text in TEXTS.items() if reason.startswith(text)), reason)


def text_of(code: str, first: str) -> str:
    """A reason as people read it; where it has details, those of the first one stand for all."""
    text = TEXTS.get(code, code)
    detail = first.removeprefix(text).removeprefix(": ") if first.startswith(text) else ""
    return f"{text}, first: {detail}" if detail else text
