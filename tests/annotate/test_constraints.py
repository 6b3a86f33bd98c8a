"""The database refuses what must not be, whichever code writes it. Runs on both databases."""

from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from annotate.models import (
    ApiToken,
    Assignment,
    Batch,
    BatchItem,
    Enrolment,
    Evidence,
    Example,
    Flag,
    GuidelinesVersion,
    Inquiry,
    InquiryMessage,
    Invitation,
    Judge,
    Judgment,
    Membership,
    Participant,
    Passage,
    PastJudgment,
    PracticeRound,
    Question,
    Response,
    ResponseNote,
    Source,
    StandingChange,
    Study,
    System,
    Unit,
    Upload,
    User,
)
from annotate.models.triggers import NAMES, UNCHANGEABLE, UNFIT, WORDED
from annotate.protocol.shipped import SHIPPED
from annotate.services.deletion import delete_study
from annotate.services.judgments import record_judgment
from tests.annotate.constrained import CHECKS, UNIQUE, World
from tests.annotate.deleting import gone
from tests.beginnings import beginning
from tests.protocol.some_answers import values_of

pytestmark = pytest.mark.postgresql


@beginning
def world(peaks):
    return World(peaks)


@beginning
def past(world):
    for value in ("yes", "no"):
        record_judgment(
            judge=world.judge, unit=world.units["s2"], dimension="citation_recall", value=value
        )
    return PastJudgment.objects.get()


def refused(write, world):
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        write(world)
    return str(caught.value)


@pytest.mark.parametrize("name", UNIQUE)
def test_unique(world, name):
    message = refused(UNIQUE[name], world)
    assert "unique" in message.lower()
    if connection.vendor == "postgresql" and "." not in name:
        assert name in message


@pytest.mark.parametrize(("name", "write"), CHECKS)
def test_check(world, name, write):
    assert name in refused(write, world)


def ours():
    return list(apps.get_app_config("annotate").get_models())


def test_every_constraint_of_the_models_is_tested_here():
    named = {c.name for model in ours() for c in model._meta.constraints}
    unique = {
        f"{model.__name__}.{field.name}"
        for model in ours()
        for field in model._meta.local_fields
        if field.unique and not field.primary_key
    }
    triggers = {*NAMES} - {UNCHANGEABLE, WORDED}  # the last two have tests of their own
    assert named | unique | triggers == set(UNIQUE) | {name for name, _ in CHECKS}


@pytest.mark.parametrize("field", ["start", "end", "ordinal"])
def test_positions_are_not_negative(world, field):
    refused(lambda w: w.change_unit("s1", **{field: -1}), world)


def foreign_keys():
    return [
        (model, field.name)
        for model in ours()
        for field in model._meta.local_fields
        if isinstance(field, models.ForeignKey)
    ]


@pytest.mark.parametrize(
    ("model", "field"), foreign_keys(), ids=[f"{m.__name__}.{f}" for m, f in foreign_keys()]
)
def test_what_a_row_points_at_exists(world, alice, past, model, field):
    Invitation.objects.create(study=world.study, role="rater", expires_at=world.later)
    ApiToken.objects.create(user=alice, label="script", digest="d")
    world.desk()
    world.delivery()
    world.candidate()
    Question.objects.filter(pk=world.question.pk).update(listed_upload=world.upload)
    ResponseNote.objects.create(response=world.response, author=alice, text="So")
    world.removal(created_by=alice, batch=world.made)
    rows = model.objects.all()
    if model is Unit:  # where the checks allow it
        rows = rows.filter(kind="citation")

    def point_nowhere(_):
        nowhere = {f"{field}_id": 10**9}
        if model is PastJudgment:  # whose rows do not change
            model.objects.create(**{"judgment": past.judgment, "value": "yes"} | nowhere)
        elif (model, field) == (Judge, "user"):
            model.objects.create(study=world.study, kind="human", name="nobody", **nowhere)
        else:
            assert model.objects.filter(pk=rows.first().pk).update(**nowhere) == 1
        connection.check_constraints()

    refused(point_nowhere, world)


