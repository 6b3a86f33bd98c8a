"""What makes a generation: what is refused, and what is usual where nothing is said."""

import json

import pytest

from annotate.web.errors import Refused
from evaluation.generating.generation_settings import GenerationSettings
from evaluation.generating.systems.writing import Decoding
from evaluation.language_models.asking.server_apis import LOCAL

ONE = {"question": "Own?", "answer": "So [1].", "documents": [{"text": "T"}]}
SEARCHED = ONE | {"inlinesearch": ["Search: own", "Output: So [1].", "End"]}


def settings(system="vanilla", **more):
    return GenerationSettings(system, "lab", **more)


def examples(*each):
    return json.dumps(each)


def test_how_freely_is_as_the_paper_says(subtests):
    for system, mode, decoding in [
        ("vanilla", "chat", Decoding(0.5)),
        ("vanilla", LOCAL, Decoding(1.0, 0.95)),
        ("positional", "chat", Decoding(0.5)),
        ("positional", LOCAL, Decoding(0.5, 0.95)),
    ]:
        with subtests.test(system=system, mode=mode):
            assert settings(system).decoding(mode) == decoding
            assert settings(system, temperature=0.7).decoding(mode).temperature == 0.7


def test_without_chance_seeds_must_draw_examples(subtests):
    for system, options in [
        ("vanilla", {"shots": "0"}),
        ("positional", {}),
        ("posthoc", {"pairs_by": "similar"}),
        ("posthoc", {"pairs": "0"}),
    ]:
        with subtests.test(system=system, options=options):
            settings(system, options=options, seeds=(1, 2)).check()
            settings(system, options=options, temperature=0.0).check()
            with pytest.raises(Refused, match="every sample is the same"):
                settings(system, options=options, temperature=0.0, seeds=(1, 2)).check()


def test_examples_that_show_less_than_is_to_be_shown(subtests):
    for system, given, said in [
        ("vanilla", "[]", "has 0, and 2 are to be shown"),
        ("vanilla", examples(ONE), "has 1, and 2 are to be shown"),
        ("inlinesearch", examples(SEARCHED, ONE), "as inlinesearch of demonstration 2"),
        ("interact", examples(SEARCHED, SEARCHED), "as interact of demonstration 1"),
        ("posthoc", "[]", "has no pairs"),
    ]:
        with subtests.test(system=system, given=given), pytest.raises(Refused, match=said):
            settings(system, examples=given).check()
