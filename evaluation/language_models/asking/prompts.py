"""Prompts: the question's wording, choices and help, the guidelines, and what raters see.

A style is a file in `styles` with a version, a system prompt and a user prompt. Text that many
prompts share comes first, so that servers can cache it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from annotate.protocol.answers import NOTHING, Choice
from annotate.protocol.dimensions import Dimension
from evaluation.judges.items import FormQuestion, Item
from evaluation.language_models.asking.examples import FENCED, PromptExample, examples_text, fenced
from evaluation.language_models.asking.replies import cannot_tell

CHARS_OF_TOKEN = 4
"""Approximate characters of a token in languages with spaces; for estimates."""

FOLDER = Path(__file__).parent / "styles"
PLACES = frozenset(
    {
        "guidelines", "passages", "asked", "answer", "about", "title", "question", "choices",
        "fields", "rules", "examples",
    }
)  # fmt: skip

NEEDED = {
    "question": "what is asked",
    "choices": "what may be answered",
    "fields": "in which form it is to be answered",
}
"""Required places of a style, and what fills them."""

FIELDS: Mapping[str, Sequence[str]] = {
    "version": (),
    "title": (),
    "about": (),
    "answer": ("value", "probabilities"),
    "reason": ("first",),
}
"""Fields of a style's file, and their values if these are limited."""

OF_ONE = ("about", "title", "question", "choices", "fields", "rules")
"""Places that distinguish a question from others about the same response."""

_BETWEEN = "\n---\n"


@dataclass(frozen=True, slots=True)
class PromptStyle:
    """A way to ask a language model."""

    key: str
    title: str
    about: str
    version: int
    system: str
    user: str
    reason_first: bool = False
    shares: bool = False
    """Whether a probability of each choice is requested."""

    @property
    def signature(self) -> str:
        """Return the name and version with a digest of the texts."""
        made = sha256(f"{self.system}\0{self.user}".encode()).hexdigest()[:8]
        return f"{self.key}:{self.version}.{made}"


@dataclass(frozen=True, slots=True)
class Prompt:
    """The system prompt, shared by all questions, and the prompt of one question."""

    system: str
    user: str
    begins: int = 0
    """The length of the beginning of `user` that other questions may share."""


class StyleError(ValueError):
    """A fault of a style; `part` is its place: `fields`, `system` or `user`."""

    def __init__(self, said: str, part: str = "fields") -> None:
        super().__init__(said)
        self.part = part


@cache
def styles() -> Mapping[str, PromptStyle]:
    """Return the shipped styles, the plain one first."""
    keys = ["direct", "reason_first", "probabilities", "checklist"]
    return {key: read_style(key, (FOLDER / f"{key}.md").read_text("utf-8")) for key in keys}


def read_style(key: str, text: str) -> PromptStyle:
    """Read a style from its file; raise `StyleError`."""
    if "\0" in text:
        raise StyleError("Expected text; found a sign NUL, which not every database keeps.")
    parts = text.replace("\r\n", "\n").split(_BETWEEN)
    if len(parts) != 3:
        raise StyleError(
            "Expected fields, what is said once, and what is said of each dimension, with a line "
            f"of --- between them; found {len(parts)} {'part' if len(parts) == 1 else 'parts'}."
        )
    lines = (line.partition(":") for line in parts[0].splitlines() if line.strip())
    fields = {name.strip(): value.strip() for name, _, value in lines}
    _refuse_unknown_places(parts[1], "system")
    _refuse_unknown_places(parts[2], "user")
    for place, why in NEEDED.items():
        if f"{{{place}}}" not in parts[2]:
            raise StyleError(
                f"Expected {{{place}}} in what is said of each dimension: {why}.", "user"
            )
    if not fields.get("version", "").isdecimal():
        raise StyleError("Expected a version, a whole number.")
    if unknown := next((name for name in fields if name not in FIELDS), None):
        raise StyleError(f"Expected {', '.join(FIELDS)} as fields; found “{unknown[:80]}”.")
    for name, known in FIELDS.items():
        if known and (value := fields.get(name, known[0])) not in known:
            raise StyleError(f"Expected {name}: {' or '.join(known)}; found “{value[:80]}”.")
    return PromptStyle(
        key=key,
        title=fields.get("title") or key,
        about=fields.get("about", ""),
        version=int(fields["version"]),
        system=parts[1].strip(),
        user=parts[2].strip(),
        reason_first=fields.get("reason") == "first",
        shares=fields.get("answer") == "probabilities",
    )


