"""Attributed QA's LLM-as-retriever: the model names the page of which a paragraph is evidence.

Bohnet et al. (2022), https://arxiv.org/abs/2212.08037, on LLM-as-retriever: the model gives an
answer and the address of a page; of that page's paragraphs the one with the highest BM25 score for
question and answer is the attribution. A page that is not among what can be searched attributes
nothing. With AutoAIS reranking, the paragraph with the highest score is the attribution.
"""

import re
from functools import partial
from urllib.parse import parse_qs, unquote

from annotate.retrieval.found import Found
from annotate.retrieval.pages import AROUND, bare_address, bare_title, parts_of
from evaluation.asking.prompts import Prompt
from evaluation.generating.how import How, among
from evaluation.generating.short import bare, has_all, refuse_longer, said
from evaluation.generating.spec import ATTRIBUTED_QA, AUTOAIS, SystemSpec
from evaluation.generating.talks import Ask, Subject, Talk, Written, ask

TASK = (
    "Answer the question in as few words as possible, without a sentence around them. Then give "
    "the address of the one Wikipedia page that says so. Write two lines and nothing else:\n"
    "Answer: the answer\n"
    "Page: its address"
)
NAMES = ("answer", "page")


DEEP = 1_000
"""So many passages are looked at for those of a page, whose title is asked for."""

_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_LINK = re.compile(r"\[[^\]]*\]\((.*)\)")


def talk(subject: Subject, how: How) -> Talk:
    """An answer and the paragraphs of the page that was named, the best first."""
    question = subject.question.text
    prompt = Prompt(TASK, f"Question: {question}")
    refuse_longer(how, prompt)
    told = said((yield from ask(Ask(prompt, is_whole=partial(has_all, NAMES)))), NAMES)
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


SPEC = SystemSpec(
    key="llm_as_retriever",
    title="LLM-as-retriever",
    paper=ATTRIBUTED_QA,
    about="answers and names the page that says so, of which a paragraph is attributed",
    talk=talk,
    takes=("k",),
    afterwards=(AUTOAIS,),
    keeps="first",
    needs_passages=False,
    examples="none",
    most_tokens=100,
)
