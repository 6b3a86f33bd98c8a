"""The pages of studies: the list, a study's home page, its settings, copies and deletion."""

from typing import Any

from django.conf import settings as site
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate import access
from annotate.access import Access
from annotate.content import overview
from annotate.exchange import copying, deletion, streams, study_archive
from annotate.models import Role, Study, Upload, User
from annotate.people.views.members import rater_link
from annotate.rating import assignments, pace
from annotate.rating.batches.overview import ratings_of
from annotate.rating.pace import own_work
from annotate.rating.views import desk
from annotate.studies import lifecycle as studies
from annotate.studies import wordings
from annotate.studies.forms.studies import (
    CopyStudyForm,
    DeleteStudyForm,
    NewStudyForm,
    StudySettingsForm,
)
from annotate.studies.views.deleted import deleted
from annotate.uploads.forms import accepted
from annotate.uploads.redividing import change_settings
from annotate.web.messages import form_page, in_study, is_htmx, made, signed_in


def start(request: HttpRequest) -> HttpResponse:
    return redirect("studies")


@login_required
def listing(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    query = request.GET.get("q", "").strip()[:200]
    tag, archived = request.GET.get("tag", "")[:300], "archived" in request.GET
    own = access.memberships_of(user)
    shown = overview.filter_memberships(own, archived=archived, tag=tag)
    matches, hits = overview.search(shown, query)
    rows = overview.study_rows(matches, hits)
    context = {
        "rows": rows,
        "can_compare": sum(row.role != Role.RATER and row.responses > 0 for row in rows) > 1,
        "can_search": len(rows) > 1 or any(row.responses for row in rows if row.role != Role.RATER),
        "behind": [one.study for one in hits.values() if one.is_behind],
        "q": query,
        "tag": tag,
        "tags": overview.visible_tags(overview.filter_memberships(own, archived=archived)),
        "archived": archived,
        "archives": overview.filter_memberships(own, archived=True).count(),
        "is_filtered": bool(query or tag),
        "deleted": access.removals_of(user).count(),
    }
    return render(request, "studies/list.html", context)


@login_required
def create(request: HttpRequest) -> HttpResponse:
    user = _creator(request)
    templates = access.templates_of(user)
    form = NewStudyForm(templates, request.POST or None, request.FILES or None)
    if study := made(request, form, lambda: _create(form.cleaned_data, user)):
        messages.success(request, "The study is created. Upload the first outputs next.")
        return redirect("study", slug=study.slug)
    return render(request, "studies/new.html", {"form": form})


def _creator(request: HttpRequest) -> User:
    user = signed_in(request)
    if not user.is_researcher:
        raise PermissionDenied("Your account may take part in studies, but not create them.")
    return user


def _create(given: dict[str, Any], owner: User) -> Study:
    """Create a study from a template, a protocol file or a shipped protocol."""
    file, template = given.pop("file"), given.pop("template", None)
    if template is None and file is None:
        return studies.create_study(**given, owner=owner)
    texts = {name: given[name] for name in ("name", "description")}
    if template is not None:
        return copying.copy_study(template, **texts, owner=owner)[0]
    return wordings.create_study_from(file, **texts, owner=owner)


@in_study()
def home(request: HttpRequest, entered: Access) -> HttpResponse:
    if not entered.reads:
        return render(request, "studies/rater_home.html", _rater_context(entered))
    context = {
        "access": entered,
        "loaded": overview.study_contents(entered.study),
        "ratings": ratings_of(entered.study),
        "max_bytes": site.ATTEST_MAX_UPLOAD_BYTES,
        "accept": accepted(),
        "link": rater_link(request, entered),
    }
    return render(request, "studies/home.html", context)


def _rater_context(entered: Access) -> dict[str, Any]:
    """Return a rater's batches, with their progress and the reason for no task."""
    rows: list[dict[str, Any]] = []
    for batch in access.batches_to_rate(entered).select_related("study"):
        judge = desk.judge_in(batch, entered.user)
        why = assignments.why_no_task(batch, judge)
        rows.append({"batch": batch, "pace": pace.pace_of(batch, judge), "nothing": why})
    rows.sort(key=lambda row: not row["batch"].is_open)
    return {"access": entered, "rows": rows}


@login_required
def own(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a rater's own work, by batch and in total."""
    entered = access.enter_to_rate(request.user, slug)
    judge = entered.study.judges.filter(user=entered.user).first()
    batches = access.batches_to_rate(entered).select_related("study")
    rows = [own_work(batch, judge) for batch in batches] if judge is not None else []
    context = {
        "access": entered,
        "judge": judge,
        "rows": rows,
        "shows_gold": any(row.gold is not None for row in rows),
        "done": sum(row.pace.done for row in rows),
        "today": sum(row.pace.today for row in rows),
        "minutes": sum(row.minutes for row in rows),
    }
    return render(request, "studies/own_work.html", context)


@in_study(Role.VIEWER)
def progress(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show the progress of judging. The page loads it later, because it counts everything."""
    context = {"access": entered, "rows": overview.progress(entered.study)}
    page = "studies/progress.html" if is_htmx(request) else "studies/progress_page.html"
    return render(request, page, context)


@in_study(Role.RESEARCHER)
def settings(request: HttpRequest, entered: Access) -> HttpResponse:
    form = StudySettingsForm(request.POST or None, instance=entered.study)
    if change := made(request, form, lambda: (_change(entered, form.settings()),)):
        [upload] = change
        if upload is not None:
            return redirect("upload", slug=entered.study.slug, upload_id=upload.pk)
        messages.success(request, "Saved.")
        return redirect("study-settings", slug=entered.study.slug)
    context = {"access": entered, "form": form, "delete_form": DeleteStudyForm(entered.study)}
    return render(request, "studies/settings.html", context)


def _change(entered: Access, settings: dict[str, Any]) -> Upload | None:
    study = Study.objects.get(pk=entered.study.pk)  # the form has changed `entered.study`
    return change_settings(study, settings, streams.output_lines, entered.user)


@in_study(Role.RESEARCHER)
def copy(request: HttpRequest, entered: Access) -> HttpResponse:
    """Duplicate the study, optionally with its responses."""
    user = _creator(request)
    form = CopyStudyForm(entered.study, request.POST or None)
    if copied := made(request, form, lambda: _copy(entered.study, form.cleaned_data, user)):
        study, upload = copied
        messages.success(request, f"“{study.name}” is created. You own it.")
        if upload is not None:
            return redirect("upload", slug=study.slug, upload_id=upload.pk)
        return redirect("study", slug=study.slug)
    return form_page(request, "studies/copy.html", form, access=entered)


def _copy(study: Study, given: dict[str, Any], owner: User) -> tuple[Study, Upload | None]:
    return copying.copy_study(
        study,
        name=given["name"],
        owner=owner,
        outputs=streams.output_lines(study) if given["with_responses"] else None,
        questions=streams.question_lines(study),
        with_batches=given["with_batches"],
    )


@in_study(Role.OWNER, post=True)
def archive(request: HttpRequest, entered: Access) -> HttpResponse:
    study_archive.archive(entered.study, by=entered.user)
    messages.success(request, "The study is archived: nothing is lost, and nobody rates in it.")
    return redirect("study-settings", slug=entered.study.slug)


@in_study(Role.OWNER, post=True)
def unarchive(request: HttpRequest, entered: Access) -> HttpResponse:
    study_archive.unarchive(entered.study, by=entered.user)
    messages.success(request, "The study is in the list again. Open its batches to go on.")
    return redirect("study-settings", slug=entered.study.slug)


@in_study(Role.OWNER)
def delete(request: HttpRequest, entered: Access) -> HttpResponse:
    form = DeleteStudyForm(entered.study, request.POST or None)
    if request.method == "POST" and form.is_valid():
        removal = deletion.delete_study(entered.study, by=entered.user)
        messages.success(request, deleted(removal, entered.study.name))
        return redirect("studies")
    context = {
        "access": entered,
        "form": form,
        "loaded": overview.study_contents(entered.study),
        "days": site.ATTEST_UNDO_DAYS,
    }
    return render(request, "studies/delete.html", context)
