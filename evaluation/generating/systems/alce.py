"""Answers from passages in the prompt: ALCE's systems without actions, and ALiiCE's.

Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations,
https://arxiv.org/abs/2305.14627, on synthesis:

- *VANILLA*: the best passages stand in the prompt, whole: five in a context of 4,000 tokens, three
  in one of 2,000.
- *SUMM* and *SNIPPET*: the model first summarises each passage, or copies spans of it. Ten
  passages, since short forms are short. Passages that the model calls irrelevant are left out, and
  so is what it copied wrongly. A passage is shortened without chance, so that every seed, sample
  and system has the same short form, and none is paid for twice.
- *ORACLE*: as VANILLA, from the five of the top 100 passages that together hold the most gold
  answers. Claims, as ELI5 has them, stand in no passage word for word: an entailment scorer says
  which passage entails which (`evaluation/generating/retrieval/recall.py`).
- *CLOSEDBOOK*: the question alone. With POSTCITE each sentence then cites the best match among the
  question's top 100; without it the answer cites nothing and has no passages.

Xu et al. (2025), ALiiCE: Evaluating Positional Fine-grained Citation Generation,
https://arxiv.org/abs/2406.13375, on experiments: a mark stands right after the fact it supports. No
demonstrations, five or ten passages (5-psg, 10-psg), or five as summaries or snippets (5-psg-summ,
5-psg-snip). The temperature is 0.5 for every model, with a nucleus of .95 for open ones.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from annotate.text.quotes import look_for
from evaluation.generating.retrieval.recall import oracle as best_passages
from evaluation.generating.systems.options import LIST, MOST_FOUND, Options
from evaluation.generating.systems.room import TOO_LONG, Fitted, FittedPassage
from evaluation.generating.systems.spec import ALCE, ALIICE, POSTCITE, SHORT, WHOLE, How, SystemSpec
from evaluation.generating.systems.talks import (
    Ask,
    Heard,
    Part,
    Subject,
    Talk,
    UnansweredError,
    Written,
    ask,
)
from evaluation.generating.systems.wording import (
    BARE,
    BARE_LISTED,
    BETWEEN,
    CITED,
    LISTED,
    NEXT,
    answered,
    block,
    document,
    with_documents,
)
from evaluation.language_models.asking.prompts import Prompt

IRRELEVANT = "irrelevant"
READ_IN_PART = "shortened_from_a_part"
"""What is noted: how many passages were too long for the model, which read their beginnings."""

JOINED = " ... "

SUMMARISE = (
    "You are given a question and a document. Summarise in one or two sentences what the document "
    "says that helps to answer the question, with its names, numbers and dates. Add nothing that "
    f"it does not say. If nothing in it helps, write the one word {IRRELEVANT} instead."
)
EXTRACT = (
    "You are given a question and a document. Copy from the document, word for word, the one to "
    "three passages that help most to answer the question, each on a line of its own, and write "
    f"nothing else. If nothing in it helps, write the one word {IRRELEVANT} instead."
)

_IRRELEVANT = re.compile(
    rf"[\W_]*(?:(?:the|this) (?:document|passage|text) is (?:completely )?)?{IRRELEVANT}"
    r"(?:[\W_]*$|\W*[.:;,!—–-]\W|\s+to the question\b)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class Shortening:
    """One way of shortening: what is asked, and what is taken from what is said."""

    task: str
    read: Callable[[str, str], str]


def shorten(subject: Subject, how: How, many: int, way: str) -> Part:
    """The first passages as they are shown, and what became of the others. Without a way they are
    shown whole."""
    found = subject.found[:many]
    if not way:
        return [FittedPassage(one, one.text) for one in found], {}
    asked = WAYS[way]
    fitted = [_fitted(subject, how, asked, FittedPassage(one, one.text)) for one in found]
    heard = yield [Ask(one.prompt, drawn=False) for one in fitted]
    _refuse_silence(heard)
    pairs = zip(found, heard, strict=True)
    texts = [(one, asked.read(said.text, one.text)) for one, said in pairs]
    shown = [FittedPassage(one, text) for one, text in texts if text]
    counts = {
        "irrelevant": len(found) - len(shown),
        READ_IN_PART: sum(bool(one.noted) for one in fitted),
    }
    noted = {name: count for name, count in counts.items() if count}
    return shown, {"shown": [one.text for one in shown], **noted}


def _refuse_silence(heard: Sequence[Heard]) -> None:
    """One passage that the model is silent about is left out; where it is about all, it is no
    answer."""
    silent = [one.why for one in heard if one.why]
    if silent and len(silent) == len(heard):
        raise UnansweredError(silent[0])


def _fitted(subject: Subject, how: How, way: Shortening, passage: FittedPassage) -> Fitted:
    def make(shown: Sequence[FittedPassage]) -> Prompt:
        (one,) = shown
        question = f"Question: {subject.question.text}"
        return Prompt(way.task, f"{question}\n\n{document(1, one)}")

    return how.room.fit(make, [passage])


def _summary(said: str, text: str) -> str:
    """The summary in one line; nothing where the passage is irrelevant."""
    line = " ".join(said.split())
    return "" if _is_irrelevant(line) else line


def _spans(said: str, text: str) -> str:
    """Those of the lines that do stand in the passage, as they stand there."""
    if _is_irrelevant(said):
        return ""
    lines = [_BULLET.sub("", line) for line in said.splitlines()]
    places = [look_for(line, text) for line in lines if line.strip()]
    return JOINED.join(text[one.start : one.end] for one in places if one.value != "none")


def _is_irrelevant(said: str) -> bool:
    """Whether that is what was said, in the one word, as the first one, or of the document."""
    return _IRRELEVANT.match(said) is not None


WAYS: Mapping[str, Shortening] = {
    "summ": Shortening(SUMMARISE, _summary),
    "snippet": Shortening(EXTRACT, _spans),
}


def answer(
    subject: Subject,
    how: How,
    shown: Sequence[FittedPassage],
    *,
    task: str = "",
    shorten: str = "",
    noted: dict[str, object] | None = None,
) -> Talk:
    """One answer from the passages that are shown; they are those of the response. Without a task
    it is that of ALCE's systems, for the form that is wanted."""
    usual = LISTED if how.options.form == LIST else CITED
    make = with_documents(task or usual, how.demonstrations, subject.question.text, shorten)
    fitted = how.room.fit(make, shown)
    text = yield from ask(Ask(fitted.prompt, (NEXT,)))
    passages = tuple(one.found for one in fitted.shown)
    return Written(answered(text), passages, {**(noted or {}), **fitted.noted})


