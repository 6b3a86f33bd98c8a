"""Refuse words and constructions that a reader has to read twice (CONTRIBUTING.md, *Style*)."""

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 25


class Rule(NamedTuple):
    """A construction, why it is refused, and what to write."""

    pattern: str
    why: str
    example: str


RULES = (
    Rule(
        r"\bwh(?:o|at|ich|om)ever\b",
        "Name the person or the thing: *anyone who*, *the operator*.",
        "whoever runs it",
    ),
    Rule(
        r"\bthose (?:that|which|whom)\b|\bthat which\b",
        "Name the thing: *responses without a label*.",
        "those that are known",
    ),
    Rule(
        r"(?<!\bof )(?<!\bsee )\bwhat (?:has|have|had|was|were|came|comes|stands|stood)\b",
        "Name the thing: *loaded files*, not *what was loaded*.",
        "what was loaded",
    ),
    Rule(
        r"\bonce more\b|\banew\b|\bbe it\b|\bas far as\b|\bat most so\b|\bso many\b",
        "Filler: write *again*, a number, or nothing.",
        "asked once more",
    ),
    Rule(
        r", too\b(?! (?:few|high|long|low|many|much|short|small|wide|narrow))|\btoo[.;:]",
        "Write *also* before the verb.",
        "It counts, too.",
    ),
    Rule(
        r"\b(?:st(?:ands?|ood)|lies?|lay) (?:in|on|at|beside|below|above|there|under|by)\b",
        "A thing *is* somewhere. It does not stand or lie there.",
        "The date stands beside it.",
    ),
    Rule(
        r"\b(?:is|are|was|were|be|been) (?:told(?! apart)|noted|looked through)\b|\btells? of\b",
        "Say who does it: *Attest shows*, *Attest records*.",
        "It is told what happened.",
    ),
    Rule(
        r"\bbeside\b",
        "Write *next to*, *in addition to* or *and*.",
        "kappa beside alpha",
    ),
    Rule(r"(?:^|[.;] )nor\b", "Write *and not*.", "Nor is it shown."),
    Rule(
        r"\bmoulds?\b|\brubbish\b|\bwritings\b|\bpoured\b|\bat hand\b",
        "Use the usual word: *template*, *noise*, *text*, *available*.",
        "the text at hand",
    ),
)


def prose(text: str) -> str:
    """Return a page without code, tables' rules, targets of links and quotations of protocols."""
    text = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "x", text)
    return re.sub(r"\]\([^)\n]*\)", "]", text)


def sentences(text: str) -> list[str]:
    """Return the sentences of paragraphs and lists, not of tables and headings."""
    lines = [line for line in text.split("\n") if not line.startswith(("|", "#", "!", "    "))]
    blocks = re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.) ", "\n".join(lines))
    return [
        sentence
        for block in blocks
        for sentence in re.split(r"(?<=[.!?:;])[\"”’)*]* +", " ".join(block.split()))
    ]


def faults(text: str) -> list[str]:
    """Return the lines with refused words, each with the reason, and sentences that are long."""
    text = prose(text)
    found = [
        f"{match.group()!r} in {line.strip()[:100]!r}: {rule.why}"
        for line in text.split("\n")
        for rule in RULES
        for match in re.finditer(rule.pattern, line, re.IGNORECASE)
    ]
    return found + [
        f"{len(sentence.split())} words: {sentence[:100]}"
        for sentence in sentences(text)
        if len(sentence.split()) > LONGEST
    ]


PAGES = {
    "/README": ROOT / "README.md",
    "/CONTRIBUTING": ROOT / "CONTRIBUTING.md",
    **{path.stem: path for path in sorted((ROOT / "docs").glob("*.md"))},
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.example)
def test_each_rule_refuses_its_example(rule: Rule):
    assert faults(rule.example)


