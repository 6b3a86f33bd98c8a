"""The systems: prompts as in the golden files, words by version."""

from hashlib import sha256

import pytest

from evaluation.generating.systems import actions, alce, attributed_qa, wording
from evaluation.generating.systems.context_window import FittedPassage
from evaluation.generating.systems.options import with_options
from evaluation.generating.systems.shipped import SYSTEMS
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


def test_usual_options_are_those_of_the_papers():
    usual = {key: one.usual for key, one in SYSTEMS.items()}
    assert (usual["vanilla"].ndoc, usual["vanilla"].shots) == (5, 2)
    assert {usual[key].ndoc for key in ("summ", "snippet", "interact")} == {10}
    assert (usual["positional"].ndoc, SYSTEMS["positional"].temperature) == (5, 0.5)
    assert SYSTEMS["positional"].takes == ("ndoc", "shorten")
    assert (usual["retrieve_then_read"].k, usual["posthoc"].pairs) == (50, 64)


def test_what_cannot_be_set_is_refused():
    spec = SYSTEMS["vanilla"]
    for given, said in (
        ({"ndoc": "0"}, "from 1 to 100 as ndoc; found “0”"),
        ({"shots": "5"}, "from 0 to 4 as shots"),
        ({"steps": "3"}, "no option “steps”; there are: shots, ndoc"),
    ):
        with pytest.raises(ValueError, match=said):
            with_options(spec.usual, spec.takes, given)
