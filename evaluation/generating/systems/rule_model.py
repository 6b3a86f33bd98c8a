"""A model that is none: it answers the systems' prompts by rule, without a server or a network.

What it says is copied from the passages that it is shown, so that prompts have the length that they
would have with a model. It counts calls beforehand, and writes the demo's generated system, which
says of itself that it is simulated.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.generating.systems.actions import (
    CHECK_LIST_TASK,
    CHECK_TASK,
    SEARCH_LIST_TASK,
    SEARCH_TASK,
)
from evaluation.generating.systems.alce import EXTRACT, IRRELEVANT, POSITIONAL_TASK, SUMMARISE
from evaluation.generating.systems.attributed_qa import PAGE_TASK, POSTHOC_TASK, READ_TASK
from evaluation.generating.systems.wording import BARE_LISTED, BETWEEN, CITED, LISTED
from evaluation.language_models.asking.prompts import CHARS_OF_TOKEN, Prompt
from evaluation.language_models.asking.scores import PLAIN, Manner
from evaluation.language_models.asking.speech import Reply, Schema

FINGERPRINT = "simulated:1|model:simulated model"
STATEMENTS = 2
"""So many sentences it writes."""

_DOCUMENT = re.compile(r"^Document \[(\d+)\]\(Title: (.*?)\): (.*)$", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
_SENTENCE = re.compile(r".+?[.!?](?=\s|$)")


@dataclass(frozen=True, slots=True)
class _Told:
    """What of a prompt is about the question."""

    question: str
    documents: Sequence[tuple[int, str, str]]
    lines: Sequence[str]

    @property
    def outputs(self) -> int:
        """How many statements were written before."""
        return sum(line.startswith("Output: ") for line in self.lines)

    def sentence(self, place: int) -> str:
        """The first sentence of a document, without the sign that ends it."""
        return _first(self.documents[place][2]).rstrip(".!?")


class RuleModel:
    """Answers by rule, and counts what it was asked."""

    fingerprint = FINGERPRINT

    def share(self, parts: int) -> None:
        """Nobody else asks it."""

    def settle(self) -> None:
        """It refuses nothing."""

    def ask(
        self,
        prompt: Prompt,
        schema: Schema,
        *,
        manner: Manner = PLAIN,
    ) -> Reply:
        """What the rules say to a prompt of one of the systems."""
        text = _RULES.get(prompt.system, _bare)(_told(prompt.user))
        asked = (len(prompt.system) + len(prompt.user)) // CHARS_OF_TOKEN
        return Reply(text, asked, len(text) // CHARS_OF_TOKEN)


def _told(user: str) -> _Told:
    """The question that is asked, which stands after all demonstrations."""
    own = user.rpartition(BETWEEN)[2]
    questions = _QUESTION.findall(own)
    found = [(int(number), title, text) for number, title, text in _DOCUMENT.findall(own)]
    return _Told(questions[-1] if questions else "", found, own.rstrip().splitlines())


def _first(text: str) -> str:
    found = _SENTENCE.match(text)
    return found[0] if found else text[:200]


def _cited(told: _Told) -> str:
    many = min(STATEMENTS, len(told.documents))
    said = (f"{told.sentence(n)} [{told.documents[n][0]}]." for n in range(many))
    return " ".join(said) or _bare(told)


def _listed(told: _Told) -> str:
    many = min(STATEMENTS, len(told.documents))
    found = (f"{_name(told.sentence(n))} [{told.documents[n][0]}]" for n in range(many))
    return f"{', '.join(found) or _name(told.question)}."


def _shortened(told: _Told) -> str:
    text = told.documents[0][2]
    words = {word.lower() for word in re.findall(r"\w{4,}", told.question)}
    shared = words & {word.lower() for word in re.findall(r"\w+", text)}
    return _first(text) if shared or not words else IRRELEVANT


def _interact(told: _Told) -> str:
    if told.lines[-1].startswith("Document ") and told.lines[-2].startswith("Check: "):
        number = told.documents[-1][0]
        return f"Output: {told.sentence(-1)} [{number}]."
    if told.outputs >= min(STATEMENTS, len(told.documents)):
        return "End"
    return f"Check: Document [{told.documents[told.outputs][0]}]"


def _inlinesearch(told: _Told) -> str:
    if told.documents:
        return f"Output: {told.sentence(-1)} [{told.documents[-1][0]}]."
    return "End" if told.outputs else f"Search: {told.question}"


def _named(act: Callable[[_Told], str]) -> Callable[[_Told], str]:
    """The same action, which writes a name instead of a sentence."""

    def named(told: _Told) -> str:
        said = act(told)
        if not said.startswith("Output: "):
            return said
        return f"Output: {_name(told.sentence(-1))} [{told.documents[-1][0]}]"

    return named


def _read(told: _Told) -> str:
    return f"Answer: {_name(told.sentence(0))}\nDocument: {told.documents[0][0]}"


def _page(told: _Told) -> str:
    name = _name(told.question)
    return f"Answer: {name}\nPage: https://en.wikipedia.org/wiki/{name.replace(' ', '_')}"


def _short(told: _Told) -> str:
    return _name(told.question)


def _name(text: str) -> str:
    """The last words of a text that begin with a capital letter, or its last word."""
    names = re.findall(r"[A-Z]\w+(?: [A-Z]\w+)*", text)
    words = re.findall(r"\w+", text)
    return names[-1] if names else words[-1] if words else "nothing"


def _bare(told: _Told) -> str:
    return f"By rule, nothing is known of this: {told.question.rstrip('?')}."


_RULES: Mapping[str, Callable[[_Told], str]] = {
    CITED: _cited,
    LISTED: _listed,
    BARE_LISTED: _listed,
    POSITIONAL_TASK: _cited,
    SUMMARISE: _shortened,
    EXTRACT: _shortened,
    CHECK_TASK: _interact,
    CHECK_LIST_TASK: _named(_interact),
    SEARCH_TASK: _inlinesearch,
    SEARCH_LIST_TASK: _named(_inlinesearch),
    READ_TASK: _read,
    POSTHOC_TASK: _short,
    PAGE_TASK: _page,
}
