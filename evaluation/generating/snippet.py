"""ALCE's SNIPPET: the model reduces each passage to spans of itself before it answers.

Gao et al. (2023), https://arxiv.org/abs/2305.14627, on synthesis, SNIPPET: as SUMM, but what is
shown stands word for word in the passage. What the model copied wrongly is not shown.
"""

from evaluation.generating.answering import answer
from evaluation.generating.how import How
from evaluation.generating.options import Options
from evaluation.generating.shortening import shorten
from evaluation.generating.spec import ALCE, SHORT, SystemSpec
from evaluation.generating.talks import Subject, Talk


def talk(subject: Subject, how: How) -> Talk:
    """One answer from spans of the first passages."""
    shown, noted = yield from shorten(subject, how, how.options.ndoc, "snippet")
    return (yield from answer(subject, how, shown, shorten="snippet", noted=noted))


SPEC = SystemSpec(
    key="snippet",
    title="SNIPPET",
    paper=ALCE,
    about="answers from spans that the model copied from the passages",
    talk=talk,
    takes=("shots", "ndoc", "form"),
    usual=Options(ndoc=10),
    of_context=SHORT,
)
