"""The only door to objects: who may see what. Views, the API and nobody else ask here.

Outsiders get "not found", so that they cannot tell a study from none; members whose role does
not reach far enough get "permission denied". Raters never pass a door that shows systems, other
people's judgments or automatic scores: those doors ask for a viewer, who only reads, or for a
researcher. What is being deleted is found by no door but `removals_of`, which shows it to those who
may put it back.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import (
    F,
    Model,
    Q,
    QuerySet,
)
from django.http import Http404

from annotate.models import (
    RESEARCHING,
    Assignment,
    Batch,
    Delivery,
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
"""Databases know no larger number."""

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
        """Whether systems and results are shown; what acts on them needs `researches`."""
        return self.at_least(Role.VIEWER)

    @property
    def researches(self) -> bool:
        return self.at_least(Role.RESEARCHER)

    @property
    def owns(self) -> bool:
        return self.at_least(Role.OWNER)

    @property
    def open_inquiries(self) -> int:
        """How many of the raters' inquiries wait for an answer."""
        waiting = Inquiry.objects.kept().filter(batch__study=self.study, is_open=True)
        return waiting.count()

    @property
    def unread_answers(self) -> int:
        """How many answers to one's own inquiries one has not read."""
        return _unread(self.user, self.study).count()


def memberships_of(user: Visitor) -> QuerySet[Membership]:
    """The studies that a person is in, with their role; to a token that is for one study, that."""
    if not isinstance(user, User):
        return Membership.objects.none()
    found = _memberships(user.pk)
    if user.came_by is not None and user.came_by.study_id is not None:
        found = found.filter(study=user.came_by.study_id)
    return found.order_by("study__name", "id")


def _memberships(user: Any) -> QuerySet[Membership]:
    rows = Membership.objects.filter(user=user, study__deleted_at__isnull=True)
    return rows.select_related("study")


def _is_shut(user: User, study_id: int) -> bool:
    """Whether the token that somebody came by is for another study."""
    return user.came_by is not None and user.came_by.study_id not in {None, study_id}


def removals_of(user: Visitor) -> QuerySet[Removal]:
    """What is being deleted and may be put back by a person: their own studies, and in these
    systems and batches; batches also in studies in which they research."""
    if not isinstance(user, User):
        return Removal.objects.none()
    own = Membership.objects.filter(user=user)
    owned = Q(study__in=own.filter(role=Role.OWNER).values("study"))
    researched = Q(study__in=own.filter(role__in=RESEARCHING).values("study"), batch__isnull=False)
    of_study = Q(system__isnull=True, batch__isnull=True)
    found = Removal.objects.filter(owned | researched)
    found = found.filter(of_study | Q(study__deleted_at__isnull=True))
    if user.came_by is not None and user.came_by.study_id is not None:
        found = found.filter(study=user.came_by.study_id)
    return found.select_related("study", "system", "batch", "created_by")


def removal_of(user: Visitor, removal_id: int) -> Removal:
    found = removals_of(user).filter(pk=removal_id).first()
    if found is None:
        raise Http404("Nothing that you can put back.")
    return found


def may_own_connections(user: User) -> bool:
    """Whether somebody may bring connections of their own: a researcher, where the installation
    allows it."""
    return bool(settings.ATTEST_OWN_CONNECTIONS) and researches(user)


def researches(user: User) -> bool:
    """Whether somebody may create studies, or researches in one."""
    return user.is_researcher or memberships_of(user).filter(role__in=RESEARCHING).exists()


def is_researcher_of(user: User, study: Study) -> bool:
    """Whether somebody whose account is open is a researcher of a study now."""
    found = memberships_of(user).filter(study=study, role__in=RESEARCHING)
    return user.is_active and found.exists()


def researchers_of(study: Study) -> set[int]:
    """The keys of those whom `is_researcher_of` knows."""
    found = Membership.objects.filter(study=study, role__in=RESEARCHING, user__is_active=True)
    return set(found.values_list("user", flat=True))


def templates_of(user: Visitor) -> QuerySet[Study]:
    """The studies that somebody may begin a new one by: marked so, by researchers of them."""
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
    """Enter a study to answer, ask, or look at what one answered oneself."""
    access = enter(user, slug)
    if access.role == Role.VIEWER:
        raise PermissionDenied("This page is for those who rate; you are a viewer of the study.")
    return access


def response_of(access: Access, response_id: int) -> Response:
    """A response, also one that was replaced: its judgments must stay findable."""
    response = (
        Response.objects.filter(
            study=access.study,
            pk=response_id,
            upload__published_at__isnull=False,
            system__deleted_at__isnull=True,
        )
        .select_related("system", "question", "upload")
        .first()
    )
    if response is None:
        raise Http404("No such response in this study.")
    return response


