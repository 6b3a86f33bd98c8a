"""Attributed QA's LLM-as-retriever: the model names the page of which a paragraph is evidence.

Bohnet et al. (2022), https://arxiv.org/abs/2212.08037, on LLM-as-retriever: the model gives an
answer and the address of a page; of that page's paragraphs the one with the highest BM25 score for
question and answer is the attribution. A page that is not among what can be searched attributes
nothing. With AutoAIS reranking, the paragraph with the highest score is the attribution.
"""

from urllib.parse import unquote, urlsplit

from annotate.retrieval.found import Found
from evaluation.asking.prompts import Prompt
from evaluation.generating.how import How, among
from evaluation.generating.short import refuse_longer, said
from evaluation.generating.spec import ATTRIBUTED_QA, AUTOAIS, Spec
from evaluation.generating.talks import Ask, Subject, Talk, Written, ask

TASK = (
    "Answer the question in as few words as possible, without a sentence around them. Then give "
    "the address of the one Wikipedia page that says so. Write two lines and nothing else:\n"
    "Answer: the answer\n"
    "Page: its address"
)


def talk(subject: Subject, how: How) -> Talk:
    """An answer and the paragraphs of the page that was named, the best first."""
    question = subject.question.text
    prompt = Prompt(TASK, f"Question: {question}")
    refuse_longer(how, prompt)
    told = said((yield from ask(Ask(prompt))), ("answer", "page"))
    output, page = told.get("answer", ""), told.get("page", "")
    query = f"{question} {output}"
    found = how.look_for(subject, f"{title_of(page)} {query}", how.options.k) if page else []
    paragraphs = [one for one in found if is_of(one, page)]
    noted = {"page": page, **({} if paragraphs else {"page_found": False})}
    return Written(output, tuple(among(paragraphs, query)), noted)


def title_of(page: str) -> str:
    """The title that an address ends in, or that was given instead of one."""
    path = urlsplit(page).path if "://" in page else page
    return unquote(path.rstrip("/").rpartition("/")[2]).replace("_", " ").strip()


def is_of(passage: Found, page: str) -> bool:
    """Whether a passage is of the page: by its address, or by its title."""
    if passage.url and _bare(passage.url) == _bare(page):
        return True
    title = title_of(page).casefold()
    return bool(title) and passage.title.strip().casefold() == title


def _bare(address: str) -> str:
    """An address without what may be written either way."""
    parts = urlsplit(address if "://" in address else f"https://{address}")
    return f"{parts.netloc.removeprefix('www.').lower()}{unquote(parts.path).rstrip('/')}"


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
