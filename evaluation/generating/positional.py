"""ALiiCE's positional fine-grained citations: a mark stands right after the fact it supports.

Xu et al. (2025), ALiiCE: Evaluating Positional Fine-grained Citation Generation,
https://arxiv.org/abs/2406.13375, on experiments: no demonstrations, five or ten passages (5-psg,
10-psg), or five as summaries or snippets (5-psg-summ, 5-psg-snip). The temperature is
0.5 for every model, with a nucleus of .95 for open ones.
"""

from evaluation.generating.answering import answer
from evaluation.generating.how import How
from evaluation.generating.shortening import shorten
from evaluation.generating.spec import ALIICE, SystemSpec
from evaluation.generating.talks import Subject, Talk

TASK = (
    "Write an accurate and concise answer to the question, in one paragraph, from the documents "
    "that are given with it. Cite them finely: the number of a document stands in brackets right "
    "after the very fact that it supports, inside the sentence where the sentence goes on, not "
    "only at its end. Several documents for one fact stand one after the other.\n\n"
    "Forms that are right:\n"
    "The bridge was opened in 1932 [1] and carries eight lanes [3].\n"
    "Copper [2], which was smelted here since antiquity [1][4], made the island rich.\n"
    "She won the prize twice, for physics [1] and for chemistry [2]."
)


def talk(subject: Subject, how: How) -> Talk:
    """One answer with citations inside its sentences."""
    way = how.options.shorten
    shown, noted = yield from shorten(subject, how, how.options.ndoc, way)
    return (yield from answer(subject, how, shown, task=TASK, shorten=way, noted=noted))


SPEC = SystemSpec(
    key="positional",
    title="ALiiCE",
    paper=ALIICE,
    about="answers with a citation right after each fact",
    talk=talk,
    takes=("ndoc", "shorten"),
    examples="none",
    temperature=0.5,
)
