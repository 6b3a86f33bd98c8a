"""ALCE's VANILLA: the best passages stand in the prompt, whole.

Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations,
https://arxiv.org/abs/2305.14627, on synthesis, VANILLA: two demonstrations, five passages in a
context of 4,000 tokens, three in one of 2,000.
"""

from evaluation.generating.answering import answer, whole
from evaluation.generating.how import How
from evaluation.generating.spec import ALCE, WHOLE, SystemSpec
from evaluation.generating.talks import Subject, Talk


def talk(subject: Subject, how: How) -> Talk:
    """One answer from the first passages."""
    return (yield from answer(subject, how, whole(subject, how.options.ndoc)))


SPEC = SystemSpec(
    key="vanilla",
    title="VANILLA",
    paper=ALCE,
    about="answers from the best passages, which stand whole in the prompt",
    talk=talk,
    takes=("shots", "ndoc", "form"),
    of_context=WHOLE,
)
