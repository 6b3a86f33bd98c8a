"""Who may come by a batch's link, as researchers say it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.debug import sensitive_post_parameters

from annotate import access
from annotate.access import Access
from annotate.models import Role
from annotate.people import admission
from annotate.people.forms.admission import AdmissionForm
from annotate.web.messages import form_page, in_study, refusals_told, saved


@sensitive_post_parameters("token")
@in_study(Role.RESEARCHER)
def edit(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
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
def fetch(request: HttpRequest, entered: Access, batch_id: int) -> HttpResponse:
    """Ask Prolific now who takes part."""
    batch = access.batch_of(entered, batch_id)
    with refusals_told(request):
        count = admission.fetch(batch)
        messages.success(request, f"{count:,} new id{'' if count == 1 else 's'} from Prolific.")
    return redirect("admission", slug=entered.study.slug, batch_id=batch_id)


@in_study(Role.OWNER, post=True)
def hash_ids(request: HttpRequest, entered: Access) -> HttpResponse:
    """Keep the ids of the study's participants as digests."""
    count = admission.hash_ids(entered.study)
    messages.success(request, f"Ids are kept as digests from now on; {count:,} were replaced.")
    return redirect("members", slug=entered.study.slug)


@in_study(Role.RESEARCHER, post=True)
def release(
    request: HttpRequest, entered: Access, batch_id: int, enrolment_id: int
) -> HttpResponse:
    """Let somebody go on in another browser."""
    batch = access.batch_of(entered, batch_id)
    rows = batch.enrolments.select_related("participant__user")
    enrolment = rows.filter(pk=enrolment_id).first()
    if enrolment is None:
        raise Http404("Nobody in this batch.")
    admission.release(enrolment.participant)
    messages.success(
        request,
        "Released: the next browser that follows the link with this id keeps it. The one before "
        "is signed out.",
    )
    return redirect("participants", slug=entered.study.slug, batch_id=batch_id)
