"""Return objects that a person may see. Only views and the API use it.

Outsiders get "not found", so they cannot tell whether a study exists. Members with a lower role get
"permission denied". Systems, other people's judgments and automatic scores need a viewer, who only
reads, or a researcher; raters never see them. Deleted objects are returned only by `removals_of`,
to people who may restore them.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import F, Model, Q, QuerySet
from django.http import Http404

from annotate.models import (
    RESEARCHING,
    Assignment,
    Batch,
    Delivery,
    Enrolment,
    Example,
    Inquiry,
    InquiryMessage,
    Invitation,
    Judge,
    Membership,
    Participant,
    Question,
    Removal,
    Response,
    ResponseNote,
    Role,
    Study,
    System,
    Unit,
    Upload,
    User,
    Webhook,
    hot_queries,
)
from annotate.work.telemetry import learn

Visitor = User | AnonymousUser
Owned = TypeVar("Owned", bound=Model)

MAX_KEY = 2**63 - 1
"""The largest key in a database."""

RANK = {Role.RATER: 1, Role.VIEWER: 2, Role.RESEARCHER: 3, Role.OWNER: 4}


@dataclass(frozen=True, slots=True)
class Access:
    """A study seen by one of its members."""

    study: Study
    user: User
    role: Role

    def at_least(self, role: Role) -> bool:
        return RANK[self.role] >= RANK[role]

    @property
    def reads(self) -> bool:
        """Whether systems and results are visible. Changes need `researches`."""
        return self.at_least(Role.VIEWER)

    @property
    def researches(self) -> bool:
        return self.at_least(Role.RESEARCHER)

    @property
    def owns(self) -> bool:
        return self.at_least(Role.OWNER)

    @property
    def open_inquiries(self) -> int:
        """The number of raters' inquiries without an answer."""
        waiting = Inquiry.objects.kept().filter(batch__study=self.study, is_open=True)
        return waiting.count()

    @property
    def unread_answers(self) -> int:
        """The number of unread answers to the user's own inquiries."""
        return _unread(self.user, self.study).count()


def memberships_of(user: Visitor) -> QuerySet[Membership]:
    """Return a person's memberships. A token for one study shows only this one."""
    if not isinstance(user, User):
        return Membership.objects.none()
    rows = _memberships(user.pk)
    if user.came_by is not None and user.came_by.study_id is not None:
        rows = rows.filter(study=user.came_by.study_id)
    return rows.order_by("study__name", "id")


def _memberships(user: Any) -> QuerySet[Membership]:
    rows = Membership.objects.filter(user=user, study__deleted_at__isnull=True)
    return rows.select_related("study")


def _is_shut(user: User, study_id: int) -> bool:
    """Whether the user's token is for another study."""
    return user.came_by is not None and user.came_by.study_id not in {None, study_id}


def removals_of(user: Visitor) -> QuerySet[Removal]:
    """Return the deleted objects that a person may restore.

    Owners restore studies, systems and batches; researchers restore batches.
    """
    if not isinstance(user, User):
        return Removal.objects.none()
    own = Membership.objects.filter(user=user)
    owned = Q(study__in=own.filter(role=Role.OWNER).values("study"))
    researched = Q(study__in=own.filter(role__in=RESEARCHING).values("study"), batch__isnull=False)
    whole_study = Q(system__isnull=True, batch__isnull=True)
    rows = Removal.objects.filter(owned | researched)
    rows = rows.filter(whole_study | Q(study__deleted_at__isnull=True))
    if user.came_by is not None and user.came_by.study_id is not None:
        rows = rows.filter(study=user.came_by.study_id)
    return rows.select_related("study", "system", "batch", "created_by")


def removal_of(user: Visitor, removal_id: int) -> Removal:
    removal = removals_of(user).filter(pk=removal_id).first()
    if removal is None:
        raise Http404("Nothing that you can put back.")
    return removal


def may_own_connections(user: User) -> bool:
    """Whether a person may add own connections: a researcher, if the installation allows it."""
    return bool(settings.ATTEST_OWN_CONNECTIONS) and researches(user)


def researches(user: User) -> bool:
    """Whether a person may create studies, or is a researcher of one."""
    return user.is_researcher or memberships_of(user).filter(role__in=RESEARCHING).exists()