def note_of(access: Access, note_id: int) -> ResponseNote:
    """A note on a response that is there."""
    rows = ResponseNote.objects.filter(
        response__study=access.study,
        response__upload__published_at__isnull=False,
        response__system__deleted_at__isnull=True,
    )
    return _one(rows.select_related("response", "author"), note_id)


def unit_of(access: Access, unit_id: int) -> Unit:
    """A part of a response, also of one that was replaced."""
    rows = Unit.objects.filter(
        response__study=access.study,
        response__upload__published_at__isnull=False,
        response__system__deleted_at__isnull=True,
    )
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
    """A batch as its researchers see it."""
    return _one(Batch.objects.filter(study=access.study).select_related("study"), batch_id)


def batches_to_go_by(user: Visitor) -> QuerySet[Batch]:
    """Batches of all studies in which somebody researches, whose design another one may have."""
    researched = memberships_of(user).filter(role__in=RESEARCHING).order_by()
    found = Batch.objects.filter(study__in=researched.values("study"))
    return found.select_related("study", "gold", "qualification").order_by("study__name", "name")


def batch_named(access: Access, number: str) -> Batch | None:
    """The batch that an address names, if it names one."""
    if not number:
        return None
    # Longer numbers are keys in no database, and some refuse to look for them.
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        raise Http404("No such batch in this study.")
    return batch_of(access, int(number))


def batches_to_rate(access: Access) -> QuerySet[Batch]:
    """The batches that are shown to this person as a rater: those for the study's raters, or,
    to somebody from a crowd platform, those they came for; and the practice that these ask for."""
    found = Batch.objects.filter(study=access.study).exclude(state=Batch.State.DRAFT)
    if Participant.objects.filter(user=access.user).exists():
        own = found.filter(enrolments__participant__user=access.user)
        return found.filter(Q(pk__in=own) | Q(opens__in=own)).distinct()
    return found.filter(audience=Batch.Audience.MEMBERS)


def batch_to_rate(access: Access, batch_id: int) -> Batch:
    return _one(batches_to_rate(access).select_related("study"), batch_id)


def task_of(access: Access, assignment_id: int) -> Assignment:
    """A task of one's own: as a rater, in practice, or as a researcher who writes known answers."""
    learn(rating_id=assignment_id)
    rows = Assignment.objects.filter(
        batch__study=access.study,
        batch__deleted_at__isnull=True,
        item__response__system__deleted_at__isnull=True,
    )
    found = _one(rows.select_related("batch", "item", "judge", "guidelines"), assignment_id)
    is_known_answer = found.judge.kind == Judge.Kind.REFERENCE
    if found.judge.rater.user_id != access.user.pk and not (is_known_answer and access.researches):
        raise Http404("Not in this study.")
    found.batch.study = found.judge.study = access.study
    return found


def enter_task(user: Visitor, slug: str, assignment_id: int) -> tuple[Access, Assignment]:
    """Enter a study to rate, and open a task of one's own."""
    found = None
    if isinstance(user, User) and user.came_by is None and assignment_id <= MAX_KEY:
        found = hot_queries.task_of_rater(user.pk, slug, assignment_id)
    if found is None or found[0] == Role.VIEWER or not isinstance(user, User):
        entered = enter_to_rate(user, slug)
        return entered, task_of(entered, assignment_id)
    role, task = found
    learn(study_id=task.batch.study_id, user_id=user.pk, rating_id=task.pk)
    return Access(study=task.batch.study, user=user, role=Role(role)), task


def _is_own(user: Any) -> Q:
    """What a person did as a rater, or in practice."""
    return Q(judge__user=user) | Q(judge__round__judge__user=user)


def inquiry_of(access: Access, inquiry_id: int) -> Inquiry:
    rows = Inquiry.objects.kept().filter(batch__study=access.study)
    related = (
        "batch",
        "judge",
        "unit__parent",
        "unit__response__question",
        "unit__response__study",
    )
    return _one(rows.select_related(*related), inquiry_id)


def own_inquiries(access: Access) -> QuerySet[Inquiry]:
    return _inquiries_of(access.user, access.study)


def _inquiries_of(user: Any, study: Any) -> QuerySet[Inquiry]:
    return Inquiry.objects.kept().filter(_is_own(user), batch__study=study)


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
    found = _one(Judge.objects.filter(study=access.study), judge_id)
    found.study = access.study
    return found


def _one(queryset: QuerySet[Owned], pk: int) -> Owned:
    found = queryset.filter(pk=pk).first()
    if found is None:
        raise Http404("Not in this study.")
    return found
