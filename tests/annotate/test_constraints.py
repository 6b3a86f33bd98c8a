"""The database refuses what must not be, whichever code writes it. Runs on both databases."""

from itertools import product
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from annotate.content.judgments import record_judgment
from annotate.exchange.deletion import delete_study
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
from tests.annotate.constrained import CHECKS, UNIQUE, World
from tests.annotate.deleting import gone
from tests.protocol.some_answers import values_of
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.postgresql


@shared_rows
def world(peaks):
    return World(peaks)


@shared_rows
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


def test_duplicate_row_is_refused(world, subtests):
    for name, write in UNIQUE.items():
        with subtests.test(name):
            message = refused(write, world)
            assert "unique" in message.lower()
            if connection.vendor == "postgresql" and "." not in name:
                assert name in message


def test_row_that_breaks_a_check_is_refused(world, subtests):
    for number, (name, write) in enumerate(CHECKS):
        with subtests.test(f"{number}: {name}"):
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


def test_positions_are_not_negative(world, subtests):
    for field in ("start", "end", "ordinal"):
        with subtests.test(field):
            refused(lambda w, field=field: w.change_unit("s1", **{field: -1}), world)


def foreign_keys():
    return [
        (model, field.name)
        for model in ours()
        for field in model._meta.local_fields
        if isinstance(field, models.ForeignKey)
    ]


def test_what_a_row_points_at_exists(world, alice, past, subtests):
    Invitation.objects.create(study=world.study, role="rater", expires_at=world.later)
    ApiToken.objects.create(user=alice, label="script", digest="d")
    world.desk()
    world.delivery()
    world.candidate()
    Question.objects.filter(pk=world.question.pk).update(listed_upload=world.upload)
    ResponseNote.objects.create(response=world.response, author=alice, text="So")
    world.removal(created_by=alice, batch=world.made)

    def point_nowhere(model, field):
        nowhere = {f"{field}_id": 10**9}
        rows = model.objects.all()
        if model is Unit:  # where the checks allow it
            rows = rows.filter(kind="citation")
        if model is PastJudgment:  # whose rows do not change
            model.objects.create(**{"judgment": past.judgment, "value": "yes"} | nowhere)
        elif (model, field) == (Judge, "user"):
            model.objects.create(study=world.study, kind="human", name="nobody", **nowhere)
        else:
            assert model.objects.filter(pk=rows.first().pk).update(**nowhere) == 1
        connection.check_constraints()

    for model, field in foreign_keys():
        with subtests.test(f"{model.__name__}.{field}"):
            refused(lambda _, key=(model, field): point_nowhere(*key), world)


def test_a_dimension_is_put_about_its_own_kind_of_unit_only(world, subtests):
    """The trigger, on insert: every dimension against every kind of unit."""
    world.units["a"] = world.unit(kind="claim", key="s1.a1", parent=world.units["s1"])
    world.units["ac"] = world.unit(
        kind="claim_citation", key="s1.a1.c1", parent=world.units["a"], number=1
    )
    Judgment.objects.all().delete()
    for (name, asked), key in product(SHIPPED.items(), ("r", "s2", "s2.c1", "a", "ac")):
        given = {"unit": world.units[key], "dimension": name, "value": values_of(asked)[0]}
        with subtests.test(f"{name} of {key}"):
            if world.units[key].kind == asked.unit_kind:
                world.judgment(**given).delete()
            else:
                assert UNFIT in refused(lambda w, given=given: w.judgment(**given), world)


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


def test_past_answers_are_unchangeable(world, past, subtests):
    rows = PastJudgment.objects.filter(pk=past.pk)
    for change in ({"value": "no"}, {"note": "So it is."}, {"replaced_at": timezone.now()}):
        with subtests.test(str(change)):
            assert UNCHANGEABLE in refused(lambda w, change=change: rows.update(**change), world)
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
