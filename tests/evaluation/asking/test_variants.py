"""Judges that are the same but for one thing: only what the model is told differs."""

import pytest

from annotate.models import Judge, Judgment
from annotate.protocol.signatures import split_variations
from evaluation.judges.items import ItemPassage
from evaluation.language_models.asking.asker import ItemQuestion
from evaluation.language_models.asking.prompts import prompt_for, styles
from evaluation.language_models.asking.variants import Varied, read_varied
from evaluation.models import ModelCall, Run
from tests.evaluation.asking.fake import serving
from tests.evaluation.asking.test_asker import about, asker, item
from tests.evaluation.asking.test_model_runs import ASKED
from tests.evaluation.runs.doing import finished

SECOND = ItemPassage(5, "Mast", "A mast of 12 m stands on it.")


def question():
    asked = about("citation_support")
    passages = (*asked.passages, SECOND)
    made = item()
    return ItemQuestion(
        type(made)(made.key, made.question, made.answer, made.segmentation, system="Great Auk"),
        type(asked)(asked.unit, asked.dimension, asked.text, passages, asked.needs),
    )


def told(**how):
    put = Varied(**how)(question())
    return prompt_for(styles()["direct"], put.item, put.asked, "").user


@pytest.mark.parametrize(
    "how",
    [{"choices": "reversed"}, {"passages": "reversed"}, {"padded": "yes"}, {"system": "named"}],
)
def test_variants_change_the_prompt_and_not_the_meaning_of_answers(how):
    """The same answer of the model gives the same value and the same places."""
    said = {
        "value": "partial",
        "reason": "",
        "quotes": [{"passage": 5, "words": "mast of 12 m"}, {"passage": 2, "words": "300 m high"}],
    }
    with serving(lambda told, schema: said) as server:
        plain = asker(server)
        varied = asker(server)
        varied._vary = Varied(**how)
        assert plain.answer([question()]) == varied.answer([question()])
    [one, other] = server.calls
    assert one.told != other.told


def test_invalid_variants_are_refused(subtests):
    for said, words in [
        ({"choices": "sideways"}, "Expected as_written or reversed as choices"),
        ({"repeat": "many"}, "a whole number up to 20 as repeat"),
        ({"repeat": "21"}, "a whole number up to 20 as repeat"),
    ]:
        with subtests.test(said=said, words=words), pytest.raises(ValueError, match=words):
            read_varied(said)


@pytest.mark.django_db
def test_a_variant_is_a_judge_of_its_own_and_a_repeat_pays_its_own_calls(every, server):
    one = {"dimensions": ["sure"], **ASKED}
    plain = finished(every, **one)
    calls = len(server.calls)
    turned = finished(every, options={"choices": "reversed"}, **one)
    assert len(server.calls) == calls  # a number has no choices: the model is told the same
    again = finished(every, options={"repeat": "1"}, **one)
    assert len(server.calls) == 2 * calls
    finished(every, options={"repeat": "1"}, missing_only=False, **one)
    assert len(server.calls) == 2 * calls
    assert {run.state for run in (plain, turned, again)} == {Run.State.DONE}
    titles = {judge.title for judge in Judge.objects.filter(kind=Judge.Kind.AUTOMATIC)}
    assert titles == {
        "Language model, m-1",
        "Language model, m-1, choices reversed",
        "Language model, m-1, asked again (1)",
    }
    assert (
        split_variations(turned.signature)[0]
        == split_variations(again.signature)[0]
        == plain.signature
    )
    assert Judgment.objects.filter(judge__kind=Judge.Kind.AUTOMATIC).count() == 3 * 4
    assert ModelCall.objects.count() == 2 * calls
