"""Conditions of any protocol: the desk, the page's script and the votes agree about what is asked,
and no answer stands to a question that is not."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from annotate.models import Judge, Study, User
from annotate.protocol.dimensions import Choice, Condition, Dimension, UnitKind
from annotate.protocol.protocol import Protocol
from annotate.services.errors import Refused
from annotate.services.rating import answering
from annotate.services.rating.questions import steps_of
from annotate.services.studies import create_study
from annotate.services.wordings import ask, keep_dimension
from evaluation.numbers.votes import answer_columns
from tests.annotate.desk import claim
from tests.annotate.loading import load, response
from tests.annotate.rating import open_work

pytestmark = pytest.mark.django_db

KINDS = (UnitKind.RESPONSE, UnitKind.STATEMENT, UnitKind.CITATION)
VALUES = ("a", "b", "c")


@st.composite
def protocols(draw):
    """Some questions, each asked after certain answers to those before it."""
    made: list[Dimension] = []
    for number in range(draw(st.integers(2, 6))):
        kind = draw(st.sampled_from(KINDS))
        before = []
        for one in made:
            if one.unit_kind is kind:
                before.append((one.key, "unit"))
            if (one.unit_kind, kind) in {KINDS[:2], KINDS[1:]}:
                before.append((one.key, "parent"))
            if one.unit_kind is UnitKind.RESPONSE and kind is not UnitKind.RESPONSE:
                before.append((one.key, "response"))
        chosen = (
            draw(st.lists(st.sampled_from(before), min_size=1, max_size=2, unique=True))
            if before
            else []
        )
        conditions = tuple(
            Condition(key, tuple(draw(st.sets(st.sampled_from(VALUES), min_size=1))), of)
            for key, of in chosen
        )
        counts_with = draw(st.sampled_from(("", "a")))
        single = [condition.of for condition in conditions] == ["unit"]
        made.append(
            Dimension(
                key=f"q{number}", unit_kind=kind, title=f"Q{number}", question=f"What of {number}?",
                choices=tuple(Choice(value, value.upper()) for value in VALUES),
                low_to_high=VALUES, positive=frozenset({"c"}), scale="nominal", sight="cited",
                asked_of=("people",), shown_when=conditions,
                unasked=counts_with if single else "",
            )
        )  # fmt: skip
    assume(not list(Protocol(made).faults()))  # as one that could never be asked
    return made


class Page:
    """What the page's script knows: `isMet` and `forgetWhatHangsOn` of static/desk.js."""

    def __init__(self, steps):
        self.said = {step.key: "" for step in steps}
        self.needs = {
            step.key: [
                (key, values.split("|"))
                for key, values in (need.said.split("=") for need in step.needs)
            ]
            for step in steps
        }

    def asks(self, key):
        return all(self.said[of] in values for of, values in self.needs[key] if of in self.said)

    def put(self, key, value):
        for other, needs in self.needs.items():
            own = [values for of, values in needs if of == key]
            if own and not all(value in values for values in own):
                self.put(other, "")
        self.said[key] = value


def studied(owner: User, dimensions: list[Dimension], number: int) -> Study:
    slug = f"any-{number}"
    study = create_study(name=slug, slug=slug, preset="alce", owner=owner)
    for dimension in dimensions:
        keep_dimension(study, dimension)
    ask(study, [dimension.key for dimension in dimensions])
    load(study, [response("High [1]. Higher [1][2].")])
    return study


def votes_of(study: Study, judge: Judge, key: str) -> dict[int, str]:
    rows = judge.judgments.values_list(
        "dimension", "unit_id", "unit__response_id", "judge_id", "value"
    )
    found = answer_columns([tuple(zip(*rows, strict=True))] if rows else [], study.protocol)
    votes = found.votes(key, study.dimensions)
    return dict(zip(votes.unit.tolist(), np.array(VALUES)[votes.value].tolist(), strict=True))


@settings(
    max_examples=25, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(
    dimensions=protocols(),
    said=st.lists(st.tuples(st.integers(0, 99), st.sampled_from(VALUES)), min_size=10, max_size=30),
)
def test_desk_page_and_votes_agree(alice, dimensions, said):
    study = studied(alice, dimensions, Study.objects.count())
    batch = open_work(study)
    judge = Judge.objects.create(study=study, name="any", kind=Judge.Kind.HUMAN)
    task = claim(batch, judge)
    steps = steps_of(batch, task.item)
    page = Page(steps)
    for number, value in said:
        among = [one for one in steps if number % 4 == 0 or page.asks(one.key)]
        step = among[number // 4 % len(among)]
        if page.asks(step.key):
            answering.save_answer(task, step, value=value)
            page.put(step.key, value)
        else:
            with pytest.raises(Refused, match="is not asked"):
                answering.save_answer(task, step, value=value)
        answers = answering.answers_of(task)
        standing = {one.key: one.answer(answers) for one in steps}
        assert {key: found.value if found else "" for key, found in standing.items()} == page.said
        for one in steps:
            assert one.is_asked(answers) == page.asks(one.key)
            assert one.is_asked(answers) or standing[one.key] is None
    for dimension in dimensions:
        votes = votes_of(study, judge, dimension.key)
        for step in steps:
            if step.dimension.key == dimension.key:
                wanted = page.said[step.key]
                if not wanted and dimension.unasked and not page.asks(step.key):
                    first = votes_of(study, judge, dimension.shown_when[0].dimension)
                    wanted = dimension.unasked if step.unit.pk in first else ""
                assert votes.get(step.unit.pk, "") == wanted