def written_style(style: PromptStyle) -> str:
    fields = {
        "version": str(style.version),
        "title": style.title,
        "about": style.about,
        "answer": "probabilities" if style.shares else "value",
        **({"reason": "first"} if style.reason_first else {}),
    }
    said = "\n".join(f"{name}: {' '.join(value.split())}" for name, value in fields.items())
    return _BETWEEN.join([said, style.system, f"{style.user}\n"])


def _refuse_unknown_places(text: str, part: str) -> None:
    for piece in text.split("{")[1:]:
        name, closed, _ = piece.partition("}")
        if closed and name.isidentifier() and name not in PLACES:
            raise StyleError(
                f"There is no place {{{name}}}; known are {', '.join(sorted(PLACES))}.", part
            )


def prompt_for(
    style: PromptStyle,
    item: Item,
    asked: FormQuestion,
    guidelines: str,
    examples: Sequence[PromptExample] = (),
) -> Prompt:
    """Return the prompt for one question. Examples follow the system prompt if the style has
    no place for them."""
    dimension, shown = asked.dimension, examples_text(examples)
    texts = {
        "guidelines": f"What the people were told who judge the same:\n\n{guidelines.strip()}"
        if guidelines.strip()
        else "",
        "examples": shown,
        "passages": _reference(asked) + _passages(asked),
        "asked": fenced(item.question.strip()),
        "answer": _answer(item, asked),
        "about": _about(asked),
        "title": dimension.title,
        "question": "\n\n".join(filter(None, (dimension.question, dimension.help))),
        "choices": _choices(dimension),
        "fields": _fields(dimension, style, has_passages=bool(asked.passages)),
        "rules": _rules(dimension, style, has_passages=bool(asked.passages)),
    }
    system = _filled(style.system, texts)
    if shown and "{examples}" not in style.system + style.user:
        system = f"{system}\n\n{shown}"
    user = _filled(style.user, texts)
    places = [found for one in OF_ONE if (found := style.user.find(f"{{{one}}}")) >= 0]
    begun = _filled(style.user[: min(places)], texts)
    begins = len(begun) if user.startswith(begun) else 0
    return Prompt(f"{system}\n\n{FENCED}", user, begins)


def _filled(text: str, texts: Mapping[str, str]) -> str:
    """Fill the places of a style. Filled text is not searched for places."""
    out, rest = [], text
    while rest:
        before, opened, after = rest.partition("{")
        out.append(before)
        name, closed, rest_after = after.partition("}")
        if opened and closed and name in texts:
            out.append(texts[name])
            rest = rest_after
        elif opened:
            out.append("{")
            rest = after
        else:
            rest = ""
    lines = "".join(out)
    while "\n\n\n" in lines:
        lines = lines.replace("\n\n\n", "\n\n")
    return lines.strip()


def _answer(item: Item, asked: FormQuestion) -> str:
    """Return the visible answer: both of a pair in their order, none for a reference."""
    if asked.reference is not None:
        return "(No answer is in sight: the reference alone is judged.)"
    own = item.answer.strip()
    if asked.beside is None:
        return _or_nothing(own)
    both = (own, asked.beside.answer.strip())
    shown = enumerate(both[::-1] if asked.beside.first else both, 1)
    return "\n\n".join(f"## Answer {number}\n\n{_or_nothing(text)}" for number, text in shown)


def _or_nothing(text: str) -> str:
    return fenced(text) if text else "(nothing)"


def _reference(asked: FormQuestion) -> str:
    if asked.reference is None:
        return ""
    return "# The reference answer\n\n" + "\n\n".join(map(fenced, asked.reference))


def _passages(asked: FormQuestion) -> str:
    if not asked.passages:
        return ""
    is_pair = asked.beside is not None
    each = (
        f"## {_called(one.number) if is_pair else f'Passage {one.number}'}\n\n{fenced(one.premise)}"
        for one in asked.passages
    )
    return "# Passages\n\n" + "\n\n".join(each)


