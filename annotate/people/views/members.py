"""The pages of members, roles, invitation links, and raters' standing."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotate import access
from annotate.access import Access
from annotate.models import PEOPLE, Invitation, Judge, Participant, Role
from annotate.people import members
from annotate.people.forms.accounts import InvitationForm, RoleForm
from annotate.rating import standing
from annotate.web.messages import button, in_study, refusals_told, signed_in


def _links(request: HttpRequest, entered: Access) -> list[tuple[Invitation, str, str]]:
    return [
        (
            invitation,
            request.build_absolute_uri(reverse("join", args=[members.invitation_code(invitation)])),
            members.invitation_fault(invitation),
        )
        for invitation in entered.study.invitations.all()
    ]


def rater_link(request: HttpRequest, entered: Access) -> str:
    """Return a working invitation link for raters, or ""."""
    links = _links(request, entered) if entered.researches else []
    return next((link for one, link, fault in links if one.role == Role.RATER and not fault), "")


def _page(
    request: HttpRequest, entered: Access, *, form: InvitationForm | None = None, status: int = 200
) -> HttpResponse:
    context = {
        "access": entered,
        "members": entered.study.memberships.filter(user__participant__isnull=True).select_related(
            "user", "invitation"
        ),
        "crowds": entered.study.batches.annotate(people=Count("enrolments")).filter(people__gt=0),
        "links": _links(request, entered),
        "form": form or InvitationForm(),
        "roles": Role.choices,
    }
    return render(request, "members/list.html", context, status=status)


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    return _page(request, entered)


@in_study(Role.RESEARCHER, post=True)
def invite(request: HttpRequest, entered: Access) -> HttpResponse:
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, entered, form=form, status=422)
    members.invite(
        entered.study,
        role=Role(form.cleaned_data["role"]),
        author=signed_in(request),
        label=form.cleaned_data["label"],
        max_uses=form.cleaned_data["max_uses"],
        days=form.cleaned_data["days"],
    )
    messages.success(request, "The link is ready: copy it and send it.")
    return redirect("study" if "overview" in request.POST else "members", slug=entered.study.slug)


revoke = button(
    access.invitation_of,
    "",
    lambda invitation, by, sent: members.revoke(invitation),
    said="The link no longer works. Who came by it stays a member.",
    listing="members",
)
remove = button(
    access.membership_of,
    "",
    lambda member, by, sent: members.remove_member(member),
    said="{row.user} is no longer a member. Their judgments stay.",
    listing="members",
    role=Role.OWNER,
)


@in_study(Role.OWNER, post=True)
def change_role(request: HttpRequest, entered: Access, membership_id: int) -> HttpResponse:
    member = access.membership_of(entered, membership_id)
    form = RoleForm(request.POST)
    if form.is_valid():
        with refusals_told(request):
            members.change_role(member, Role(form.cleaned_data["role"]))
            messages.success(request, f"{member.user} is now {member.get_role_display().lower()}.")
    return redirect("members", slug=entered.study.slug)


@in_study(post=True)
def leave(request: HttpRequest, entered: Access) -> HttpResponse:
    """Leave a study. People from crowd platforms stop in their batch instead."""
    if Participant.objects.filter(user=entered.user).exists():
        raise PermissionDenied("Stop taking part on the page of your batch.")
    with refusals_told(request):
        members.remove_member(entered.study.memberships.get(user=entered.user))
        messages.success(request, f"You left “{entered.study.name}”. Your judgments stay.")
        return redirect("studies")
    return redirect("study", slug=entered.study.slug)


@in_study(Role.RESEARCHER, post=True)
def change_standing(request: HttpRequest, entered: Access, judge_id: int) -> HttpResponse:
    judge = access.judge_of_study(entered, judge_id)
    if judge.kind not in PEOPLE:
        raise Http404("Not a rater.")
    wanted = request.POST.get("standing", "")
    if wanted not in Judge.Standing.values:
        messages.error(request, "Choose: active, paused or excluded.")
        return redirect("rater", entered.study.slug, judge_id)
    with refusals_told(request):
        before = judge.standing
        freed = standing.change_standing(
            judge,
            Judge.Standing(wanted),
            reason=request.POST.get("reason", ""),
            by=signed_in(request),
        )
        if freed is None:
            messages.info(request, f"{judge.name} is {wanted} already.")
        else:
            messages.success(request, _standing_text(judge, before, freed))
    return redirect("rater", entered.study.slug, judge_id)


def _standing_text(judge: Judge, before: str, freed: int) -> str:
    if judge.standing == Judge.Standing.PAUSED and before != Judge.Standing.EXCLUDED:
        return f"{judge.name} is paused and gets no new tasks. Their ratings count."
    if judge.standing == Judge.Standing.EXCLUDED:
        return (
            f"{judge.name} is excluded. Their ratings stay, marked, and do not count: others are "
            f"asked in their place. {freed} unfinished task{'' if freed == 1 else 's'} went back "
            "to the pool."
        )
    if before != Judge.Standing.EXCLUDED:
        return f"{judge.name} gets tasks again."
    more = standing.surplus(judge)
    text = (
        f"{judge.name} is readmitted, and their ratings count again."
        if judge.standing == Judge.Standing.ACTIVE
        else f"{judge.name} is paused. Their ratings count again."
    )
    if more:
        text += (
            f" {more} task{'' if more == 1 else 's'} that they did now "
            f"{'has' if more == 1 else 'have'} more ratings than wanted."
        )
    return text
