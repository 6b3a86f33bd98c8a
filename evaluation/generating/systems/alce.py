"""Answers from passages in the prompt: ALCE's systems without actions, and ALiiCE's.

Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations,
https://arxiv.org/abs/2305.14627, on synthesis:

- *VANILLA*: the best passages are in the prompt, whole: five in a context of 4,000 tokens, three in
  one of 2,000.
- *SUMM* and *SNIPPET*: the model first summarises each passage, or copies spans of it. Ten
  passages, since short forms are short. Passages that the model calls irrelevant are left out, as
  are spans that it copied wrongly. A passage is shortened without randomness, so that every seed,
  sample and system has the same short form, and none is paid for twice.
- *ORACLE*: as VANILLA, from the five of the top 100 passages that together hold the most gold
  answers. Claims, as ELI5 has them, occur in no passage word for word: an entailment scorer says
  which passage entails which (`evaluation/generating/retrieval/recall.py`).
- *CLOSEDBOOK*: the question alone. With POSTCITE each sentence then cites the best match among the
  question's top 100; without it the answer cites nothing and has no passages.

Xu et al. (2025), ALiiCE: Evaluating Positional Fine-grained Citation Generation,
https://arxiv.org/abs/2406.13375, on experiments: a mark is right after the fact it supports. No
demonstrations, five or ten passages (5-psg, 10-psg), or five as summaries or snippets (5-psg-summ,
5-psg-snip). The temperature is 0.5 for every model, with a nucleus of .95 for open ones.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from annotate.text.quotes import look_for
from evaluation.generating.retrieval.recall import oracle as best_passages
from evaluation.generating.systems.context_window import TOO_LONG, Fitted, FittedPassage
from evaluation.generating.systems.conversations import (
    Ask,
    Conversation,
    Exchange,
    ModelAnswer,
    Subject,
    UnansweredError,
    WrittenAnswer,
    ask,
)
from evaluation.generating.systems.options import LIST, MOST_FOUND, Options
from evaluation.generating.systems.spec import (
    ALCE,
    ALIICE,
    POSTCITE,
    SHORT,
    WHOLE,
    Inputs,
    SystemSpec,
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
"""The note of how many passages were too long for the model, which read their beginnings."""

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
    """A way of shortening: the task, and how to read the model's reply."""

    task: str
    read: Callable[[str, str], str]


def shorten(subject: Subject, inputs: Inputs, many: int, way: str) -> Exchange:
    """Return the first passages in short form, and notes on the others.

    Without a way they are shown whole.
    """
    found = subject.found[:many]
    if not way:
        return [FittedPassage(one, one.text) for one in found], {}
    asked = WAYS[way]
    fitted = [_fitted(subject, inputs, asked, FittedPassage(one, one.text)) for one in found]
    heard = yield [Ask(one.prompt, drawn=False) for one in fitted]
    _refuse_unanswered(heard)
    pairs = zip(found, heard, strict=True)
    texts = [(one, asked.read(said.text, one.text)) for one, said in pairs]
    shown = [FittedPassage(one, text) for one, text in texts if text]
    counts = {
        "irrelevant": len(found) - len(shown),
        READ_IN_PART: sum(bool(one.notes) for one in fitted),
    }
    notes = {name: count for name, count in counts.items() if count}
    return shown, {"shown": [one.text for one in shown], **notes}


def _refuse_unanswered(heard: Sequence[ModelAnswer]) -> None:
    """Raise if the model answered about no passage; a single one is left out."""
    silent = [one.why for one in heard if one.why]
    if silent and len(silent) == len(heard):
        raise UnansweredError(silent[0])


def _fitted(subject: Subject, inputs: Inputs, way: Shortening, passage: FittedPassage) -> Fitted:
    def make(shown: Sequence[FittedPassage]) -> Prompt:
        (one,) = shown
        question = f"Question: {subject.question.text}"
        return Prompt(way.task, f"{question}\n\n{document(1, one)}")

    return inputs.window.fit(make, [passage])


def _summary(said: str, text: str) -> str:
    """Return the summary in one line; nothing if the passage is irrelevant."""
    line = " ".join(said.split())
    return "" if _is_irrelevant(line) else line


def _spans(said: str, text: str) -> str:
    """Return the lines of a reply that do occur in the passage, as written there."""
    if _is_irrelevant(said):
        return ""
    lines = [_BULLET.sub("", line) for line in said.splitlines()]
    places = [look_for(line, text) for line in lines if line.strip()]
    return JOINED.join(text[one.start : one.end] for one in places if one.value != "none")


