"""Rows of every kind, and every write that the database must refuse."""

from datetime import timedelta

from django.utils import timezone

from annotate.models import (
    Admission,
    AdmittedId,
    ApiToken,
    Assignment,
    AuditEntry,
    Batch,
    BatchItem,
    Candidate,
    CrowdTry,
    Delivery,
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
    PracticeRound,
    Question,
    Removal,
    Response,
    Source,
    StandingChange,
    Study,
    Sum,
    System,
    Unit,
    Upload,
    User,
    Webhook,
    Wording,
    Worker,
)


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

    def pair(self, **fields):
        other = Response.objects.exclude(pk=self.response.pk).filter(study=self.study)[0]
        return self.unit(**{"kind": "pair", "key": "vs1", "end": 0, "other": other, **fields})

    def candidate(self, n=1):
        passage = Passage.objects.filter(study=self.study)[0]
        return Candidate.objects.create(
            question=self.question, upload=self.upload, n=n, passage=passage
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

    def removal(self, **fields):
        return Removal.objects.create(**{"study": self.study, "due_at": self.later, **fields})

    def delivery(self, **fields):
        hook = Webhook.objects.create(study=self.study, url="https://example.org", events=[])
        return Delivery.objects.create(webhook=hook, event="run.done", body="{}", **fields)

    def desk(self):
        """One row of everything that the rating desk keeps, about the study's first response."""
        whole, said = self.units["r"], "At 2,962 m"
        self.made = self.batch(name="first")
        self.admission = Admission.objects.create(batch=self.made)
        self.admitted = AdmittedId.objects.create(batch=self.made, external_id="p1")
        self.tried = CrowdTry.objects.create(study=self.study, address="a", external_id="b")
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
        self.inquiry = Inquiry.objects.create(
            batch=self.made, judge=self.judge, unit=whole, dimension="utility"
        )
        self.message = InquiryMessage.objects.create(inquiry=self.inquiry, text="Why?", edit="e")
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


WORDED = {
    "dimension": "mine",
    "version": 1,
    "unit_kind": "response",
    "values": "|yes|no|",
    "definition": {},
}

UNIQUE = {
    "user_email_unique": lambda w: User.objects.create(username="a2", email="ALICE@example.org"),
    "question_id_unique": lambda w: Question.objects.create(
        study=w.study, external_id="q1", text="another"
    ),
    "system_name_unique": lambda w: System.objects.create(study=w.study, name="Vermilion"),
    "system_display_name_unique": lambda w: [
        System.objects.create(study=w.study, name=name, display_name="Red") for name in "AB"
    ],
    "response_unique": lambda w: w.answer(),
    "passage_unique": lambda w: Passage.objects.create(
        study=w.study, digest=Passage.objects.filter(study=w.study)[0].digest
    ),
    "candidate_number_unique": lambda w: [w.candidate(), w.candidate()],
    "source_number_unique": lambda w: Source.objects.create(
        response=w.response, n=1, passage=w.response.sources.all()[1].passage
    ),
    "unit_key_unique": lambda w: w.unit(key="s1"),
    "unit_pair_unique": lambda w: [w.pair(key=key) for key in ("vs1", "vs2")],
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
    "study_slug_unique": lambda w: Study.objects.create(
        slug="peaks", name="x", preset="ais", dimensions=[], raters_per_unit=1
    ),
    "wording_version_unique": lambda w: [
        Wording.objects.create(id=f"{n}", study=w.study, **WORDED) for n in "ab"
    ],
    "wording_shipped_unique": lambda w: [Wording.objects.create(id=n, **WORDED) for n in "ab"],
    "User.username": lambda w: User.objects.create(username="alice"),
    "ApiToken.digest": lambda w: [
        ApiToken.objects.create(user=User.objects.all()[0], label=label, digest="d")
        for label in ("one", "two")
    ],
    "Invitation.nonce": lambda w: [
        Invitation.objects.create(study=w.study, role="rater", nonce="n", expires_at=w.later)
        for _ in range(2)
    ],
    "batch_name_unique": lambda w: [w.batch(name="one") for _ in range(2)],
    "Batch.nonce": lambda w: [w.batch(name=name, nonce="n") for name in ("one", "two")],
    "AuditEntry.number": lambda w: [
        AuditEntry.objects.create(act="study-made", number=7) for _ in range(2)
    ],
    "Admission.batch": lambda w: again(w.desk().admission),
    "admitted_id_unique": lambda w: again(w.desk().admitted),
    "crowd_try_unique": lambda w: again(w.desk().tried),
    "sum_unique": lambda w: [
        Sum.objects.create(study_id=w.study.pk, part="one", of=1, counts={}) for _ in range(2)
    ],
    "removal_of_study_unique": lambda w: [w.removal() for _ in range(2)],
    "Delivery.key": lambda w: [w.delivery(key="k") for _ in range(2)],
    "Removal.system": lambda w: [w.removal(system=w.response.system) for _ in range(2)],
    "Removal.batch": lambda w: [w.removal(batch=made) for made in [w.batch(name="one")] * 2],
    "batch_item_unique": lambda w: again(w.desk().item),
    "assignment_unique": lambda w: again(w.desk().assignment),
    "practice_round_unique": lambda w: again(
        w.desk().round, trainee=Judge.objects.create(study=w.study, kind="trainee", name="t2")
    ),
    "PracticeRound.trainee": lambda w: again(w.desk().round, number=2),
    "flag_unique": lambda w: again(w.desk().flag),
    "evidence_unique": lambda w: again(w.desk().evidence),
    "evidence_unsupported_unique": lambda w: [
        again(mark, source=None) for mark in [w.desk().evidence] * 2
    ],
    "inquiry_unique": lambda w: again(w.desk().inquiry),
    "inquiry_message_unique": lambda w: again(w.desk().message),
    "example_unique": lambda w: again(w.desk().example),
    "participant_unique": lambda w: again(w.desk().participant, user=w.guest("p2")),
    "Participant.user": lambda w: again(w.desk().participant, external_id="p2"),
    "enrolment_unique": lambda w: again(w.desk().enrolment),
    "Worker.name": lambda w: [
        Worker.objects.create(name="one", since=w.later, seen_at=w.later) for _ in range(2)
    ],
}

CHECKS = [
    ("response_live_or_null", lambda w: w.answer(run="2", live=False)),
    ("candidate_number_from_one", lambda w: w.candidate(n=0)),
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
    ("unit_pair_has_other", lambda w: w.pair(other=None)),
    ("unit_pair_has_other", lambda w: w.pair(other=w.response)),
    ("unit_pair_has_other", lambda w: w.pair(kind="reference_claim")),
    ("unit_retired_kinds", lambda w: w.change_unit("s1", retired_at=w.later)),
    ("judge_kind_known", lambda w: Judge.objects.create(study=w.study, kind="oracle", name="o")),
    (
        "judge_user_is_human",
        lambda w: Judge.objects.create(
            study=w.study, kind="automatic", name="a", user=User.objects.first()
        ),
    ),
    ("judgment_fits_its_wording", lambda w: w.judgment(value="full")),
    ("judgment_fits_its_wording", lambda w: w.judgment(value="YES")),
    (
        "judgment_fits_its_wording",
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
    ("study_reading_known", lambda w: w.change_study(reading="loose")),
    ("study_lines_known", lambda w: w.change_study(lines="some")),
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
    ("batch_claims_from_known", lambda w: w.batch(claims_from="judges")),
    ("batch_audience_known", lambda w: w.batch(audience="everybody")),
    ("batch_some_raters", lambda w: w.batch(raters_per_item=0)),
    ("batch_some_minutes", lambda w: w.batch(lease_minutes=0)),
    ("batch_percentages", lambda w: w.batch(gold_percent=51)),
    ("batch_percentages", lambda w: w.batch(gold_mark=101)),
    ("batch_percentages", lambda w: w.batch(pass_mark=101)),
    ("batch_pay_has_currency", lambda w: w.batch(pay_per_hour=9, pay_currency="")),
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
    ("inquiry_only_answers_are_shared", lambda w: again(w.desk().message, shared=True, edit="")),
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
    (
        "removal_of_one",
        lambda w: w.removal(system=w.response.system, batch=w.batch(name="one")),
    ),
    (
        "admission_rule_known",
        lambda w: Admission.objects.create(batch=w.batch(name="one"), rule="x"),
    ),
    ("delivery_state_known", lambda w: w.delivery(state="lost")),
    ("delivery_lease_while_sending", lambda w: w.delivery(state="sending")),
    ("delivery_lease_while_sending", lambda w: w.delivery(lease_until=w.later)),
    ("removal_state_known", lambda w: w.removal(state="lost")),
    ("removal_lease_while_removing", lambda w: w.removal(state="removing")),
    ("removal_lease_while_removing", lambda w: w.removal(lease_until=w.later)),
    ("upload_state_known", lambda w: Upload.objects.filter(pk=w.upload.pk).update(state="lost")),
    (
        "upload_lease_while_working",
        lambda w: Upload.objects.filter(pk=w.upload.pk).update(state="loading"),
    ),
    (
        "upload_lease_while_working",
        lambda w: Upload.objects.filter(pk=w.upload.pk).update(lease_until=w.later),
    ),
]
