"""Attributed QA's LLM-as-retriever: the model names the page of which a paragraph is evidence.

Bohnet et al. (2022), https://arxiv.org/abs/2212.08037, on LLM-as-retriever: the model gives an
answer and the address of a page; of that page's paragraphs the one with the highest BM25 score for
question and answer is the attribution. A page that is not among what can be searched attributes
nothing. With AutoAIS reranking, the paragraph with the highest score is the attribution.
"""

import re
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from annotate.retrieval.found import Found
from evaluation.asking.prompts import Prompt
from evaluation.generating.how import How, among
from evaluation.generating.short import bare, refuse_longer, said
from evaluation.generating.spec import ATTRIBUTED_QA, AUTOAIS, Spec
from evaluation.generating.talks import Ask, Subject, Talk, Written, ask

TASK = (
    "Answer the question in as few words as possible, without a sentence around them. Then give "
    "the address of the one Wikipedia page that says so. Write two lines and nothing else:\n"
    "Answer: the answer\n"
    "Page: its address"
)


DEEP = 1_000
"""So many passages are looked at for those of a page, whose title is asked for."""

_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_LINK = re.compile(r"\[[^\]]*\]\((.*)\)")
_AROUND = " \t.,;<>\"'“”‘’`*_"


def talk(subject: Subject, how: How) -> Talk:
    """An answer and the paragraphs of the page that was named, the best first."""
    question = subject.question.text
    prompt = Prompt(TASK, f"Question: {question}")
    refuse_longer(how, prompt)
    told = said((yield from ask(Ask(prompt))), ("answer", "page"))
    output, page = bare(told.get("answer", "")), told.get("page", "")
    query = f"{question} {output}"
    paragraphs = _paragraphs(subject, how, page, query) if page else []
    noted = {"page": page, **({} if paragraphs else {"page_found": False})}
    best = among(paragraphs, query, most=len(paragraphs))[: how.options.k]
    return Written(output, tuple(best), noted)


def _paragraphs(subject: Subject, how: How, page: str, query: str) -> list[Found]:
    """Those of the page among what is found for its title, and for question and answer with it."""
    title = title_of(page)
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
    elif (parts := _parts(named)) is None:
        path = ""
    else:
        path = (parse_qs(parts.query).get("title") or [parts.path])[0]
    return unquote(path.rstrip("/").rpartition("/")[2]).replace("_", " ").strip(_AROUND)


def is_of(passage: Found, page: str) -> bool:
    """Whether a passage is of the page: by its address, or by its title."""
    address = _bare(_named(page))
    if passage.url and address and _bare(passage.url) == address:
        return True
    title = title_of(page).casefold()
    return bool(title) and passage.title.strip(_AROUND).casefold() == title


def _named(page: str) -> str:
    """The address or title in what was said of a page, without what stands around it."""
    linked = _LINK.search(page)
    inner = linked[1] if linked else page
    address = _ADDRESS.search(inner)
    return (address[0] if address else inner).strip(_AROUND)


def _bare(address: str) -> str:
    """An address without what may be written either way; nothing where it is none."""
    parts = _parts(address if "://" in address else f"https://{address}")
    if parts is None:
        return ""
    host = parts.netloc.lower().removeprefix("www.").replace(".m.", ".", 1)
    asked = f"?{parts.query}" if parts.query else ""
    return f"{host}{unquote(parts.path).strip(_AROUND).rstrip('/')}{asked}"


def _parts(address: str) -> SplitResult | None:
    try:
        return urlsplit(address)
    except ValueError:  # brackets that are no address of a machine
        return None


SPEC = Spec(
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
)