def is_researcher_of(user: User, study: Study) -> bool:
    """Whether a person with an active account is a researcher of the study now."""
    rows = memberships_of(user).filter(study=study, role__in=RESEARCHING)
    return user.is_active and rows.exists()


def researchers_of(study: Study) -> set[int]:
    """Return the keys of the users for whom `is_researcher_of` is true."""
    rows = Membership.objects.filter(study=study, role__in=RESEARCHING, user__is_active=True)
    return set(rows.values_list("user", flat=True))


def templates_of(user: Visitor) -> QuerySet[Study]:
    """Return the templates among the studies that a person researches in."""
    researched = memberships_of(user).filter(role__in=RESEARCHING).order_by()
    return Study.objects.filter(is_template=True, pk__in=researched.values("study"))


def enter(user: Visitor, slug: str, role: Role = Role.RATER) -> Access:
    """Enter a study with at least `role`."""
    membership = _memberships(user.pk).filter(study__slug=slug).first()
    if membership is None or not isinstance(user, User) or _is_shut(user, membership.study_id):
        raise Http404("No such study, or you are not a member of it.")
    learn(study_id=membership.study_id, user_id=user.pk)
    access = Access(study=membership.study, user=user, role=Role(membership.role))
    if not access.at_least(role):
        among = "researchers and viewers" if role == Role.VIEWER else f"{role.label.lower()}s"
        raise PermissionDenied(
            f"This page is for {among} of the study; you are a {access.role.label.lower()}."
        )
    return access


def enter_to_rate(user: Visitor, slug: str) -> Access:
    """Enter a study to rate, to ask questions, or to see one's own answers."""
    access = enter(user, slug)
    if access.role == Role.VIEWER:
        raise PermissionDenied("This page is for those who rate; you are a viewer of the study.")
    return access


def response_of(access: Access, response_id: int) -> Response:
    """Return a response, current or replaced: its judgments must stay reachable."""
    rows = Response.objects.filter(
        study=access.study,
        upload__published_at__isnull=False,
        system__deleted_at__isnull=True,
    )
    return _one(rows.select_related("system", "question", "upload"), response_id)


def _with_response(access: Access) -> Q:
    return Q(
        response__study=access.study,
        response__upload__published_at__isnull=False,
        response__system__deleted_at__isnull=True,
    )


def note_of(access: Access, note_id: int) -> ResponseNote:
    rows = ResponseNote.objects.filter(_with_response(access))
    return _one(rows.select_related("response", "author"), note_id)


def unit_of(access: Access, unit_id: int) -> Unit:
    """Return a unit of a response, current or replaced."""
    rows = Unit.objects.filter(_with_response(access))
    return _one(rows.select_related("response__question", "response__study", "parent"), unit_id)


def example_of(access: Access, example_id: int) -> Example:
    rows = Example.objects.filter(
        study=access.study, unit__response__system__deleted_at__isnull=True
    )
    return _one(rows.select_related("unit__response__question", "unit__parent"), example_id)


def system_of(access: Access, system_id: int) -> System:
    return _one(System.objects.loaded().filter(study=access.study), system_id)


def upload_of(access: Access, upload_id: int) -> Upload:
    return _one(Upload.objects.filter(study=access.study), upload_id)


def invitation_of(access: Access, invitation_id: int) -> Invitation:
    return _one(Invitation.objects.filter(study=access.study), invitation_id)


def webhook_of(access: Access, webhook_id: int) -> Webhook:
    return _one(Webhook.objects.filter(study=access.study).select_related("study"), webhook_id)


def delivery_of(webhook: Webhook, delivery_id: int) -> Delivery:
    return _one(webhook.deliveries.select_related("webhook"), delivery_id)


def membership_of(access: Access, membership_id: int) -> Membership:
    return _one(Membership.objects.filter(study=access.study).select_related("user"), membership_id)


def batch_of(access: Access, batch_id: int) -> Batch:
    """Return a batch for researchers."""
    return _one(Batch.objects.filter(study=access.study).select_related("study"), batch_id)


def batches_to_go_by(user: Visitor) -> QuerySet[Batch]:
    """Return the batches that a person may duplicate, of all studies that they research in."""
    researched = memberships_of(user).filter(role__in=RESEARCHING).order_by()
    rows = Batch.objects.filter(study__in=researched.values("study"))
    return rows.select_related("study", "gold", "qualification").order_by("study__name", "name")


