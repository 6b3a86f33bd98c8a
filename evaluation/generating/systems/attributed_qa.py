"""The systems of Attributed QA: a short answer and one passage that says so.

Bohnet et al. (2022), Attributed Question Answering, https://arxiv.org/abs/2212.08037:

- *Retrieve-then-read*: fifty passages are candidates. The answer is read from the first few, and
  one of them is its attribution. With AutoAIS reranking, the candidate with the highest score for
  the first answer is the attribution, and the answer is read again from that one.
- *Post-hoc retrieval*: the model answers from what it knows, shown 64 questions with their answers.
  Question and answer are the query; of fifty passages the first that contains the answer is the
  attribution, else the first. With AutoAIS reranking it is the one with the highest score.
- *LLM-as-retriever*: the model gives an answer and the address of a page. Of that page's
  paragraphs, the one with the highest BM25 score is the attribution. A page that cannot be searched
  attributes nothing. With AutoAIS reranking, it is the paragraph with the highest score.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import parse_qs, unquote

from annotate.text import find_marks, strip_marks
from annotate.text.pages import AROUND, bare_address, bare_title, parts_of
from annotate.text.search_result import Found
from evaluation.generating.systems.demonstrations import pairs_for
from evaluation.generating.systems.room import TOO_LONG, FittedPassage
from evaluation.generating.systems.spec import ATTRIBUTED_QA, AUTOAIS, How, SystemSpec, among
from evaluation.generating.systems.talks import (
    Ask,
    Part,
    Subject,
    Talk,
    UnansweredError,
    Written,
    ask,
)
from evaluation.generating.systems.wording import NEXT, answered, documents
from evaluation.judges.short_answers import normalised
from evaluation.language_models.asking.prompts import Prompt

READ_TASK = (
    "Answer the question from the documents in as few words as possible, without a sentence around "
    "them. Then give the number of the one document that says so. Write two lines and nothing "
    "else:\n"
    "Answer: the answer\n"
    "Document: its number"
)
READ_NAMES = ("answer", "document")


def retrieve_then_read(subject: Subject, how: How) -> Talk:
    """An answer from the first passages; the one that is pointed at comes first."""
    candidates = how.candidates(subject)
    output, pointed, noted = yield from _read(subject, how, candidates[: how.options.read])
    first = candidates[pointed]
    others = [one for one in candidates if one is not first]
    return Written(output, (first, *others), noted)


def read_again(subject: Subject, how: How, attributed: Found) -> Talk:
    """The answer from the passage that is its attribution."""
    output, _, noted = yield from _read(subject, how, [attributed])
    return Written(output, (attributed,), noted)


def _read(subject: Subject, how: How, passages: Sequence[Found]) -> Part:
    """The answer, the place of the passage that is pointed at, and what is noted."""

    def make(shown: Sequence[FittedPassage]) -> Prompt:
        return Prompt(READ_TASK, f"Question: {subject.question.text}\n\n{documents(shown)}")

    fitted = how.room.fit(make, [FittedPassage(one, one.text) for one in passages])
    one = Ask(fitted.prompt, is_whole=partial(has_all, READ_NAMES))
    told = said((yield from ask(one)), READ_NAMES)
    most = min(how.options.point, len(fitted.shown))
    answer = told.get("answer", "")
    pointer = told.get("document") or " ".join(mark.text for mark in find_marks(answer))
    number = number_in(pointer, most)
    noted = dict(fitted.noted) if number else {**fitted.noted, "no_pointer": True}
    return bare(answer), (number or 1) - 1, noted


RETRIEVE_THEN_READ = SystemSpec(
    key="retrieve_then_read",
    title="Retrieve-then-read",
    paper=ATTRIBUTED_QA,
    about="reads a short answer from the passages found and points at one of them",
    talk=retrieve_then_read,
    takes=("k", "ranked_by", "read", "point"),
    afterwards=(AUTOAIS,),
    keeps="first",
    again=read_again,
    examples="none",
    most_tokens=50,
)


POSTHOC_TASK = "Answer the question in as few words as possible, without a sentence around them."


def posthoc(subject: Subject, how: How) -> Talk:
    """An answer, then the candidates for its attribution."""
    question, options = subject.question.text, how.options
    pairs = pairs_for(how.pairs, question, options.pairs, options.pairs_by, how.seed)
    before = [f"Question: {one.question}\nAnswer: {one.answer}" for one in pairs]
    prompt = Prompt(POSTHOC_TASK, "\n\n".join([*before, f"Question: {question}\nAnswer:"]))
    refuse_longer(how, prompt)
    text = yield from ask(Ask(prompt, (NEXT,), is_whole=partial(has_all, ("answer",))))
    output = bare(answered(text).partition("\n")[0])
    found = how.look_for(subject, f"{question} {output}", options.k)
    holds = f" {normalised(output)} "
    containing = (one for one in found if output and holds in f" {normalised(one.text)} ")
    first = next(containing, next(iter(found), None))
    others = [one for one in found if one is not first]
    return Written(output, () if first is None else (first, *others))


POSTHOC = SystemSpec(
    key="posthoc",
    title="Post-hoc retrieval",
    paper=ATTRIBUTED_QA,
    about="answers from what the model knows, then looks for a passage that says so",
    talk=posthoc,
    takes=("k", "pairs", "pairs_by"),
    afterwards=(AUTOAIS,),
    keeps="first",
    needs_passages=False,
    examples="pairs",
    most_tokens=50,
)


PAGE_TASK = (
    "Answer the question in as few words as possible, without a sentence around them. Then give "
    "the address of the one Wikipedia page that says so. Write two lines and nothing else:\n"
    "Answer: the answer\n"
    "Page: its address"
)
PAGE_NAMES = ("answer", "page")


DEEP = 1_000
"""So many passages are looked at for those of a page, whose title is asked for."""

_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_LINK = re.compile(r"\[[^\]]*\]\((.*)\)")


def llm_as_retriever(subject: Subject, how: How) -> Talk:
    """An answer and the paragraphs of the page that was named, the best first."""
    question = subject.question.text
    prompt = Prompt(PAGE_TASK, f"Question: {question}")
    refuse_longer(how, prompt)
    told = said((yield from ask(Ask(prompt, is_whole=partial(has_all, PAGE_NAMES)))), PAGE_NAMES)
    output, page = bare(told.get("answer", "")), told.get("page", "")
    query = f"{question} {output}"
    paragraphs = _paragraphs(subject, how, page, query) if page else []
    noted = {"page": page, **({} if paragraphs else {"page_found": False})}
    best = among(paragraphs, query, most=len(paragraphs))[: how.options.k]
    return Written(output, tuple(best), noted)


def _paragraphs(subject: Subject, how: How, page: str, query: str) -> list[Found]:
    """Those of the page: looked up where that can be, else among what is found for its title, and
    for question and answer with it."""
    title = title_of(page)
    if how.of_page is not None:
        return [one for one in how.of_page(title, _named(page)) if is_of(one, page)]
    found = [
        *how.look_for(subject, title, DEEP),
        *how.look_for(subject, f"{title} {query}", how.options.k),
    ]
    return list({one.key: one for one in found if is_of(one, page)}.values())


def title_of(page: str) -> str:
    """The title that an address ends in or asks for, or that was given instead of one."""
    named = _named(page)
    if "://" not in named:
        path = named
    elif (parts := parts_of(named)) is None:
        path = ""
    else:
        path = (parse_qs(parts.query).get("title") or [parts.path])[0]
    return unquote(path.rstrip("/").rpartition("/")[2]).replace("_", " ").strip(AROUND)


def is_of(passage: Found, page: str) -> bool:
    """Whether a passage is of the page: by its address, or by its title."""
    address = bare_address(_named(page))
    if passage.url and address and bare_address(passage.url) == address:
        return True
    title = title_of(page).casefold()
    return bool(title) and bare_title(passage.title) == title


def _named(page: str) -> str:
    """The address or title in what was said of a page, without what stands around it."""
    linked = _LINK.search(page)
    inner = linked[1] if linked else page
    address = _ADDRESS.search(inner)
    return (address[0] if address else inner).strip(AROUND)


LLM_AS_RETRIEVER = SystemSpec(
    key="llm_as_retriever",
    title="LLM-as-retriever",
    paper=ATTRIBUTED_QA,
    about="answers and names the page that says so, of which a paragraph is attributed",
    talk=llm_as_retriever,
    takes=("k",),
    afterwards=(AUTOAIS,),
    keeps="first",
    needs_passages=False,
    examples="none",
    most_tokens=100,
)


def said(text: str, names: tuple[str, ...]) -> Mapping[str, str]:
    """What stands in lines that begin with a name and a colon, or in the line after where that one
    ends there. Without any, all of it is the first name's."""
    found: dict[str, str] = {}
    lines = [plain(line) for line in text.splitlines() if plain(line)]
    open_key = ""
    for line in lines:
        name, colon, rest = line.partition(":")
        key = plain(name).lower()
        if colon and key in names and key not in found:
            found[key] = plain(rest)
            open_key = key
        elif open_key and not found[open_key]:
            found[open_key] = line
    return found or {names[0]: lines[0] if lines else ""}


def has_all(names: tuple[str, ...], text: str) -> bool:
    """Whether each of them stands in a line that has ended."""
    ended = said(text.rpartition("\n")[0], names)
    return all(ended.get(name) for name in names)


def plain(text: str) -> str:
    """Words without the stars and ticks that stand around them."""
    return text.strip(" \t*`")


def bare(answer: str) -> str:
    """A short answer without marks: of its passages one stays, and no number is said with it."""
    return plain(strip_marks(answer).text)


def number_in(text: str, most: int) -> int | None:
    """The first number in a text, if it is one from 1 to `most`."""
    match = re.search(r"\d{1,6}", text)
    return int(match[0]) if match and 0 < int(match[0]) <= most else None


def refuse_longer(how: How, prompt: Prompt) -> None:
    """Refuse to ask what the model cannot read."""
    if not how.room.holds(prompt):
        raise UnansweredError(TOO_LONG)
