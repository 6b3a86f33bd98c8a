"""The prompts of a study's own: kept in versions, each of which makes a judge of its own."""

import re
from dataclasses import dataclass, replace

from django.db import transaction

from annotate.models import Study, User
from annotate.services import audit
from annotate.services.errors import Refused
from evaluation.asking.prompts import PromptStyle, read_style, styles, written_style
from evaluation.judges.settings import JudgeSettings
from evaluation.models import StudyPrompt

MOST_CHARS = 40_000
MOST_VERSIONS = 200
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class Known:
    """A way of asking that the study can use; `rows` are its versions, the newest first, where it
    is the study's own."""

    style: PromptStyle
    rows: tuple[StudyPrompt, ...] = ()

    @property
    def is_own(self) -> bool:
        return bool(self.rows)


def known_styles(study: Study) -> dict[str, Known]:
    """The shipped ones, then the study's own in their newest versions, by name."""
    found = {key: Known(style) for key, style in styles().items()}
    rows: dict[str, list[StudyPrompt]] = {}
    for row in StudyPrompt.objects.filter(study=study).select_related("created_by"):
        rows.setdefault(row.name, []).append(row)
    found |= {name: Known(style_of_row(own[0]), tuple(own)) for name, own in rows.items()}
    return found


def style_of_row(row: StudyPrompt) -> PromptStyle:
    """A version as a run asks by it."""
    return read_style(row.name, row.text)


def style_named(study: Study, named: str) -> PromptStyle:
    """By name; one of the study's own also by name and version, as `name:2`."""
    if not named:
        return next(iter(styles().values()))
    if named in styles():
        return styles()[named]
    name, _, version = named.partition(":")
    rows = StudyPrompt.objects.filter(study=study, name=name)
    row = rows.filter(version=_number(version)).first() if version else rows.first()
    if row is not None:
        return style_of_row(row)
    if version and (newest := rows.first()) is not None:
        raise Refused(f"The prompt “{name}” has no version {version}; the newest is {newest}.")
    own = StudyPrompt.objects.filter(study=study).values_list("name", flat=True)
    there = ", ".join([*styles(), *sorted(set(own))])
    raise Refused(f"There is no style “{named}”; there are {there}.")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def with_version(study: Study, settings: JudgeSettings) -> JudgeSettings:
    """Settings that name the version of the study's own prompt: a run asks by one, whatever is
    written while it goes on."""
    style = style_named(study, settings.style)
    if style.key in styles():
        return settings
    return replace(settings, style=f"{style.key}:{style.version}")


def keep_prompt(study: Study, name: str, text: str, *, by: User | None = None) -> StudyPrompt:
    """Another version of a prompt of the study's own, or its first; the newest one where the text
    is the same. Raises `StyleError` where the text is no prompt."""
    if not _NAME.fullmatch(name):
        raise Refused(
            "A name is up to 40 small letters, digits, - and _, and begins with a letter or digit; "
            f"found “{name[:80]}”."
        )
    if name in styles():
        raise Refused(f"“{name}” comes with Attest and stays as it is. Give the copy another name.")
    if len(text) > MOST_CHARS:
        raise Refused(f"A prompt has at most {MOST_CHARS:,} characters; found {len(text):,}.")
    style = read_style(name, _with_version(text))
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        newest = StudyPrompt.objects.filter(study=study, name=name).first()
        before = 0 if newest is None else newest.version
        if newest is not None and newest.text == written_style(replace(style, version=before)):
            return newest
        if StudyPrompt.objects.filter(study=study).count() >= MOST_VERSIONS:
            raise Refused(f"A study keeps at most {MOST_VERSIONS} versions of prompts.")
        row = StudyPrompt.objects.create(
            study=study,
            name=name,
            version=before + 1,
            text=written_style(replace(style, version=before + 1)),
            created_by=by,
        )
        audit.note("prompt-written", row, by=by, version=row.version)
    return row


def _with_version(text: str) -> str:
    """A file that names no version is as good: the study numbers them."""
    head, between, rest = text.replace("\r\n", "\n").partition("\n---\n")
    lines = [line for line in head.splitlines() if not line.startswith("version:")]
    return "\n".join(["version: 1", *lines]) + between + rest
