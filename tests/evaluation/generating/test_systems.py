"""The systems: prompts as in the golden files, words by version."""

from hashlib import sha256

from evaluation.generating.systems import actions, alce, attributed_qa, wording
from evaluation.generating.systems.context_window import FittedPassage
from tests.evaluation.generating.talking import GOLDENS, TOWER, as_before

SAID = {1: "319d2b6c60bd225b"}
"""By version: the digest of all words of the prompts. A version that was released stays."""


def words():
    """Every word that is Attest's own, and where those of a question stand between them."""
    shown = [FittedPassage(TOWER, TOWER.text)]
    history = actions.ActionHistory(lines=["Check: [1]"], opened=((1, shown[0]),), fault="So.")
    return [
        *(actions.SEARCH_TASK, actions.CHECK_TASK, attributed_qa.PAGE_TASK, alce.POSITIONAL_TASK),
        *(attributed_qa.POSTHOC_TASK, attributed_qa.READ_TASK),
        *(actions.SEARCH_LIST_TASK, actions.CHECK_LIST_TASK),
        *(alce.SUMMARISE, alce.EXTRACT),
        *(wording.CITED, wording.BARE, wording.LISTED, wording.BARE_LISTED, wording.BETWEEN),
        wording.block("Why?", shown, "So [1]."),
        actions.transcript(history, shown),
        *actions.ActionFault,
    ]


def test_other_words_are_another_version():
    assert sha256("\0".join(words()).encode()).hexdigest()[:16] == SAID[wording.VERSION]


def test_every_prompt_is_the_golden_one():
    others = [(system, more) for system, more in GOLDENS if not as_before(system, **more)[0]]
    assert others == []