def _called(number: int) -> str:
    """Name a passage of a pair: those of Answer 2 have negative numbers."""
    return f"Passage {number}: number {abs(number)} of Answer {1 if number > 0 else 2}"


_NAMED = {
    "statement": "statement",
    "citation": "statement, as far as the passage shows it",
    "claim": "claim",
    "claim_citation": "claim, as far as the passage shows it",
}


def _about(asked: FormQuestion) -> str:
    kind = asked.dimension.unit_kind.value
    if kind == "pair":
        return "# What is judged\n\nAnswer 1 and Answer 2, beside each other."
    if kind == "response" and asked.reference is not None:
        return f"# What is judged: all claims made of the reference\n\n{_or_nothing(asked.text)}"
    if kind == "response":
        return "# What is judged\n\nThe answer as a whole."
    if asked.marked:
        wanted = "the claim that the marks between ⟦ and ⟧ are cited for"
        return f"# What is judged: {wanted}\n\n{fenced(asked.marked)}"
    named = _NAMED.get(kind, kind.replace("_", " "))
    return f"# What is judged: this {named}\n\n{fenced(asked.text)}"


def _choices(dimension: Dimension) -> str:
    if dimension.answer == "number":
        low, high = dimension.read(str(dimension.low)), dimension.read(str(dimension.high))
        ends = dict(zip((low, high), dimension.anchors, strict=False))
        return f"Answer with a number from {_end(low, ends)} to {_end(high, ends)}."
    if dimension.answer == "text":
        return "Answer with a text."
    lines = [_choice(one) for one in dimension.choices]
    if dimension.answer == "several":
        return "\n".join(["Answer with all that apply, or with none:", *lines])
    if dimension.answer == "spans":
        lines = ["Mark words, each with one of these labels:", *lines]
        if dimension.severities:
            lines += ["and how bad it is:", *map(_choice, dimension.severities)]
        return "\n".join(lines)
    return "\n".join(["Answer with one of these:", *lines])


def _end(number: str, anchors: Mapping[str, str]) -> str:
    return f"{number} ({anchors[number]})" if anchors.get(number) else number


def _choice(choice: Choice) -> str:
    help_text = f" {choice.help}" if choice.help else ""
    return f"- `{choice.value}`: {choice.label}.{help_text}"


def _fields(dimension: Dimension, style: PromptStyle, *, has_passages: bool) -> str:
    if style.shares and dimension.is_choice:
        value = f"“probabilities”, an object with {_listed(dimension.choices)}"
    elif dimension.answer == "several":
        value = f"“value”, a list of some of {_listed(dimension.choices)}, empty if none applies"
    elif dimension.answer == "spans":
        each = ["“words” (copied exactly)", "“label”"]
        each += ["“severity”"] * bool(dimension.severities)
        each += ["“passage” (its number)"] * (dimension.marks == "passages")
        value = (
            f"“value”, a list of objects with {', '.join(each)}, empty if nothing is to be marked"
        )
    elif dimension.answer == "number":
        value = f"“value”, the number, or “{cannot_tell(dimension)}”"
    elif dimension.answer == "text":
        value = "“value”, the text"
    else:
        value = f"“value”, one of {_listed(dimension.choices)}, or “{cannot_tell(dimension)}”"
    if dimension.writes:
        words = (
            "the words of the sentence that make the claim, copied in their order, without marks"
        )
        value += f"; “claim”, {words} (empty where there is none)"
    reason = "“reason”, why, in one to three sentences"
    parts = [reason, value] if style.reason_first else [value, reason]
    if has_passages:
        parts.append("“quotes”, a list of objects with “passage” (its number) and “words”")
    return "; ".join(parts)


def _rules(dimension: Dimension, style: PromptStyle, *, has_passages: bool) -> str:
    rules = []
    if has_passages:
        rules.append(
            "Quotes are words of a passage that show why, copied exactly; none if there are none."
        )
    if dimension.answer == "choice" and not style.shares:
        rules.append(
            f"Answer “{cannot_tell(dimension)}” only where the page does not let anybody decide."
        )
    return " ".join(rules)


def _listed(choices: Sequence[Choice]) -> str:
    return ", ".join(f"“{one.value}”" for one in choices) or f"“{NOTHING}”"
