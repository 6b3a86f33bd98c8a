"""Attributed QA's post-hoc retrieval: the answer first, its evidence afterwards.

Bohnet et al. (2022), https://arxiv.org/abs/2212.08037, on post-hoc retrieval: the model answers
from what it knows, shown 64 questions with their answers, drawn at random or the most similar by
BM25. Question and answer are the query; of fifty passages the first that contains the answer is its
attribution, else the first. With AutoAIS reranking it is the one with the highest score.
"""

from functools import partial

from evaluation.asking.prompts import Prompt
from evaluation.generating.demonstrations import pairs_for
from evaluation.generating.how import How
from evaluation.generating.short import bare, has_all, refuse_longer
from evaluation.generating.spec import ATTRIBUTED_QA, AUTOAIS, SystemSpec
from evaluation.generating.talks import Ask, Subject, Talk, Written, ask
from evaluation.generating.wording import NEXT, answered
from evaluation.judges.short_answers import normalised

TASK = "Answer the question in as few words as possible, without a sentence around them."


def talk(subject: Subject, how: How) -> Talk:
    """An answer, then the candidates for its attribution."""
    question, options = subject.question.text, how.options
    pairs = pairs_for(how.pairs, question, options.pairs, options.pairs_by, how.seed)
    before = [f"Question: {one.question}\nAnswer: {one.answer}" for one in pairs]
    prompt = Prompt(TASK, "\n\n".join([*before, f"Question: {question}\nAnswer:"]))
    refuse_longer(how, prompt)
    text = yield from ask(Ask(prompt, (NEXT,), is_whole=partial(has_all, ("answer",))))
    output = bare(answered(text).partition("\n")[0])
    found = how.look_for(subject, f"{question} {output}", options.k)
    holds = f" {normalised(output)} "
    containing = (one for one in found if output and holds in f" {normalised(one.text)} ")
    first = next(containing, next(iter(found), None))
    others = [one for one in found if one is not first]
    return Written(output, () if first is None else (first, *others))


SPEC = SystemSpec(
    key="posthoc",
    title="Post-hoc retrieval",
    paper=ATTRIBUTED_QA,
    about="answers from what the model knows, then looks for a passage that says so",
    talk=talk,
    takes=("k", "pairs", "pairs_by"),
    afterwards=(AUTOAIS,),
    keeps="first",
    needs_passages=False,
    examples="pairs",
    most_tokens=50,
)
