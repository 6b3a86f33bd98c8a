"""The database refuses what must not be, whichever code writes it. Runs on both databases."""

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
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
    SignInFailure,
    Source,
    StandingChange,
    Study,
    System,
    Unit,
    Upload,
    User,
)
from annotate.models.triggers import UNCHANGEABLE, WRONG_KIND
from annotate.protocol.dimensions import DIMENSIONS
from annotate.services.judgments import record_judgment
from annotate.services.studies import delete_study


class World:
    """The rows of the loaded study that writes start from."""

    def __init__(self, study):
        self.study = study
        self.system = System.objects.get(study=study, name="Vermilion")
        self.question = Question.objects.get(study=study, external_id="q1")
        self.response = Response.objects.get(system=self.system, question=self.question)
        self.units = {unit.key: unit for unit in self.response.units.all()}
        self.judge = Judge.objects.get(study=study, kind="simulated")
        self.upload = self.response.upload
        self.later = timezone.now() + timedelta(days=1)

    def unit(self, **fields):
        return Unit.objects.create(
            **{
                "response": self.response,
                "kind": "statement",
                "key": "s99",
                "parent": self.units["r"],
                "ordinal": 99,
                "start": 0,
                "end": 1,
                **fields,
            }
        )

    def judgment(self, **fields):
        return Judgment.objects.create(
            **{
                "judge": self.judge,
                "unit": self.units["s2"],
                "dimension": "citation_recall",
                "value": "yes",
                **fields,
            }
        )

    def change_judgments(self, **fields):
        assert Judgment.objects.filter(judge=self.judge).update(**fields)

    def change_unit(self, key, **fields):
        assert Unit.objects.filter(pk=self.units[key].pk).update(**fields)

    def change_study(self, **fields):
        assert Study.objects.filter(pk=self.study.pk).update(**fields)

    def answer(self, **fields):
        return Response.objects.create(
            **{
                "study": self.study,
                "system": self.system,
                "question": self.question,
                "digest": "d",
                "upload": self.upload,
                **fields,
            }
        )

    def batch(self, **fields):
        return Batch.objects.create(
            **{
                "study": self.study,
                "name": "another",
                "dimensions": ["utility"],
                "raters_per_item": 3,
                "lease_minutes": 30,
                **fields,
            }
        )

    def change_batch(self, **fields):
        assert Batch.objects.update(**fields)

    def guest(self, name):
        return User.objects.create(username=f"{self.study.slug} {name}")

    def desk(self):
        """One row of everything that the rating desk keeps, about the study's first response."""
        whole, said = self.units["r"], "At 2,962 m"
        self.made = self.batch(name="first")
        self.item = BatchItem.objects.create(
            batch=self.made, response=self.response, unit=whole, shuffle=1, question_shuffle=1
        )
        self.assignment = Assignment.objects.create(
            batch=self.made, item=self.item, judge=self.judge, lease_until=self.later
        )
        self.trainee = Judge.objects.create(study=self.study, kind="trainee", name="practice")
        self.round = PracticeRound.objects.create(
            batch=self.made, judge=self.judge, trainee=self.trainee, number=1, asked=2, right=1
        )
        self.flag = Flag.objects.create(judge=self.judge, unit=whole, reason="other")
        self.evidence = Evidence.objects.create(
            judge=self.judge,
            unit=self.units["s1"],
            dimension="citation_recall",
            source=self.response.sources.get(n=1),
            start=0,
            end=len(said),
        )
        self.example = Example.objects.create(
            study=self.study,
            unit=self.units["s1"],
            dimension="citation_recall",
            value="yes",
            explanation="It says so.",
        )
        StandingChange.objects.create(judge=self.judge, standing="paused", reason="Too quick.")
        self.participant = Participant.objects.create(
            study=self.study, platform="prolific", external_id="p1", user=self.guest("p1")
        )
        self.enrolment = Enrolment.objects.create(batch=self.made, participant=self.participant)
        return self


def again(row, **changes):
    """Write the same row once more under another key, changed as said."""
    copy = type(row).objects.get(pk=row.pk)
    copy.pk = None
    copy._state.adding = True
    for name, value in changes.items():
        setattr(copy, name, value)
    copy.save(force_insert=True)


@pytest.fixture
def world(peaks):
    return World(peaks)


@pytest.fixture
def past(world):
    for value in ("yes", "no"):
        record_judgment(
            judge=world.judge, unit=world.units["s2"], dimension="citation_recall", value=value
        )
    return PastJudgment.objects.get()


