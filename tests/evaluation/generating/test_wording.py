"""What prompts say: words that change make another version."""

from hashlib import sha256

from evaluation.generating import (
    actions,
    inlinesearch,
    interact,
    llm_as_retriever,
    positional,
    posthoc,
    retrieve_then_read,
    shortening,
    wording,
)
from evaluation.generating.room import FittedPassage
from tests.evaluation.generating.talking import TOWER

SAID = {1: "319d2b6c60bd225b"}
"""By version: what all words of the prompts are. A version that was released stays as it is."""


def words():
    """Every word that is Attest's own, and where those of a question stand between them."""
    shown = [FittedPassage(TOWER, TOWER.text)]
    course = actions.Course(lines=["Check: [1]"], opened=((1, shown[0]),), fault="So.")
    modules = (inlinesearch, interact, llm_as_retriever, positional, posthoc, retrieve_then_read)
    return [
        *(one.TASK for one in modules),
        *(one.LIST_TASK for one in (inlinesearch, interact)),
        *(shortening.SUMMARISE, shortening.EXTRACT),
        *(wording.CITED, wording.BARE, wording.LISTED, wording.BARE_LISTED, wording.BETWEEN),
        wording.block("Why?", shown, "So [1]."),
        actions.so_far(course, shown),
        *actions.ActionFault,
    ]


def test_other_words_are_another_version():
    assert sha256("\0".join(words()).encode()).hexdigest()[:16] == SAID[wording.VERSION]