def test_pages_are_plain():
    found = {name: faults(path.read_text(encoding="utf-8")) for name, path in PAGES.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


WORDING_IS_KEPT = (
    "evaluation/generating/systems/",
    "evaluation/judges/aliice.py",
    "evaluation/language_models/asking/",
)
"""Prompts to models and reasons in stored verdicts: another wording is another judge."""


def refused(text: str) -> list[str]:
    """Return the refused words of a text."""
    rules = [re.finditer(rule.pattern, text, re.IGNORECASE) for rule in RULES]
    return [match.group() for matches in rules for match in matches]


PARTS_OF_A_SENTENCE = "if|endif|with|endwith|for|endfor|csrf_token|load|comment|endcomment"
WITHIN_A_SENTENCE = "a|abbr|b|bdi|code|em|i|kbd|mark|q|span|strong|sub|sup|time|var"
LABELS = "aria-label|title|placeholder|alt|data-confirm"


def seen(template: str) -> str:
    """Return the words that a template shows, a line for each block and each label."""
    template = re.sub(r"\{#.*?#\}|<(script|style)\b.*?</\1>", "", template, flags=re.DOTALL)
    labels = re.findall(rf'\b(?:{LABELS})="([^"]*)"', template)
    text = " ".join(template.split())
    text = re.sub(rf"\{{% (?:{PARTS_OF_A_SENTENCE})\b.*?%\}}", " ", text)
    text = re.sub(r"\{% (?:else|elif|block|include)\b.*?%\}", "\n", text)
    text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", " x ", text)
    text = re.sub(rf"</?(?:{WITHIN_A_SENTENCE})\b[^>]*>", " ", text)
    lines = re.sub(r"<[^>]*>", "\n", text).split("\n")
    labels = [re.sub(r"\{%.*?%\}|\{\{.*?\}\}", " x ", label) for label in labels]
    return "\n".join(" ".join(line.split()) for line in (*lines, *labels))


def messages(path: Path) -> Iterator[str]:
    """Yield the strings of a module that may be shown: sentences that are not docstrings.

    A formatted string is one of them, with an x for each value.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = [part for node in ast.walk(tree) for part in _parts(node)]
    alone = {id(part) for part in parts}
    for node in ast.walk(tree):
        text = _text(node)
        if id(node) not in alone and " " in text:
            yield re.sub(r"<[^>]*>", "", text)


def _parts(node: ast.AST) -> list[ast.expr]:
    """Return a docstring, or the constants within a formatted string."""
    if isinstance(node, ast.Expr):
        return [node.value]
    return node.values if isinstance(node, ast.JoinedStr) else []


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "x" for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""


OF_RATERS = ("desk/", "practice/", "talk/", "crowd/", "answers/", "passages/", "error.html", "429")
LONGEST_OF_RATERS = 20


def test_templates_are_plain():
    found = {
        str(path.relative_to(ROOT)): refused(seen(path.read_text(encoding="utf-8")))
        for path in sorted((ROOT / "templates").rglob("*.html"))
    }
    assert {path: words for path, words in found.items() if words} == {}


def test_templates_have_short_sentences():
    found = [
        f"{name}, {len(sentence.split())} words: {sentence}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for name in [str(path.relative_to(ROOT / "templates"))]
        for line in seen(path.read_text(encoding="utf-8")).split("\n")
        for sentence in re.split(r"(?<=[.!?:;·])[\"”’)]* +", line)
        if len(sentence.split()) > (LONGEST_OF_RATERS if name.startswith(OF_RATERS) else LONGEST)
    ]
    assert found == []


NOT_SENTENCES = ("annotate/text/", "evaluation/judges/entailment/")
"""Lists of words in a language."""


def modules() -> dict[str, Path]:
    """Return the modules whose wording may change, by name."""
    found = {
        str(path.relative_to(ROOT)): path
        for app in ("annotate", "evaluation", "config", "client")
        for path in sorted((ROOT / app).rglob("*.py"))
    }
    return {name: path for name, path in found.items() if not name.startswith(WORDING_IS_KEPT)}


def test_messages_are_plain():
    found = {
        name: [word for text in messages(path) for word in refused(text)]
        for name, path in modules().items()
    }
    assert {name: words for name, words in found.items() if words} == {}


def test_messages_have_short_sentences():
    found = [
        f"{name}, {len(sentence.split())} words: {sentence}"
        for name, path in modules().items()
        if not name.startswith(NOT_SENTENCES)
        for text in messages(path)
        if not re.match(r"\s*(?:SELECT|CREATE|CASE)\b", text)
        for sentence in sentences(text)
        if len(sentence.split()) > LONGEST
    ]
    assert found == []


DOCSTRINGS_ARE_PLAIN = (
    "annotate/content/",
    "annotate/exchange/",
    "annotate/formats/",
    "annotate/management/",
    "annotate/models/",
    "annotate/people/",
    "annotate/protocol/",
    "annotate/rating/",
    "annotate/studies/",
    "annotate/text/",
    "annotate/uploads/",
    "annotate/web/",
    "annotate/work/",
    "client/src/",
    "config/",
    "evaluation/claims/",
    "evaluation/generating/",
    "evaluation/judges/",
    "evaluation/labels/",
    "evaluation/language_models/",
    "evaluation/management/",
    "evaluation/models/",
    "evaluation/report_pages/",
    "evaluation/reports/",
    "evaluation/runs/",
    "evaluation/statistics/",
)
"""Rooms whose docstrings and comments keep the rules. Only add names here."""


def remarks(path: Path) -> Iterator[str]:
    """Yield the docstrings and comments of a module, each on one line, without code."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield prose(" ".join(str(node.value.value).split()))
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.string


def test_docstrings_and_comments_are_plain():
    found = {
        str(path.relative_to(ROOT)): [word for text in remarks(path) for word in refused(text)]
        for room in DOCSTRINGS_ARE_PLAIN
        for path in sorted((ROOT / room).rglob("*.py"))
    }
    assert {path: words for path, words in found.items() if words} == {}
