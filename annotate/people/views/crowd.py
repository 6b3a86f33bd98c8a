"""The pages of crowd batches: for participants, and for researchers."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from annotate import access
from annotate.access import Access
from annotate.models import Batch, Enrolment, Judge, Participant, Role, User
from annotate.people import admission, crowd, prolific
from annotate.people import participants as reading
from annotate.people.forms.admission import AdmissionForm
from annotate.people.rate_limits import network_of
from annotate.people.views.accounts import BACKEND
from annotate.rating import pace
from annotate.web.errors import Refused
from annotate.web.messages import form_page, in_study, refusals_told, saved

SIGNED = "prolific_token"
BROWSER = "attest-browser"
"""The cookie that identifies an id's browser."""

YEAR = 365 * 24 * 3_600

MTURK_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""Mechanical Turk's id for a worker who has not accepted the task yet."""

NAMES = {
    Participant.Platform.PROLIFIC: ("PROLIFIC_PID", "SESSION_ID", "STUDY_ID"),
    Participant.Platform.MTURK: ("workerId", "assignmentId", "hitId"),
    Participant.Platform.LINK: ("worker", "", ""),
}
"""By platform, the parameters of the person, the visit and the platform's task."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """The platform's data about a visitor. `is_preview`: a visitor who only looks."""

    platform: str = Participant.Platform.LINK
    external_id: str = ""
    session: str = ""
    project: str = ""
    is_preview: bool = False
    token: str = ""
    """The platform's signed token, if it signs."""

    is_own: bool = False
    """Whether the visitor is the participant that the browser is signed in as."""

    @property
    def fields(self) -> dict[str, str]:
        """The parameters, to be sent again with the form."""
        if self.token:
            return {SIGNED: self.token}
        if self.is_own:
            return {}
        values = (self.external_id, self.session, self.project)
        names = NAMES[Participant.Platform(self.platform)]
        return {name: value for name, value in zip(names, values, strict=True) if name and value}


def _arrival(sent: Mapping[str, str], origins: Sequence[str]) -> Arrival:
    token = sent.get(SIGNED, "")
    if token:
        signed = prolific.signed_parameters(token, origins)
        person, session, project = (
            signed.get(name, "") for name in NAMES[Participant.Platform.PROLIFIC]
        )
        return Arrival(Participant.Platform.PROLIFIC, person, session, project, token=token)
    for platform, (person, session, project) in NAMES.items():
        arrival = Arrival(
            platform=platform,
            external_id=sent.get(person, "").strip(),
            session=sent.get(session, "").strip(),
            project=sent.get(project, "").strip(),
        )
        if arrival.session == MTURK_PREVIEW or "{{%" in arrival.external_id:
            # Mechanical Turk before acceptance; Prolific's parameters, not filled in.
            return Arrival(platform=platform, is_preview=True)
        if arrival.external_id:
            return arrival
    return Arrival()


def enter(request: HttpRequest, link: str) -> HttpResponse:
    """Show a batch's link: the task, consent, and a button to start."""
    batch = crowd.find_batch(link)
    if batch is None:
        raise Http404("No such link.")
    person = request.user if isinstance(request.user, User) else None
    refused = ""
    try:
        arrival = _arrival_of(request, batch, person)
    except Refused as refusal:
        arrival, refused = Arrival(), str(refusal)
    if request.method == "POST" and "sign_out" in request.POST:
        logout(request)
        query = urlencode(arrival.fields)
        return HttpResponseRedirect(f"{request.path}?{query}" if query else request.path)
    # A person with their own account, such as a researcher who tries the link.
    is_other = person is not None and not Participant.objects.filter(user=person).exists()
    came = _known_participant(batch, arrival, person)
    known = crowd.find_enrolment(batch, came)
    fault = refused or _fault(request, batch, came, known)
    if request.method == "POST" and not (fault or is_other or arrival.is_preview):
        try:
            return _take_part(request, batch, arrival, came)
        except Refused as refusal:
            refused = str(refusal)
    is_removed = crowd.was_removed(came)
    context = {
        "batch": batch,
        "arrival": arrival,
        "known": known,
        "asks_consent": bool(batch.consent) and (known is None or known.consented_at is None),
        "fault": fault,
        "is_removed": is_removed,
        "can_be_helped": fault in REFUSALS,
        "refused": refused,
        "is_other": is_other,
        "hashes": bool(batch.study.sealed_id_key),
        "may_preview": person is not None
        and is_other
        and access.is_researcher_of(person, batch.study),
    }
    is_forbidden = is_removed or fault in REFUSALS
    status = 403 if is_forbidden else 410 if fault else 422 if refused else 200
    return render(request, "crowd/enter.html", context, status=status)


