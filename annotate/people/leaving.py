"""Remove or pseudonymize accounts, and erase the personal data of a study's people.

Judgments stay, with the judge's name, which does not identify the person. The names of researchers
who wrote gold answers or decided disputes are replaced.
"""

import secrets
from collections.abc import Callable, Iterable

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import QuerySet

from annotate.models import (
    RESEARCHING,
    AdmittedId,
    Assignment,
    Batch,
    CrowdTry,
    InquiryMessage,
    Judge,
    Judgment,
    Membership,
    Participant,
    PastJudgment,
    ResponseNote,
    Role,
    Study,
    User,
)
from annotate.rating import assignments
from annotate.web import audit
from annotate.web.errors import Refused

Leave = Callable[[User], object]

LEAVES: list[Leave] = []


def leaving(forget: Leave) -> Leave:
    """Register a function that deletes another package's data of a person who leaves."""
    LEAVES.append(forget)
    return forget


# Accounts ----------------------------------------------------------------------------------------


def refuse_to_leave(user: User) -> None:
    """Refuse to remove the only owner of a study."""
    own = Membership.objects.filter(
        user=user, role=Role.OWNER, study__deleted_at__isnull=True
    ).select_related("study")
    others = Membership.objects.filter(role=Role.OWNER).exclude(user=user)
    alone = [m.study.name for m in own if not others.filter(study=m.study_id).exists()]
    if alone:
        names = ", ".join(f"“{name}”" for name in alone)
        raise Refused(
            f"Nobody else owns {names}. Make somebody else an owner, or delete it, first."
        )


def remove_account(user: User) -> str:
    """Delete an account, and return the pseudonym of its answers. Judgments stay."""
    with transaction.atomic():
        pseudonym = _detach(user)
        user.delete()
    return pseudonym


def make_pseudonymous(user: User) -> str:
    """Close an account, replace its personal data, and return its pseudonym.

    Its memberships and its authorship stay.
    """
    with transaction.atomic():
        pseudonym = _detach(user)
        user.username, user.email, user.name = pseudonym, "", ""
        user.is_active = user.is_researcher = user.is_staff = user.is_superuser = False
        user.last_login = None
        user.set_unusable_password()
        user.save()
        user.api_tokens.all().delete()
    return pseudonym


def _detach(user: User) -> str:
    User.objects.select_for_update().get(pk=user.pk)
    refuse_to_leave(user)
    pseudonym = f"former-{secrets.token_hex(4)}"
    _give_back(Judge.objects.filter(user=user))
    _rename(user.username, pseudonym)
    for forget in LEAVES:
        forget(user)
    for kept in (EmailAddress, SocialAccount, Authenticator, UserSession):
        kept.objects.filter(user=user).delete()
    audit.note("account-left", user, by=user)
    return pseudonym


def _give_back(judges: Iterable[Judge]) -> None:
    """Return the judges' unfinished tasks to the pool."""
    for judge in judges:
        held = judge.assignments.filter(state=Assignment.State.ACTIVE).order_by()
        for batch in Batch.objects.filter(pk__in=held.values("batch")):
            assignments.give_all_back(batch, judge)


WRITTEN_BY_NAME = (Judge.Kind.REFERENCE, Judge.Kind.ADJUDICATED)


def _rename(username: str, pseudonym: str, *, study: Study | None = None) -> None:
    """Replace a name next to answers, in one study or in all."""
    judgments, past = _written_by_name(study)
    judgments.filter(given_by=username).update(given_by=pseudonym)
    past.filter(given_by=username).update(given_by=pseudonym)


def _written_by_name(study: Study | None) -> tuple[QuerySet[Judgment], QuerySet[PastJudgment]]:
    judgments = Judgment.objects.filter(judge__kind__in=WRITTEN_BY_NAME)
    past = PastJudgment.objects.filter(judgment__judge__kind__in=WRITTEN_BY_NAME)
    if study is not None:
        judgments = judgments.filter(judge__study=study)
        past = past.filter(judgment__judge__study=study)
    return judgments, past


# A study's people --------------------------------------------------------------------------------


def raters_in(study: Study) -> QuerySet[Judge]:
    """Return the raters whose person is known, including those from crowd platforms."""
    researchers = Membership.objects.filter(study=study, role__in=RESEARCHING)
    judges = study.judges.filter(user__isnull=False).exclude(user__in=researchers.values("user"))
    return judges.select_related("user").order_by("pk")


def erase_rater(judge: Judge) -> None:
    """Erase the identity of one rater in a study, and end their part."""
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=judge.study_id)
        if not raters_in(study).filter(pk=judge.pk).exists():
            raise Refused("Nobody is known behind this rater, or a researcher of the study is.")
        _erase(judge)
        audit.note("personal-data-erased", judge)


def erase_people(study: Study) -> int:
    """Erase the identities of a study's raters and the researchers' names next to answers.

    Return the number of raters. Judgments stay, and researchers stay members.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        judges = list(raters_in(locked))
        for judge in judges:
            _erase(judge)
        Membership.objects.filter(study=locked, role=Role.RATER).delete()
        _delete_accounts(Participant.objects.filter(study=locked))
        AdmittedId.objects.filter(batch__study=locked).delete()
        CrowdTry.objects.filter(study=locked).delete()
        judgments, past = _written_by_name(locked)
        names = {
            *judgments.values_list("given_by", flat=True),
            *past.values_list("given_by", flat=True),
        }
        for number, name in enumerate(sorted(names - {""}), 1):
            _rename(name, f"researcher-{number}", study=locked)
        audit.note("personal-data-erased", locked, raters=len(judges))
    return len(judges)


def _erase(judge: Judge) -> None:
    user = judge.user
    assert user is not None  # `raters_in` has none without
    _give_back([judge])
    own = InquiryMessage.objects.filter(inquiry__batch__study=judge.study_id, author=user)
    own.update(author=None)
    ResponseNote.objects.filter(response__study=judge.study_id, author=user).update(author=None)
    judge.user = None
    judge.save(update_fields=["user"])
    Membership.objects.filter(study=judge.study_id, user=user).delete()
    _delete_accounts(Participant.objects.filter(study=judge.study_id, user=user))


def _delete_accounts(participants: QuerySet[Participant]) -> None:
    """Delete the accounts of participants, which exist only for the study, with the ids."""
    User.objects.filter(pk__in=list(participants.values_list("user", flat=True))).delete()