UNIQUE = {
    "user_email_unique": lambda w: User.objects.create(username="a2", email="ALICE@example.org"),
    "question_id_unique": lambda w: Question.objects.create(
        study=w.study, external_id="q1", text="another"
    ),
    "system_name_unique": lambda w: System.objects.create(study=w.study, name="Vermilion"),
    "response_unique": lambda w: w.answer(),
    "passage_unique": lambda w: Passage.objects.create(
        study=w.study, digest=Passage.objects.filter(study=w.study)[0].digest
    ),
    "source_number_unique": lambda w: Source.objects.create(
        response=w.response, n=1, passage=w.response.sources.all()[1].passage
    ),
    "unit_key_unique": lambda w: w.unit(key="s1"),
    "judge_name_unique": lambda w: Judge.objects.create(
        study=w.study, kind="human", name=w.judge.name
    ),
    "judge_user_unique": lambda w: [
        Judge.objects.create(study=w.study, kind="human", name=name, user=User.objects.first())
        for name in ("one", "two")
    ],
    "judgment_unique": lambda w: w.judgment(unit=w.units["s1"]),
    "guidelines_number_unique": lambda w: GuidelinesVersion.objects.create(
        study=w.study, number=1, text="again"
    ),
    "membership_unique": lambda w: Membership.objects.create(
        study=w.study, user=w.study.memberships.first().user, role="rater"
    ),
    "Study.slug": lambda w: Study.objects.create(
        slug="peaks", name="x", preset="ais", dimensions=[], raters_per_unit=1
    ),
    "User.username": lambda w: User.objects.create(username="alice"),
    "ApiToken.digest": lambda w: [
        ApiToken.objects.create(user=User.objects.all()[0], label=label, digest="d")
        for label in ("one", "two")
    ],
    "SignInFailure.key": lambda w: [SignInFailure.objects.create(key="k") for _ in range(2)],
    "Invitation.nonce": lambda w: [
        Invitation.objects.create(study=w.study, role="rater", nonce="n", expires_at=w.later)
        for _ in range(2)
    ],
    "batch_name_unique": lambda w: [w.batch(name="one") for _ in range(2)],
    "Batch.nonce": lambda w: [w.batch(name=name, nonce="n") for name in ("one", "two")],
    "batch_item_unique": lambda w: again(w.desk().item),
    "assignment_unique": lambda w: again(w.desk().assignment),
    "practice_round_unique": lambda w: again(
        w.desk().round, trainee=Judge.objects.create(study=w.study, kind="trainee", name="t2")
    ),
    "PracticeRound.trainee": lambda w: again(w.desk().round, number=2),
    "flag_unique": lambda w: again(w.desk().flag),
    "evidence_unique": lambda w: again(w.desk().evidence),
    "example_unique": lambda w: again(w.desk().example),
    "participant_unique": lambda w: again(w.desk().participant, user=w.guest("p2")),
    "Participant.user": lambda w: again(w.desk().participant, external_id="p2"),
    "enrolment_unique": lambda w: again(w.desk().enrolment),
}