def _is_irrelevant(said: str) -> bool:
    """Whether a reply calls the document irrelevant, in one word or in a sentence."""
    return _IRRELEVANT.match(said) is not None


WAYS: Mapping[str, Shortening] = {
    "summ": Shortening(SUMMARISE, _summary),
    "snippet": Shortening(EXTRACT, _spans),
}


def answer(
    subject: Subject,
    inputs: Inputs,
    shown: Sequence[FittedPassage],
    *,
    task: str = "",
    shorten: str = "",
    notes: dict[str, object] | None = None,
) -> Conversation:
    """Write one answer from the shown passages, which become those of the response.

    Without a task it is that of ALCE's systems for the form of the answer.
    """
    usual = LISTED if inputs.options.form == LIST else CITED
    make = with_documents(task or usual, inputs.demonstrations, subject.question.text, shorten)
    fitted = inputs.window.fit(make, shown)
    text = yield from ask(Ask(fitted.prompt, (NEXT,)))
    passages = tuple(one.found for one in fitted.shown)
    return WrittenAnswer(answered(text), passages, {**(notes or {}), **fitted.notes})


def from_passages(subject: Subject, inputs: Inputs, *, way: str) -> Conversation:
    """Write one answer from the first passages, whole or in short forms."""
    shown, notes = yield from shorten(subject, inputs, inputs.options.ndoc, way)
    return (yield from answer(subject, inputs, shown, shorten=way, notes=notes))


VANILLA = SystemSpec(
    key="vanilla",
    title="VANILLA",
    paper=ALCE,
    about="answers from the best passages, shown in full",
    conversation=partial(from_passages, way=""),
    takes=("shots", "ndoc", "form"),
    of_context=WHOLE,
)
SUMM = SystemSpec(
    key="summ",
    title="SUMM",
    paper=ALCE,
    about="answers from the model's own summaries of the passages",
    conversation=partial(from_passages, way="summ"),
    takes=("shots", "ndoc", "form"),
    usual=Options(ndoc=10),
    of_context=SHORT,
)
SNIPPET = SystemSpec(
    key="snippet",
    title="SNIPPET",
    paper=ALCE,
    about="answers from spans that the model copied from the passages",
    conversation=partial(from_passages, way="snippet"),
    takes=("shots", "ndoc", "form"),
    usual=Options(ndoc=10),
    of_context=SHORT,
)


def oracle(subject: Subject, inputs: Inputs) -> Conversation:
    """Write one answer from the passages that hold the gold answers."""
    found = subject.found[:MOST_FOUND]
    best = best_passages(inputs.gold_matches(subject, found), inputs.options.ndoc, MOST_FOUND)
    shown = [FittedPassage(found[rank], found[rank].text) for rank in best.ranks]
    notes: dict[str, object] = {} if best.exact else {"others_may_hold_more": True}
    return (yield from answer(subject, inputs, shown, notes=notes))


ORACLE = SystemSpec(
    key="oracle",
    title="ORACLE",
    paper=ALCE,
    about="answers from the passages that together hold the most gold answers or claims",
    conversation=oracle,
    takes=("shots", "ndoc", "form"),
    needs_answers=True,
)


def closedbook(subject: Subject, inputs: Inputs) -> Conversation:
    """Write one answer from nothing; the question's passages are candidates for citations."""
    shown = [block(one.question, (), one.bare_answer) for one in inputs.demonstrations]
    task = BARE_LISTED if inputs.options.form == LIST else BARE
    prompt = Prompt(task, BETWEEN.join([*shown, block(subject.question.text, (), "")]))
    if not inputs.window.holds(prompt):
        raise UnansweredError(TOO_LONG)
    text = yield from ask(Ask(prompt, (NEXT,)))
    return WrittenAnswer(answered(text), subject.found[:MOST_FOUND])


CLOSEDBOOK = SystemSpec(
    key="closedbook",
    title="CLOSEDBOOK",
    paper=ALCE,
    about="answers from the question alone",
    conversation=closedbook,
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


def positional(subject: Subject, inputs: Inputs) -> Conversation:
    """Write one answer with citations inside its sentences."""
    way = inputs.options.shorten
    shown, notes = yield from shorten(subject, inputs, inputs.options.ndoc, way)
    return (
        yield from answer(subject, inputs, shown, task=POSITIONAL_TASK, shorten=way, notes=notes)
    )


POSITIONAL = SystemSpec(
    key="positional",
    title="ALiiCE",
    paper=ALIICE,
    about="answers with a citation right after each fact",
    conversation=positional,
    takes=("ndoc", "shorten"),
    examples="none",
    temperature=0.5,
)