def batch_named(access: Access, number: str) -> Batch | None:
    """Return the batch of a query parameter, or None if it is empty."""
    if not number:
        return None
    # No database has longer keys, and some refuse to look for them.
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        raise Http404("No such batch in this study.")
    return batch_of(access, int(number))


def batches_to_rate(access: Access) -> QuerySet[Batch]:
    """Return a rater's batches.

    Members get the batches for members. People from a crowd platform get their own batches and the
    practice that these need.
    """
    batches = Batch.objects.filter(study=access.study).exclude(state=Batch.State.DRAFT)
    if Participant.objects.filter(user=access.user).exists():
        own = batches.filter(enrolments__participant__user=access.user)
        return batches.filter(Q(pk__in=own) | Q(opens__in=own)).distinct()
    return batches.filter(audience=Batch.Audience.MEMBERS)


def batch_to_rate(access: Access, batch_id: int) -> Batch:
    return _one(batches_to_rate(access).select_related("study"), batch_id)


def task_of(access: Access, assignment_id: int) -> Assignment:
    """Return a person's task in a batch, in practice, or for gold answers (researchers)."""
    learn(rating_id=assignment_id)
    rows = Assignment.objects.filter(
        batch__study=access.study,
        batch__deleted_at__isnull=True,
        item__response__system__deleted_at__isnull=True,
    )
    task = _one(rows.select_related("batch", "item", "judge", "guidelines"), assignment_id)
    is_gold = task.judge.kind == Judge.Kind.REFERENCE
    if task.judge.rater.user_id != access.user.pk and not (is_gold and access.researches):
        raise Http404("Not in this study.")
    task.batch.study = task.judge.study = access.study
    return task


def enter_task(user: Visitor, slug: str, assignment_id: int) -> tuple[Access, Assignment]:
    """Enter a study to rate, and return a person's own task."""
    hit = None
    if isinstance(user, User) and user.came_by is None and assignment_id <= MAX_KEY:
        hit = hot_queries.task_of_rater(user.pk, slug, assignment_id)
    if hit is None or hit[0] == Role.VIEWER or not isinstance(user, User):
        entered = enter_to_rate(user, slug)
        return entered, task_of(entered, assignment_id)
    role, task = hit
    learn(study_id=task.batch.study_id, user_id=user.pk, rating_id=task.pk)
    return Access(study=task.batch.study, user=user, role=Role(role)), task


def inquiry_of(access: Access, inquiry_id: int) -> Inquiry:
    rows = Inquiry.objects.kept().filter(batch__study=access.study)
    related = ("unit__parent", "unit__response__question", "unit__response__study")
    return _one(rows.select_related("batch", "judge", *related), inquiry_id)


def own_inquiries(access: Access) -> QuerySet[Inquiry]:
    return _inquiries_of(access.user, access.study)


def _inquiries_of(user: Any, study: Any) -> QuerySet[Inquiry]:
    own = Q(judge__user=user) | Q(judge__round__judge__user=user)
    return Inquiry.objects.kept().filter(own, batch__study=study)


def _unread(user: Any, study: Any) -> QuerySet[InquiryMessage]:
    return InquiryMessage.objects.filter(
        inquiry__in=_inquiries_of(user, study),
        created_at__gt=F("inquiry__seen_at"),
        is_answer=True,
    )


def own_inquiry(access: Access, inquiry_id: int) -> Inquiry:
    return _one(own_inquiries(access).select_related("judge"), inquiry_id)


def question_of(access: Access, question_id: int) -> Question:
    return _one(Question.objects.filter(study=access.study), question_id)


def judge_of_study(access: Access, judge_id: int) -> Judge:
    judge = _one(Judge.objects.filter(study=access.study), judge_id)
    judge.study = access.study
    return judge


def enrolment_of(batch: Batch, enrolment_id: int) -> Enrolment:
    rows = batch.enrolments.select_related("batch__study", "participant__user")
    return _one(rows, enrolment_id)


def _one(queryset: QuerySet[Owned], pk: int) -> Owned:
    row = queryset.filter(pk=pk).first()
    if row is None:
        raise Http404("Not in this study.")
    return row