REFUSALS = (admission.OTHER_BROWSER, prolific.NOT_SIGNED, prolific.NOT_NOW)


def _arrival_of(request: HttpRequest, batch: Batch, person: User | None) -> Arrival:
    sent = request.POST if request.method == "POST" else request.GET
    host = request.get_host()
    arrival = _arrival(sent, (f"{request.scheme}://{host}", host))
    own = Participant.objects.filter(user=person, study=batch.study).first() if person else None
    if own is None or arrival.external_id or arrival.is_preview:
        return arrival
    return Arrival(platform=own.platform, external_id=own.external_id, is_own=True)


def _known_participant(batch: Batch, arrival: Arrival, person: User | None) -> Participant | None:
    """Return the participant who came with this id before."""
    if arrival.is_own:
        return Participant.objects.filter(user=person, study=batch.study).first()
    if not arrival.external_id:
        return None
    return crowd.find_participant(
        batch.study, platform=arrival.platform, external_id=arrival.external_id
    )


def _fault(
    request: HttpRequest, batch: Batch, came: Participant | None, known: Enrolment | None
) -> str:
    """Return why the visitor cannot take part, if that is known already, or ""."""
    if crowd.was_removed(came):
        return crowd.REMOVED
    if came is not None and admission.is_elsewhere(came, request.COOKIES.get(BROWSER, "")):
        return admission.OTHER_BROWSER
    return "" if known is not None else crowd.entry_fault(batch)


def _take_part(
    request: HttpRequest, batch: Batch, arrival: Arrival, came: Participant | None
) -> HttpResponse:
    browser = request.COOKIES.get(BROWSER) or secrets.token_urlsafe(32)
    enrolment = crowd.arrive(
        batch,
        platform=arrival.platform,
        external_id=arrival.external_id,
        came=came if arrival.is_own else None,
        session=arrival.session,
        project=arrival.project,
        consented="consent" in request.POST,
        browser=browser,
        address=network_of(request),
        signed_for=arrival.project if arrival.token else "",
    )
    login(request, enrolment.participant.user, backend=BACKEND)
    page = "desk" if crowd.outcome(enrolment).goes_on else "crowd-done"
    answer = redirect(page, slug=batch.study.slug, batch_id=batch.pk)
    secure = settings.SESSION_COOKIE_SECURE
    answer.set_cookie(BROWSER, browser, max_age=YEAR, httponly=True, samesite="Lax", secure=secure)
    return answer


def _own_enrolment(request: HttpRequest, slug: str, batch_id: int) -> tuple[Access, Enrolment]:
    entered = access.enter(request.user, slug)
    batch = access.batch_of(entered, batch_id)
    enrolment = (
        batch.enrolments.filter(participant__user=entered.user)
        .select_related("batch__study", "participant__user")
        .first()
    )
    if enrolment is None:
        raise Http404("You did not come to this batch by its link.")
    return entered, enrolment


@login_required
def done(request: HttpRequest, slug: str, batch_id: int) -> HttpResponse:
    """Show the end of a part: thanks, and the completion code if there is one."""
    entered, enrolment = _own_enrolment(request, slug, batch_id)
    outcome = crowd.outcome(enrolment)
    if outcome.gets_code:
        crowd.finish(enrolment)
    batch, judge = enrolment.batch, crowd.judge_behind(enrolment)
    may_change = batch.is_open and not outcome.has_left
    may_change = may_change and judge.standing != Judge.Standing.EXCLUDED
    context = {
        "access": entered,
        "batch": batch,
        "outcome": outcome,
        "previous": pace.pace_of(batch, judge).previous if may_change else None,
        "code": admission.code_of(enrolment) if outcome.gets_code else "",
        "url": batch.completion_url if outcome.gets_code else "",
        "link": reverse("crowd", args=[crowd.batch_code(batch)]),
    }
    return render(request, "crowd/done.html", context)


@login_required
@require_POST
def leave(request: HttpRequest, slug: str, batch_id: int) -> HttpResponse:
    """Stop taking part."""
    _, enrolment = _own_enrolment(request, slug, batch_id)
    crowd.leave(enrolment)
    return redirect("crowd-done", slug=slug, batch_id=batch_id)


# For researchers ---------------------------------------------------------------------------------


