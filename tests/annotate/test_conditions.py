"""Conditions of any protocol: the desk, the page's script and the votes agree about what is asked,
and no answer stands to a question that is not."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from annotate.models import Judge, Study, User
from annotate.protocol.answers import Choice
from annotate.protocol.dimensions import Condition, Dimension, UnitKind
from annotate.protocol.protocol import Protocol
from annotate.rating import answering
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from annotate.studies.wordings import save_dimension, set_active
from annotate.web.errors import Refused
from evaluation.statistics.votes import answer_columns
from tests.annotate.desk import claim
from tests.annotate.loading import load, response
from tests.annotate.rating import open_work

pytestmark = pytest.mark.django_db

KINDS = (UnitKind.RESPONSE, UnitKind.STATEMENT, UnitKind.CITATION)
VALUES = ("a", "b", "c")
TYPES: dict[str, Any] = {
    "choice": {"low_to_high": VALUES, "positive": frozenset({"c"}), "scale": "nominal"},
    "several": {"low_to_high": (), "positive": frozenset(), "scale": "masi"},
    "spans": {"low_to_high": (), "positive": frozenset(), "scale": "unitised"},
}
ANSWERS = {
    "choice": VALUES,
    "several": ("-", "a", "b|c", "a|c", "a|b|c"),
    "spans": ("-", "0-1:a", "0-1:b|1-3:c", "0-1:c|1-3:c"),
    "graded": ("-", "0-1:a:slight", "0-1:b:slight|1-3:c:grave", "0-2:c:grave"),
}
GRADES = (Choice("slight", "Slight"), Choice("grave", "Grave"))


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
        by_key = {one.key: one for one in made}
        conditions = tuple(
            Condition(key, tuple(draw(st.sets(st.sampled_from(by_key[key].named), min_size=1))), of)
            for key, of in chosen
        )
        answer = draw(st.sampled_from(("choice", *TYPES)))
        counts_with = draw(st.sampled_from(("", "a"))) if answer == "choice" else ""
        single = [condition.of for condition in conditions] == ["unit"]
        single = single and by_key[conditions[0].dimension].is_choice
        made.append(
            Dimension(
                key=f"q{number}", unit_kind=kind, title=f"Q{number}", question=f"What of {number}?",
                choices=tuple(Choice(value, value.upper()) for value in VALUES),
                answer=answer, **TYPES[answer], sight="cited",
                severities=GRADES if answer == "spans" and draw(st.booleans()) else (),
                asked_of=("people",), shown_when=conditions,
                unasked=counts_with if single else "",
            )
        )  # fmt: skip
    assume(not list(Protocol(made).faults()))  # as one that could never be asked
    return made


def one_of(dimension: Dimension, number: int) -> str:
    """One of the answers that the question may have."""
    among = ANSWERS["graded" if dimension.severities else dimension.answer]
    return among[number % len(among)]


def named(value: str) -> set[str]:
    """`named` of static/desk/fields.js."""
    parts = (part.split(":")[1:] if ":" in part else [part] for part in value.split("|"))
    return {name for part in parts for name in part}


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
        return all(
            named(self.said[of]) & {*values} for of, values in self.needs[key] if of in self.said
        )

    def put(self, key, value):
        for other, needs in self.needs.items():
            own = [values for of, values in needs if of == key]
            if own and not all(named(value) & {*values} for values in own):
                self.put(other, "")
        self.said[key] = value


def studied(owner: User, dimensions: list[Dimension], number: int) -> Study:
    slug = f"any-{number}"
    study = create_study(name=slug, slug=slug, preset="alce", owner=owner)
    for dimension in dimensions:
        save_dimension(study, dimension)
    set_active(study, [dimension.key for dimension in dimensions])
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
    max_examples=12, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(
    dimensions=protocols(),
    said=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 59)), min_size=10, max_size=30),
)
def test_desk_page_and_votes_agree(alice, dimensions, said):
    study = studied(alice, dimensions, Study.objects.count())
    batch = open_work(study)
    judge = Judge.objects.create(study=study, name="any", kind=Judge.Kind.HUMAN)
    task = claim(batch, judge)
    steps = steps_of(batch, task.item)
    page = Page(steps)
    for number, which in said:
        among = [one for one in steps if number % 4 == 0 or page.asks(one.key)]
        step = among[number // 4 % len(among)]
        value = one_of(step.dimension, which)
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
    for dimension in (one for one in dimensions if one.is_choice):
        votes = votes_of(study, judge, dimension.key)
        for step in steps:
            if step.dimension.key == dimension.key:
                wanted = page.said[step.key]
                if not wanted and dimension.unasked and not page.asks(step.key):
                    first = votes_of(study, judge, dimension.shown_when[0].dimension)
                    wanted = dimension.unasked if step.unit.pk in first else ""
                assert votes.get(step.unit.pk, "") == wanted
