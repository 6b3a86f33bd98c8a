"""What raters read, for programs: the guidelines in all their versions, and the examples."""

from typing import Any

from rest_framework import serializers

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import MOST_KEY, PageSerializer, cut, listed, says, shape
from annotate.models import Example, GuidelinesVersion, Role
from annotate.services import examples
from annotate.services.studies import write_guidelines

VersionSerializer = shape(
    "Guidelines",
    number=serializers.IntegerField(),
    text=serializers.CharField(allow_blank=True, help_text="Markdown."),
    created_at=serializers.DateTimeField(),
)
ExampleSerializer = shape(
    "Example",
    id=serializers.IntegerField(),
    response=serializers.IntegerField(),
    unit=serializers.IntegerField(),
    key=serializers.CharField(help_text="The unit's key in its response."),
    dimension=serializers.CharField(),
    value=serializers.CharField(help_text="The right answer."),
    explanation=serializers.CharField(),
)


class TextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(trim_whitespace=False, max_length=1_000_000)


class ChangedExampleSerializer(serializers.Serializer[Any]):
    value = serializers.CharField(max_length=20_000)
    explanation = serializers.CharField(max_length=5_000)


class NewExampleSerializer(ChangedExampleSerializer):
    unit = serializers.IntegerField(min_value=1, max_value=MOST_KEY, help_text="Its id.")
    dimension = serializers.CharField(max_length=30)


def told_version(version: GuidelinesVersion) -> dict[str, Any]:
    return {"number": version.number, "text": version.text, "created_at": version.created_at}


def told_example(example: Example) -> dict[str, Any]:
    return {
        "id": example.pk,
        "response": example.unit.response_id,
        "unit": example.unit_id,
        "key": example.unit.key,
        "dimension": example.dimension,
        "value": example.value,
        "explanation": example.explanation,
    }


@says("The guidelines as they are now.", gives=VersionSerializer)
def read_guidelines(entered: Access) -> dict[str, Any]:
    return told_version(entered.study.current_guidelines)


@says(
    "Write the guidelines anew. That is another version; the same text is none.",
    role=Role.RESEARCHER,
    takes=TextSerializer,
    gives=VersionSerializer,
)
def change_guidelines(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    text = given["text"].replace("\r\n", "\n")
    return told_version(write_guidelines(entered.study, text, entered.user))


@says(
    "Every version of the guidelines, the newest first.",
    query=PageSerializer,
    gives=listed("versions", VersionSerializer),
)
def list_versions(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(entered.study.guidelines.all(), asked, newest=True)
    return {"versions": [told_version(row) for row in rows], "after": after}


@says(
    "The examples in the guidelines.",
    role=Role.RESEARCHER,
    query=PageSerializer,
    gives=listed("examples", ExampleSerializer),
)
def list_examples(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows = Example.objects.filter(
        study=entered.study, unit__response__system__deleted_at__isnull=True
    )
    found, after = cut(rows.select_related("unit"), asked)
    return {"examples": [told_example(row) for row in found], "after": after}


@says(
    "Put a unit into the guidelines, with the right answer and why it is right.",
    role=Role.RESEARCHER,
    takes=NewExampleSerializer,
    gives=ExampleSerializer,
    status=201,
)
def add_example(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    unit = access.unit_of(entered, given.pop("unit"))
    made = examples.add_example(unit, given.pop("dimension"), **given, by=entered.user)
    return told_example(made)


@says("One example.", role=Role.RESEARCHER, gives=ExampleSerializer)
def read_example(entered: Access, example_id: int) -> dict[str, Any]:
    return told_example(access.example_of(entered, example_id))


@says(
    "Change an example's answer or explanation.",
    role=Role.RESEARCHER,
    takes=ChangedExampleSerializer,
    gives=ExampleSerializer,
)
def change_example(entered: Access, example_id: int, given: dict[str, Any]) -> dict[str, Any]:
    example = access.example_of(entered, example_id)
    present = {"value": example.value, "explanation": example.explanation}
    return told_example(examples.change_example(example, **present | given))


@says("Take an example out of the guidelines.", role=Role.RESEARCHER, status=204)
def remove_example(entered: Access, example_id: int) -> None:
    examples.remove_example(access.example_of(entered, example_id))