def from_passages(subject: Subject, how: How, *, way: str) -> Talk:
    """One answer from the first passages, whole or in short forms."""
    shown, noted = yield from shorten(subject, how, how.options.ndoc, way)
    return (yield from answer(subject, how, shown, shorten=way, noted=noted))


VANILLA = SystemSpec(
    key="vanilla",
    title="VANILLA",
    paper=ALCE,
    about="answers from the best passages, shown in full",
    talk=partial(from_passages, way=""),
    takes=("shots", "ndoc", "form"),
    of_context=WHOLE,
)
SUMM = SystemSpec(
    key="summ",
    title="SUMM",
    paper=ALCE,
    about="answers from the model's own summaries of the passages",
    talk=partial(from_passages, way="summ"),
    takes=("shots", "ndoc", "form"),
    usual=Options(ndoc=10),
    of_context=SHORT,
)
SNIPPET = SystemSpec(
    key="snippet",
    title="SNIPPET",
    paper=ALCE,
    about="answers from spans that the model copied from the passages",
    talk=partial(from_passages, way="snippet"),
    takes=("shots", "ndoc", "form"),
    usual=Options(ndoc=10),
    of_context=SHORT,
)


def oracle(subject: Subject, how: How) -> Talk:
    """One answer from the passages that hold the gold answers."""
    found = subject.found[:MOST_FOUND]
    best = best_passages(how.holding(subject, found), how.options.ndoc, MOST_FOUND)
    shown = [FittedPassage(found[rank], found[rank].text) for rank in best.ranks]
    noted: dict[str, object] = {} if best.exact else {"others_may_hold_more": True}
    return (yield from answer(subject, how, shown, noted=noted))


ORACLE = SystemSpec(
    key="oracle",
    title="ORACLE",
    paper=ALCE,
    about="answers from the passages that together hold the most gold answers or claims",
    talk=oracle,
    takes=("shots", "ndoc", "form"),
    needs_answers=True,
)


def closedbook(subject: Subject, how: How) -> Talk:
    """One answer from nothing; the question's passages are candidates for citations."""
    shown = [block(one.question, (), one.bare_answer) for one in how.demonstrations]
    task = BARE_LISTED if how.options.form == LIST else BARE
    prompt = Prompt(task, BETWEEN.join([*shown, block(subject.question.text, (), "")]))
    if not how.room.holds(prompt):
        raise UnansweredError(TOO_LONG)
    text = yield from ask(Ask(prompt, (NEXT,)))
    return Written(answered(text), subject.found[:MOST_FOUND])


CLOSEDBOOK = SystemSpec(
    key="closedbook",
    title="CLOSEDBOOK",
    paper=ALCE,
    about="answers from the question alone",
    talk=closedbook,
    takes=("shots", "form"),
    afterwards=(POSTCITE,),
    keeps="cited",
    needs_passages=False,
)


POSITIONAL_TASK = (
    "Write an accurate and concise answer to the question, in one paragraph, from the documents "
    "that are given with it. Cite them finely: the number of a document stands in brackets right "
    "after the very fact that it supports, inside the sentence where the sentence goes on, not "
    "only at its end. Several documents for one fact stand one after the other.\n\n"
    "Forms that are right:\n"
    "The bridge was opened in 1932 [1] and carries eight lanes [3].\n"
    "Copper [2], which was smelted here since antiquity [1][4], made the island rich.\n"
    "She won the prize twice, for physics [1] and for chemistry [2]."
)


def positional(subject: Subject, how: How) -> Talk:
    """One answer with citations inside its sentences."""
    way = how.options.shorten
    shown, noted = yield from shorten(subject, how, how.options.ndoc, way)
    return (yield from answer(subject, how, shown, task=POSITIONAL_TASK, shorten=way, noted=noted))


POSITIONAL = SystemSpec(
    key="positional",
    title="ALiiCE",
    paper=ALIICE,
    about="answers with a citation right after each fact",
    talk=positional,
    takes=("ndoc", "shorten"),
    examples="none",
    temperature=0.5,
)
