"""What a study asks, for programs: its dimensions in order, and its protocol file."""

from dataclasses import asdict
from typing import Any

from django.http import HttpResponse
from rest_framework import serializers

from annotate.access import Access
from annotate.api.endpoint import says, shape
from annotate.api.faults import faults_told
from annotate.api.serializers import AskSerializer
from annotate.export.streams import divided
from annotate.models import Role, Study
from annotate.protocol.written import (
    as_fields,
    derived_from_fields,
    from_fields,
    read,
    write,
)
from annotate.services import wordings
from annotate.services.audit import file_taken

AskedSerializer = shape(
    "Asked",
    asked=serializers.ListField(
        child=serializers.CharField(), help_text="The keys of what is asked, in its order."
    ),
    file=shape("FileTaken", name=serializers.CharField(), is_changed=serializers.BooleanField())(
        allow_null=True, help_text="The protocol file that it took last."
    ),
    derived=serializers.ListField(
        child=serializers.DictField(), help_text="The study's own numbers, as a file says them."
    ),
    frozen=serializers.ListField(
        child=serializers.CharField(),
        help_text="The keys of its own dimensions and numbers that came with a frozen protocol "
        "file: they are not changed, a copy is.",
    ),
    dimensions=serializers.ListField(
        child=serializers.DictField(),
        help_text="Every dimension that it knows, as a file says it, with `version` and `own`.",
    ),
)


@says(
    "What is asked, and every dimension that the study knows.",
    role=Role.RESEARCHER,
    gives=AskedSerializer,
)
def read_dimensions(entered: Access) -> dict[str, Any]:
    return _shown(entered.study)


@says(
    "Ask otherwise, keep a dimension or a number, or take a protocol file.",
    role=Role.RESEARCHER,
    takes=AskSerializer,
    gives=AskedSerializer,
    edits=True,
)
def change_dimensions(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    with faults_told():
        _change(entered.study, given, {"by": entered.user, "divided": divided})
    return _shown(entered.study)


def _change(study: Study, given: dict[str, Any], options: dict[str, Any]) -> None:
    if "protocol" in given:
        file = read(given["protocol"])
        wordings.take_file(study, file, guidelines=given["guidelines"], **options)
    elif "dimension" in given:
        made = from_fields(given["dimension"])
        wordings.keep_dimension(study, made, replaces=given["replaces"], **options)
    elif "number" in given:
        number = derived_from_fields(given["number"], study.protocol)
        wordings.keep_number(study, number, replaces=given["replaces"], by=options["by"])
    else:
        wordings.ask(study, given["asked"], **options)


def _shown(study: Study) -> dict[str, Any]:
    protocol = study.protocol
    taken = file_taken(study)
    return {
        "asked": study.dimensions,
        "file": None if taken is None else asdict(taken),
        "derived": study.derived,
        "frozen": study.frozen,
        "dimensions": [
            {**as_fields(one), "version": one.version, "own": one.key in protocol.own}
            for one in protocol.values()
        ],
    }


@says(
    "What is asked, as the file that the page gives out.",
    role=Role.RESEARCHER,
    gives=("application/yaml",),
    tag="dimensions",
)
def read_protocol(entered: Access) -> HttpResponse:
    text = write(wordings.file_of(entered.study))
    return HttpResponse(text, content_type="application/yaml; charset=utf-8")
