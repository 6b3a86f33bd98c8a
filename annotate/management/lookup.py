"""Find the objects that a command's arguments name."""

from collections.abc import Sequence

from django.core.management.base import CommandError
from django.db.models import Q

from annotate.models import Study, System, User
from annotate.web import audit


def find_account(name: str) -> User:
    user = User.objects.filter(Q(email__iexact=name) | Q(username__iexact=name)).first()
    if user is None:
        raise CommandError(f"There is no account “{name}”. Make one with create_account.")
    return user


def find_study(slug: str) -> Study:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        some = ", ".join(Study.objects.values_list("slug", flat=True)[:10]) or "none yet"
        raise CommandError(f"There is no study “{slug}”. Known: {some}.")
    return study


def study_to_export(slug: str, what: str) -> Study:
    """Return a study, and record the export in the audit log."""
    study = find_study(slug)
    audit.note("exported", study=study, what=what)
    return study


def find_systems(study: Study, names: Sequence[str]) -> list[System]:
    """Return the study's systems with these names, or all systems without names."""
    known = {system.name: system for system in System.objects.loaded().filter(study=study)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise CommandError(
            f"There is no system “{unknown[0]}” in this study. Known: {', '.join(known) or 'none'}."
        )
    return [known[name] for name in names or known]