CHECKS = [
    ("response_live_or_null", lambda w: w.answer(run="2", live=False)),
    ("source_number_from_one", lambda w: Source.objects.filter(n=2).update(n=0)),
    ("unit_kind_known", lambda w: w.unit(kind="paragraph")),
    ("unit_span", lambda w: w.unit(start=5, end=4)),
    ("unit_span", lambda w: w.change_unit("s2", end=0)),
    ("unit_parent", lambda w: w.unit(parent=None)),
    ("unit_parent", lambda w: w.unit(kind="response", key="r2", parent=None)),
    ("unit_parent", lambda w: w.change_unit("r", parent=w.units["s1"])),
    ("unit_number", lambda w: w.unit(kind="citation", key="s1.c9", parent=w.units["s1"])),
    ("unit_number", lambda w: w.unit(kind="claim_citation", key="s1.a1.c9")),
    ("unit_number", lambda w: w.unit(number=1)),
    ("unit_number", lambda w: w.change_unit("s1", source=w.response.sources.first())),
    ("judge_kind_known", lambda w: Judge.objects.create(study=w.study, kind="oracle", name="o")),
    (
        "judge_user_is_human",
        lambda w: Judge.objects.create(
            study=w.study, kind="automatic", name="a", user=User.objects.first()
        ),
    ),
    ("judgment_value_fits_dimension", lambda w: w.judgment(value="full")),
    ("judgment_value_fits_dimension", lambda w: w.judgment(value="YES")),
    (
        "judgment_value_fits_dimension",
        lambda w: w.judgment(unit=w.units["r"], dimension="utility", value="6"),
    ),
    ("judgment_value_or_reason", lambda w: w.judgment(value="")),
    ("judgment_value_or_reason", lambda w: w.judgment(skipped_reason="broken text")),
    ("judgment_value_or_reason", lambda w: w.change_judgments(value="")),
    ("judgment_score_range", lambda w: w.judgment(score=1.01)),
    ("judgment_score_range", lambda w: w.change_judgments(score=-0.01)),
    ("judgment_seconds", lambda w: w.judgment(seconds=-1)),
    ("study_some_raters", lambda w: w.change_study(raters_per_unit=0)),
    ("study_some_citations", lambda w: w.change_study(citation_cap=0)),
    ("study_preset_known", lambda w: w.change_study(preset="mine")),
    ("study_reading_known", lambda w: w.change_study(reading="loose")),
    (
        "invitation_role_known",
        lambda w: Invitation.objects.create(study=w.study, role="owner", expires_at=w.later),
    ),
    (
        "membership_role_known",
        lambda w: Membership.objects.filter(study=w.study).update(role="admin"),
    ),
    ("judge_standing_known", lambda w: Judge.objects.update(standing="gone")),
    ("batch_state_known", lambda w: w.batch(state="waiting")),
    ("batch_purpose_known", lambda w: w.batch(purpose="fun")),
    ("batch_granularity_known", lambda w: w.batch(granularity="word")),
    ("batch_order_known", lambda w: w.batch(order="backwards")),
    ("batch_audience_known", lambda w: w.batch(audience="everybody")),
    ("batch_some_raters", lambda w: w.batch(raters_per_item=0)),
    ("batch_some_minutes", lambda w: w.batch(lease_minutes=0)),
    ("batch_percentages", lambda w: w.batch(gold_percent=51)),
    ("batch_percentages", lambda w: w.batch(gold_mark=101)),
    ("batch_percentages", lambda w: w.batch(pass_mark=101)),
    (
        "batch_not_its_own_practice",
        lambda w: w.change_batch(qualification=w.batch()),
    ),
    ("assignment_state_known", lambda w: again(w.desk().assignment, state="lost", judge=w.trainee)),
    (
        "assignment_done_when",
        lambda w: again(w.desk().assignment, state="done", judge=w.trainee),
    ),
    (
        "assignment_done_when",
        lambda w: again(w.desk().assignment, done_at=w.later, judge=w.trainee),
    ),
    (
        "practice_right_within_asked",
        lambda w: PracticeRound.objects.filter(pk=w.desk().round.pk).update(right=3),
    ),
    ("flag_reason_known", lambda w: again(w.desk().flag, reason="dull", judge=w.trainee)),
    ("evidence_span", lambda w: again(w.desk().evidence, start=3, end=3, judge=w.trainee)),
    (
        "evidence_dimension_known",
        lambda w: again(w.desk().evidence, dimension="beauty", judge=w.trainee),
    ),
    (
        "example_value_fits_dimension",
        lambda w: again(w.desk().example, unit=w.units["s2"], value="full"),
    ),
    (
        "standing_change_known",
        lambda w: StandingChange.objects.create(judge=w.judge, standing="gone", reason="x"),
    ),
    (
        "standing_change_has_reason",
        lambda w: StandingChange.objects.create(judge=w.judge, standing="paused", reason=""),
    ),
    (
        "participant_platform_known",
        lambda w: again(w.desk().participant, platform="post", user=w.guest("p2")),
    ),
    (
        "participant_has_external_id",
        lambda w: again(w.desk().participant, external_id="", user=w.guest("p2")),
    ),
    ("upload_state_known", lambda w: Upload.objects.filter(pk=w.upload.pk).update(state="lost")),
]


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
    assert named | unique == set(UNIQUE) | {name for name, _ in CHECKS}


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


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_dimension_is_put_about_its_own_kind_of_unit_only(world, dimension):
    """The trigger, on insert: every dimension against every kind of unit."""
    asked = DIMENSIONS[dimension]
    world.units["a"] = world.unit(kind="claim", key="s1.a1", parent=world.units["s1"])
    world.units["ac"] = world.unit(
        kind="claim_citation", key="s1.a1.c1", parent=world.units["a"], number=1
    )
    Judgment.objects.all().delete()
    for key in ("r", "s2", "s2.c1", "a", "ac"):
        unit = world.units[key]

        def write(w, unit=unit):
            w.judgment(unit=unit, dimension=dimension, value=asked.values[0])

        if unit.kind == asked.unit_kind:
            write(world)
        else:
            assert WRONG_KIND in refused(write, world)


def test_an_unknown_dimension_is_refused(world):
    refused(lambda w: w.judgment(dimension="beauty"), world)


def test_a_judgment_does_not_move_to_another_kind_of_unit(world):
    """The trigger, on update of the unit and of the dimension."""
    mine = Judgment.objects.filter(judge=world.judge, unit=world.units["s1"])
    assert WRONG_KIND in refused(lambda w: mine.update(unit=w.units["r"]), world)
    assert WRONG_KIND in refused(lambda w: mine.update(dimension="attributable"), world)
    assert mine.update(unit=world.units["s2"]) == 1


def test_a_judgment_on_a_claim_needs_a_claim(world):
    claim = world.unit(kind="claim", key="s1.a1", parent=world.units["s1"])
    world.judgment(unit=claim, dimension="claim_recall", value="no")
    message = refused(lambda w: w.judgment(dimension="claim_recall", value="no"), world)
    assert WRONG_KIND in message


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
    delete_study(study)
    connection.check_constraints()
    assert not stored.storage.exists(stored.name)
    assert list(Study.objects.all()) == [elsewhere]
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


@pytest.mark.django_db(transaction=True)
def test_the_migrations_go_back_and_forth():
    call_command("migrate", "annotate", "0001_initial", verbosity=0)
    with connection.cursor() as cursor:
        assert WRONG_KIND not in triggers(cursor)
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        found = triggers(cursor)
    assert WRONG_KIND in found
    assert UNCHANGEABLE in found


def triggers(cursor):
    if connection.vendor == "postgresql":
        cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
    else:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    return " ".join(name for (name,) in cursor.fetchall())