@pytest.mark.parametrize("dimension", SHIPPED)
def test_a_dimension_is_put_about_its_own_kind_of_unit_only(world, dimension):
    """The trigger, on insert: every dimension against every kind of unit."""
    asked = SHIPPED[dimension]
    world.units["a"] = world.unit(kind="claim", key="s1.a1", parent=world.units["s1"])
    world.units["ac"] = world.unit(
        kind="claim_citation", key="s1.a1.c1", parent=world.units["a"], number=1
    )
    Judgment.objects.all().delete()
    for key in ("r", "s2", "s2.c1", "a", "ac"):
        unit = world.units[key]

        def write(w, unit=unit):
            w.judgment(unit=unit, dimension=dimension, value=values_of(asked)[0])

        if unit.kind == asked.unit_kind:
            write(world)
        else:
            assert UNFIT in refused(write, world)


def test_an_unknown_dimension_is_refused(world):
    refused(lambda w: w.judgment(dimension="beauty"), world)


def test_a_judgment_does_not_move_to_another_kind_of_unit(world):
    """The trigger, on update of the unit and of the dimension."""
    mine = Judgment.objects.filter(judge=world.judge, unit=world.units["s1"])
    assert UNFIT in refused(lambda w: mine.update(unit=w.units["r"]), world)
    assert UNFIT in refused(lambda w: mine.update(dimension="attributable"), world)
    assert mine.update(unit=world.units["s2"]) == 1


def test_a_judgment_on_a_claim_needs_a_claim(world):
    claim = world.unit(kind="claim", key="s1.a1", parent=world.units["s1"])
    world.judgment(unit=claim, dimension="claim_recall", value="no")
    message = refused(lambda w: w.judgment(dimension="claim_recall", value="no"), world)
    assert UNFIT in message


@pytest.mark.parametrize(
    "change", [{"value": "no"}, {"note": "on second thoughts"}, {"replaced_at": timezone.now()}]
)
def test_past_answers_are_unchangeable(world, past, change):
    message = refused(lambda w: PastJudgment.objects.filter(pk=past.pk).update(**change), world)
    assert UNCHANGEABLE in message
    past.refresh_from_db()
    assert past.value == "yes"


def test_a_replaced_response_makes_room_for_its_successor(world):
    Response.objects.filter(pk=world.response.pk).update(live=None)
    second = world.answer()
    Response.objects.filter(pk=second.pk).update(live=None)
    assert world.answer().live is True


def test_several_people_may_have_no_address(db):
    User.objects.create(username="one")
    User.objects.create(username="two")
    assert User.objects.filter(email="").count() == 2


def test_deleting_a_study_takes_everything_in_it_along(world, past, elsewhere):
    study, upload = world.desk().study, world.upload
    Invitation.objects.create(study=study, role="rater", expires_at=world.later)
    stored = upload.file
    assert stored.storage.exists(stored.name)
    World(elsewhere).desk()
    people = User.objects.count()
    gone(delete_study(study))
    connection.check_constraints()
    assert not stored.storage.exists(stored.name)
    assert list(Study.every.all()) == [elsewhere]
    assert User.objects.count() == people
    assert not PastJudgment.objects.exists()
    paths: dict[Any, str] = {
        Unit: "response__study",
        Source: "response__study",
        Judgment: "judge__study",
        BatchItem: "batch__study",
        Assignment: "batch__study",
        PracticeRound: "batch__study",
        Flag: "judge__study",
        Evidence: "judge__study",
        Inquiry: "batch__study",
        InquiryMessage: "inquiry__batch__study",
        StandingChange: "judge__study",
        Enrolment: "batch__study",
    }
    own = (
        Response, Question, System, Passage, Judge, Upload, Membership, GuidelinesVersion, Batch,
        Example, Participant,
    )  # fmt: skip
    for model, path in {**paths, **dict.fromkeys(own, "study")}.items():
        assert model.objects.count() > 0
        assert not model.objects.exclude(**{path: elsewhere}).exists()
    kept = Upload.objects.all()[0].file
    assert kept.storage.exists(str(kept.name))


def test_a_passage_in_use_is_not_deleted_alone(world):
    with pytest.raises(models.RestrictedError):
        world.response.sources.first().passage.delete()