@in_study(Role.RESEARCHER)
def participants(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    batch = access.batch_of(entered, batch_id)
    rows = reading.participants(batch)
    context = {
        "access": entered,
        "batch": batch,
        "parts": rows,
        "done": sum(row.done for row in rows),
        "minutes": sum(row.minutes for row in rows),
        "pay": sum((row.pay or Decimal(0) for row in rows), Decimal(0)),
        "to_approve": reading.to_approve(rows),
        "terms": admission.terms_of(batch),
        "hashes": bool(entered.study.sealed_id_key),
        "link": request.build_absolute_uri(reverse("crowd", args=[crowd.batch_code(batch)]))
        if batch.audience == Batch.Audience.LINK
        else "",
    }
    return render(request, "crowd/participants.html", context)


@in_study(Role.RESEARCHER)
def participants_csv(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    """Download the list of participants."""
    batch = access.batch_of(entered, batch_id)
    lines = reading.participants_csv(batch, reading.participants(batch))
    return _file(lines, f"{entered.study.slug}-{batch.pk}-participants.csv")


@in_study(Role.RESEARCHER)
def mturk_csv(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    """Download Mechanical Turk's file for approval in bulk."""
    batch = access.batch_of(entered, batch_id)
    lines = reading.mturk_csv(reading.participants(batch))
    return _file(lines, f"{entered.study.slug}-{batch.pk}-approve.csv")


def _file(lines: Iterable[str], name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse("".join(lines), content_type="text/csv; charset=utf-8", headers=headers)


@in_study(Role.RESEARCHER, post=True)
def approve(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    """Record that the platform approved the listed participants."""
    batch = access.batch_of(entered, batch_id)
    keys = [int(key) for key in request.POST.getlist("part") if key.isdecimal() and len(key) < 10]
    count = crowd.approve(batch, keys)
    messages.success(request, f"{count} {'is' if count == 1 else 'are'} noted as approved.")
    return redirect("participants", slug=entered.study.slug, batch_id=batch_id)


@in_study(Role.RESEARCHER, post=True)
def return_work(
    request: HttpRequest, entered: Access, batch_id: int, enrolment_id: int
) -> HttpResponse:
    """End the part of a participant who returned the task on the platform."""
    enrolment = access.enrolment_of(access.batch_of(entered, batch_id), enrolment_id)
    with refusals_told(request):
        freed = crowd.leave(enrolment)
        messages.success(
            request,
            f"{freed} unfinished task{'' if freed == 1 else 's'} went back to the pool. "
            "Finished work stays.",
        )
    return redirect("participants", slug=entered.study.slug, batch_id=batch_id)


@sensitive_post_parameters("token")
@in_study(Role.RESEARCHER)
def edit_admission(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    batch = access.batch_of(entered, batch_id)
    form = AdmissionForm(batch, request.POST or None, request.FILES or None)
    if saved(request, form, lambda: admission.change_terms(batch, **form.terms())):
        messages.success(request, "Saved.")
        return redirect("admission", slug=entered.study.slug, batch_id=batch_id)
    terms = admission.terms_of(batch)
    return form_page(
        request,
        "crowd/admission.html",
        form,
        access=entered,
        batch=batch,
        count=batch.admitted.count(),
        may_fetch=bool(terms.sealed_token and terms.prolific_study),
        hashes=form.hashes,
    )


@in_study(Role.RESEARCHER, post=True)
def fetch_ids(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    """Fetch the participants' ids from Prolific."""
    batch = access.batch_of(entered, batch_id)
    with refusals_told(request):
        count = admission.fetch(batch)
        messages.success(request, f"{count:,} new id{'' if count == 1 else 's'} from Prolific.")
    return redirect("admission", slug=entered.study.slug, batch_id=batch_id)


@in_study(Role.OWNER, post=True)
def hash_ids(request: HttpRequest, entered: Access) -> HttpResponse:
    """Replace the ids of the study's participants by digests."""
    count = admission.hash_ids(entered.study)
    messages.success(request, f"Ids are kept as digests from now on; {count:,} were replaced.")
    return redirect("members", slug=entered.study.slug)


@in_study(Role.RESEARCHER, post=True)
def release(
    request: HttpRequest, entered: Access, batch_id: int, enrolment_id: int
) -> HttpResponse:
    """Let a participant continue in another browser."""
    batch = access.batch_of(entered, batch_id)
    admission.release(access.enrolment_of(batch, enrolment_id).participant)
    messages.success(
        request,
        "Released: the next browser that follows the link with this id keeps it. The one before "
        "is signed out.",
    )
    return redirect("participants", slug=entered.study.slug, batch_id=batch_id)
