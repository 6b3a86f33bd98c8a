"""Answers that are more than a choice: what the database holds, and what is refused in words."""

import pytest
from django.db import IntegrityError, transaction

from annotate.content.judgments import judge_of, record_judgment
from annotate.models import Judgment, Unit
from annotate.models.triggers import UNFIT
from annotate.web.errors import Refused
from tests.evaluation.rubric import EVERY, rubric_study
from tests.protocol.test_answers import ANSWERS
from tests.shared_rows import shared_rows

UNITS = {"response": "r", "statement": "s2", "citation": "s2.c2"}

# What no wording of the question allows. That words are where they should be, and that a value is
# written in the one way, is for the code above: the database has no means for it.
UNFIT_VALUES = [
    ("sure", "101"), ("sure", "-1"), ("sure", "ten"), ("sure", "1-2"), ("sure", "1.2.3"),
    ("sure", "5 "), ("sure", "."), ("sure", "1e1"),
    ("harms", "insults"), ("harms", "insult|"), ("harms", "|insult"), ("harms", 'insult","advice'),
    ("harms", "-|insult"), ("harms", "insult|lie"),
    ("worst", "mild|grave"),
    ("errors", "0-4:made_up"), ("errors", "0-4:minor"), ("errors", "made_up:minor"),
    ("errors", "0-4:made_up:minor|x"), ("errors", "0-4:made_up:minor|"),
    ("proof", "x1@0-4:against"), ("proof", "p1@0-4:mine"),
]  # fmt: skip


@shared_rows
def study(alice):
    return rubric_study(alice, questions=1, file=EVERY)


@shared_rows
def judge(study, rita):
    return judge_of(study, rita)


@shared_rows
def units(study):
    return {unit.key: unit for unit in Unit.objects.filter(response=study.responses.first())}


@pytest.fixture
def save(study, judge, units):
    def record(key, value):
        unit = units[UNITS[study.protocol[key].unit_kind]]
        return record_judgment(judge=judge, unit=unit, dimension=key, value=value)

    return record


@pytest.mark.parametrize(("key", "value"), UNFIT_VALUES)
def test_the_database_refuses_what_is_no_answer(save, key, value):
    """On insert and on update, whichever code writes it."""
    fitting = {one: kept for one, _, kept in ANSWERS}
    stored = save(key, fitting[key])
    with pytest.raises(IntegrityError, match=UNFIT), transaction.atomic():
        Judgment.objects.filter(pk=stored.pk).update(value=value)
    Judgment.objects.filter(pk=stored.pk).delete()
    stored.value = value
    with pytest.raises(IntegrityError, match=UNFIT), transaction.atomic():
        stored.save(force_insert=True)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("errors", "0-99:made_up:minor", "there are no words at 0-99:made_up:minor"),
        ("proof", "p3@0-2:against", "there are no words at p3@0-2:against"),
        ("proof", "p1@0-9999:against", "there are no words at"),
        ("sure", "lots", "expected a number from 0 to 100"),
    ],
)
def test_what_is_refused_is_told_in_words(save, key, value, words):
    with pytest.raises(Refused, match=words):
        save(key, value)
    assert not Judgment.objects.exists()
