"""A simulated model: it answers the systems' prompts by rule, without a server or a network.

Its answers are copied from the shown passages, so that prompts have the length that they have with
a model. It counts calls in previews, and writes the demo's generated system, which says of itself
that it is simulated.
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
from evaluation.language_models.asking.scores import PLAIN, SamplingParams
from evaluation.language_models.asking.server_apis import Reply, Schema

FINGERPRINT = "simulated:1|model:simulated model"
STATEMENTS = 2
"""How many sentences it writes."""

_DOCUMENT = re.compile(r"^Document \[(\d+)\]\(Title: (.*?)\): (.*)$", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
_SENTENCE = re.compile(r".+?[.!?](?=\s|$)")


@dataclass(frozen=True, slots=True)
class _ParsedPrompt:
    """The part of a prompt that is about the question."""

    question: str
    documents: Sequence[tuple[int, str, str]]
    lines: Sequence[str]

    @property
    def outputs(self) -> int:
        """The number of statements written before."""
        return sum(line.startswith("Output: ") for line in self.lines)

    def sentence(self, place: int) -> str:
        """Return the first sentence of a document, without its final sign."""
        return _first(self.documents[place][2]).rstrip(".!?")


class RuleModel:
    """Answer prompts by rule."""

    fingerprint = FINGERPRINT

    def share(self, parts: int) -> None:
        """Do nothing: it has no other users."""

    def settle(self) -> None:
        """Do nothing: it refuses no calls."""

    def ask(
        self,
        prompt: Prompt,
        schema: Schema,
        *,
        sampling: SamplingParams = PLAIN,
    ) -> Reply:
        """Answer a prompt of one of the systems by its rule."""
        text = _RULES.get(prompt.system, _unknown)(_parse_prompt(prompt.user))
        asked = (len(prompt.system) + len(prompt.user)) // CHARS_OF_TOKEN
        return Reply(text, asked, len(text) // CHARS_OF_TOKEN)


def _parse_prompt(user: str) -> _ParsedPrompt:
    """Return the last question of a prompt, after all demonstrations, with its documents."""
    own = user.rpartition(BETWEEN)[2]
    questions = _QUESTION.findall(own)
    found = [(int(number), title, text) for number, title, text in _DOCUMENT.findall(own)]
    return _ParsedPrompt(questions[-1] if questions else "", found, own.rstrip().splitlines())


def _first(text: str) -> str:
    found = _SENTENCE.match(text)
    return found[0] if found else text[:200]


def _cited(parsed: _ParsedPrompt) -> str:
    many = min(STATEMENTS, len(parsed.documents))
    said = (f"{parsed.sentence(n)} [{parsed.documents[n][0]}]." for n in range(many))
    return " ".join(said) or _unknown(parsed)


def _listed(parsed: _ParsedPrompt) -> str:
    many = min(STATEMENTS, len(parsed.documents))
    found = (f"{_name(parsed.sentence(n))} [{parsed.documents[n][0]}]" for n in range(many))
    return f"{', '.join(found) or _name(parsed.question)}."


def _shortened(parsed: _ParsedPrompt) -> str:
    text = parsed.documents[0][2]
    words = {word.lower() for word in re.findall(r"\w{4,}", parsed.question)}
    shared = words & {word.lower() for word in re.findall(r"\w+", text)}
    return _first(text) if shared or not words else IRRELEVANT


def _interact(parsed: _ParsedPrompt) -> str:
    if parsed.lines[-1].startswith("Document ") and parsed.lines[-2].startswith("Check: "):
        number = parsed.documents[-1][0]
        return f"Output: {parsed.sentence(-1)} [{number}]."
    if parsed.outputs >= min(STATEMENTS, len(parsed.documents)):
        return "End"
    return f"Check: Document [{parsed.documents[parsed.outputs][0]}]"


def _inlinesearch(parsed: _ParsedPrompt) -> str:
    if parsed.documents:
        return f"Output: {parsed.sentence(-1)} [{parsed.documents[-1][0]}]."
    return "End" if parsed.outputs else f"Search: {parsed.question}"


def _named(run_actions: Callable[[_ParsedPrompt], str]) -> Callable[[_ParsedPrompt], str]:
    """Return the same action, which writes a name instead of a sentence."""

    def named(parsed: _ParsedPrompt) -> str:
        said = run_actions(parsed)
        if not said.startswith("Output: "):
            return said
        return f"Output: {_name(parsed.sentence(-1))} [{parsed.documents[-1][0]}]"

    return named


def _read(parsed: _ParsedPrompt) -> str:
    return f"Answer: {_name(parsed.sentence(0))}\nDocument: {parsed.documents[0][0]}"


def _page(parsed: _ParsedPrompt) -> str:
    name = _name(parsed.question)
    return f"Answer: {name}\nPage: https://en.wikipedia.org/wiki/{name.replace(' ', '_')}"


def _short(parsed: _ParsedPrompt) -> str:
    return _name(parsed.question)


def _name(text: str) -> str:
    """Return the last capitalised words of a text, or its last word."""
    names = re.findall(r"[A-Z]\w+(?: [A-Z]\w+)*", text)
    words = re.findall(r"\w+", text)
    return names[-1] if names else words[-1] if words else "nothing"


def _unknown(parsed: _ParsedPrompt) -> str:
    return f"By rule, nothing is known of this: {parsed.question.rstrip('?')}."


_RULES: Mapping[str, Callable[[_ParsedPrompt], str]] = {
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
