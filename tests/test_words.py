"""One word, one meaning, wherever people read: a question is what the systems were asked, and what
raters answer is a dimension. This finds the turns in which the two were mixed up, no others."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent

OF_RATERS = re.compile(
    r"""
      \bquestions?\ (\S+\ )?(\d+|\{\{.*?\}\}|\$\{.*?\})\ of\b   # “Question 3 of 8”
    | \b(skipped|skip\ the|next|previous)\ questions?\b
    | \bquestions?\ of\ (the|a|their|its|his)\ (form|task|protocol|file|own)\b
    | \bquestions?\ of\ (a|the|this)\ study's\ own\b
    | \b(study's|paper's)\ own\ questions?\b
    | \bquestions?\ (about|put\ about)\ (the\ |a\ |an\ |one\ |all\ )?
      (response|statement|citation|claim|unit|pair|whole|reference's)s?\b
    | \bsame\ questions?\ (about|of)\ the\ same\ unit\b
    | \bfor="dimension">Question
    """,
    re.IGNORECASE | re.VERBOSE,
)


def pages() -> Iterator[tuple[str, str]]:
    found = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("templates/**/*.*")]
    found += ROOT.glob("static/desk/*.js")
    found += ROOT.glob("static/*.js")
    for path in found:
        yield str(path.relative_to(ROOT)), path.read_text("utf-8")


def said() -> Iterator[tuple[str, str]]:
    """The texts in code: labels, help, errors, what commands print; not what explains the code."""
    for path in (*ROOT.glob("annotate/**/*.py"), *ROOT.glob("evaluation/**/*.py")):
        if "migrations" in path.parts:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        explain = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in explain:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", str(node.value)


def mixed_up(texts: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, hit.group()) for name, text in texts for hit in OF_RATERS.finditer(text)]


def test_no_dimension_is_called_a_question(subtests):
    for texts in [pages, said]:
        with subtests.test(texts=texts):
            assert mixed_up(texts()) == []


def test_the_search_finds_them(subtests):
    for text in [
        "Question 3 of 8",
        "<span>Question {{ number }} of {{ all }}</span>",
        "`question ${at} of ${all}`",
        "Skipped questions",
        "a question of the form",
        "a study's own question",
        "questions about the response",
        "the same question about the same unit",
        '<label for="dimension">Question</label>',
    ]:
        with subtests.test(text=text):
            assert mixed_up(iter([("somewhere", text)]))


def test_the_search_leaves_prompts_alone(subtests):
    for text in [
        "40 questions of 2 systems",
        "the study's questions",
        "Questions from raters",
        "another answer to this question",
        "the question's reference",
    ]:
        with subtests.test(text=text):
            assert not mixed_up(iter([("somewhere", text)]))
