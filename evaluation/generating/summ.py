"""ALCE's SUMM: the model summarises each passage before it answers from the summaries.

Gao et al. (2023), https://arxiv.org/abs/2305.14627, on synthesis, SUMM: ten passages, since
summaries are short; irrelevant ones are left out.
"""

from evaluation.generating.answering import answer
from evaluation.generating.how import How
from evaluation.generating.options import Options
from evaluation.generating.shortening import shorten
from evaluation.generating.spec import ALCE, SHORT, SystemSpec
from evaluation.generating.talks import Subject, Talk


def talk(subject: Subject, how: How) -> Talk:
    """One answer from the summaries of the first passages."""
    shown, noted = yield from shorten(subject, how, how.options.ndoc, "summ")
    return (yield from answer(subject, how, shown, shorten="summ", noted=noted))


SPEC = SystemSpec(
    key="summ",
    title="SUMM",
    paper=ALCE,
    about="answers from the model's own summaries of the passages",
    talk=talk,
    takes=("shots", "ndoc", "form"),
    usual=Options(ndoc=10),
    of_context=SHORT,
)
