"""The systems of Attributed QA: a short answer and one passage that says so.

Bohnet et al. (2022), Attributed Question Answering, https://arxiv.org/abs/2212.08037:

- *Retrieve-then-read*: fifty passages are candidates. The answer is read from the first few, and
  one of them is its attribution. With AutoAIS reranking, the candidate with the highest score for
  the first answer is the attribution, and the answer is read again from that one.
- *Post-hoc retrieval*: the model answers from memory, shown 64 questions with their answers.
  Question and answer are the query; of fifty passages the first that contains the answer is the
  attribution, else the first. With AutoAIS reranking it is the one with the highest score.
- *LLM-as-retriever*: the model gives an answer and the address of a page. Of that page's
  paragraphs, the one with the highest BM25 score is the attribution. A page that cannot be searched
  attributes nothing. With AutoAIS reranking, it is the paragraph with the highest score."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import parse_qs, unquote

from annotate.text import find_marks, strip_marks
from annotate.text.addresses import AROUND, bare_address, bare_title, parts_of
from annotate.text.search_result import Found
from evaluation.generating.systems.context_window import TOO_LONG, FittedPassage
from evaluation.generating.systems.conversations import (
    Ask,
    Conversation,
    Exchange,
    Subject,
    UnansweredError,
    WrittenAnswer,
    ask,
)
from evaluation.generating.systems.demonstrations import pairs_for
from evaluation.generating.systems.spec import (
    ATTRIBUTED_QA,
    AUTOAIS,
    Inputs,
    SystemSpec,
    rank_passages,
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


def retrieve_then_read(subject: Subject, inputs: Inputs) -> Conversation:
    """Read an answer from the first passages; the named one becomes passage 1."""
    candidates = inputs.candidates(subject)
    output, pointed, notes = yield from _read(subject, inputs, candidates[: inputs.options.read])
    first = candidates[pointed]
    others = [one for one in candidates if one is not first]
    return WrittenAnswer(output, (first, *others), notes)


def read_again(subject: Subject, inputs: Inputs, attributed: Found) -> Conversation:
    """Read the answer from the passage that is its attribution."""
    output, _, notes = yield from _read(subject, inputs, [attributed])
    return WrittenAnswer(output, (attributed,), notes)


def _read(subject: Subject, inputs: Inputs, passages: Sequence[Found]) -> Exchange:
    """Return the answer, the place of the passage that it names, and notes."""

    def make(shown: Sequence[FittedPassage]) -> Prompt:
        return Prompt(READ_TASK, f"Question: {subject.question.text}\n\n{documents(shown)}")

    fitted = inputs.window.fit(make, [FittedPassage(one, one.text) for one in passages])
    one = Ask(fitted.prompt, is_whole=partial(has_all_lines, READ_NAMES))
    fields = labelled_lines((yield from ask(one)), READ_NAMES)
    most = min(inputs.options.point, len(fitted.shown))
    answer = fields.get("answer", "")
    pointer = fields.get("document") or " ".join(mark.text for mark in find_marks(answer))
    number = number_in(pointer, most)
    notes = dict(fitted.notes) if number else {**fitted.notes, "no_pointer": True}
    return without_marks(answer), (number or 1) - 1, notes


RETRIEVE_THEN_READ = SystemSpec(
    key="retrieve_then_read",
    title="Retrieve-then-read",
    paper=ATTRIBUTED_QA,
    about="reads a short answer from the passages found and points at one of them",
    conversation=retrieve_then_read,
    takes=("k", "ranked_by", "read", "point"),
    afterwards=(AUTOAIS,),
    keeps="first",
    again=read_again,
    examples="none",
    most_tokens=50,
)


POSTHOC_TASK = "Answer the question in as few words as possible, without a sentence around them."


def posthoc(subject: Subject, inputs: Inputs) -> Conversation:
    """Write an answer, then find the candidates for its attribution."""
    question, options = subject.question.text, inputs.options
    pairs = pairs_for(inputs.pairs, question, options.pairs, options.pairs_by, inputs.seed)
    before = [f"Question: {one.question}\nAnswer: {one.answer}" for one in pairs]
    prompt = Prompt(POSTHOC_TASK, "\n\n".join([*before, f"Question: {question}\nAnswer:"]))
    refuse_too_long(inputs, prompt)
    text = yield from ask(Ask(prompt, (NEXT,), is_whole=partial(has_all_lines, ("answer",))))
    output = without_marks(answered(text).partition("\n")[0])
    found = inputs.search_passages(subject, f"{question} {output}", options.k)
    holds = f" {normalised(output)} "
    containing = (one for one in found if output and holds in f" {normalised(one.text)} ")
    first = next(containing, next(iter(found), None))
    others = [one for one in found if one is not first]
    return WrittenAnswer(output, () if first is None else (first, *others))


POSTHOC = SystemSpec(
    key="posthoc",
    title="Post-hoc retrieval",
    paper=ATTRIBUTED_QA,
    about="answers from what the model knows, then looks for a passage that says so",
    conversation=posthoc,
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
"""How many passages are searched for the paragraphs of a page by its title."""

_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_LINK = re.compile(r"\[[^\]]*\]\((.*)\)")


def llm_as_retriever(subject: Subject, inputs: Inputs) -> Conversation:
    """Write an answer and return the paragraphs of the named page, the best first."""
    question = subject.question.text
    prompt = Prompt(PAGE_TASK, f"Question: {question}")
    refuse_too_long(inputs, prompt)
    fields = labelled_lines(
        (yield from ask(Ask(prompt, is_whole=partial(has_all_lines, PAGE_NAMES)))), PAGE_NAMES
    )
    output, page = without_marks(fields.get("answer", "")), fields.get("page", "")
    query = f"{question} {output}"
    paragraphs = _paragraphs(subject, inputs, page, query) if page else []
    notes = {"page": page, **({} if paragraphs else {"page_found": False})}
    best = rank_passages(paragraphs, query, most=len(paragraphs))[: inputs.options.k]
    return WrittenAnswer(output, tuple(best), notes)


def _paragraphs(subject: Subject, inputs: Inputs, page: str, query: str) -> list[Found]:
    """Return the paragraphs of a page.

    They are looked up if the corpus has pages, else searched by its title, alone and with question
    and answer.
    """
    title = title_of(page)
    if inputs.page_passages is not None:
        return [
            one for one in inputs.page_passages(title, _address_or_title(page)) if is_of(one, page)
        ]
    found = [
        *inputs.search_passages(subject, title, DEEP),
        *inputs.search_passages(subject, f"{title} {query}", inputs.options.k),
    ]
    return list({one.key: one for one in found if is_of(one, page)}.values())


def title_of(page: str) -> str:
    """Return the title in an address, or the title that was given instead of one."""
    named = _address_or_title(page)
    if "://" not in named:
        path = named
    elif (parts := parts_of(named)) is None:
        path = ""
    else:
        path = (parse_qs(parts.query).get("title") or [parts.path])[0]
    return unquote(path.rstrip("/").rpartition("/")[2]).replace("_", " ").strip(AROUND)


def is_of(passage: Found, page: str) -> bool:
    """Whether a passage is of the page: by its address, or by its title."""
    address = bare_address(_address_or_title(page))
    if passage.url and address and bare_address(passage.url) == address:
        return True
    title = title_of(page).casefold()
    return bool(title) and bare_title(passage.title) == title


def _address_or_title(page: str) -> str:
    """Return the address or title in a reply about a page, without surrounding text."""
    linked = _LINK.search(page)
    inner = linked[1] if linked else page
    address = _ADDRESS.search(inner)
    return (address[0] if address else inner).strip(AROUND)


LLM_AS_RETRIEVER = SystemSpec(
    key="llm_as_retriever",
    title="LLM-as-retriever",
    paper=ATTRIBUTED_QA,
    about="answers and names the page that says so, of which a paragraph is attributed",
    conversation=llm_as_retriever,
    takes=("k",),
    afterwards=(AUTOAIS,),
    keeps="first",
    needs_passages=False,
    examples="none",
    most_tokens=100,
)


def labelled_lines(text: str, names: tuple[str, ...]) -> Mapping[str, str]:
    """Return the text of lines that begin with a name and a colon, or of the line after it.

    Without any such line, the first line belongs to the first name.
    """
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


def has_all_lines(names: tuple[str, ...], text: str) -> bool:
    """Whether each name has a line that has ended."""
    ended = labelled_lines(text.rpartition("\n")[0], names)
    return all(ended.get(name) for name in names)


def plain(text: str) -> str:
    """Return the words without surrounding stars and ticks."""
    return text.strip(" \t*`")


def without_marks(answer: str) -> str:
    """Return a short answer without its marks: only one of its passages stays."""
    return plain(strip_marks(answer).text)


def number_in(text: str, most: int) -> int | None:
    """Return the first number in a text if it is from 1 to `most`."""
    match = re.search(r"\d{1,6}", text)
    return int(match[0]) if match and 0 < int(match[0]) <= most else None


def refuse_too_long(inputs: Inputs, prompt: Prompt) -> None:
    """Raise if the model cannot read the whole prompt."""
    if not inputs.window.holds(prompt):
        raise UnansweredError(TOO_LONG)
