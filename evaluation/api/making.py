"""What can be made of a study, for programs: the same forms and services as the pages."""

from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from annotate.access import Access
from annotate.api.endpoint import PageSerializer, as_query, cut, listed, refuse_invalid, says, shape
from annotate.api.parsing import JSON_OR_FORM
from annotate.models import Role, Scope
from evaluation.access import making_of
from evaluation.api.runs import BudgetSerializer, CostSerializer, OptionsField
from evaluation.models import Making
from evaluation.running import making
from evaluation.running.costs import spent
from evaluation.running.making import MAKERS, made_at, title_of


class NewMakingSerializer(serializers.Serializer[Any]):
    what = serializers.ChoiceField(choices=[])
    options = OptionsField(
        default=dict, help_text="As the page's form of it has them; those left out are as there."
    )

    def get_fields(self) -> dict[str, Any]:
        """What can be made is asked when it is needed: packages above this one add to it."""
        fields: dict[str, Any] = super().get_fields()
        fields["what"].choices = list(MAKERS)
        return fields


MakingSerializer = shape(
    "Making",
    id=serializers.IntegerField(),
    what=serializers.CharField(),
    title=serializers.CharField(),
    options=serializers.DictField(),
    queue=serializers.CharField(),
    state=serializers.ChoiceField(Making.State.choices),
    phase=serializers.CharField(allow_blank=True),
    done=serializers.IntegerField(),
    total=serializers.IntegerField(),
    budget=serializers.FloatField(allow_null=True),
    spent=CostSerializer(allow_null=True),
    said=serializers.ListField(child=serializers.CharField(), help_text="What came out."),
    tables=serializers.ListField(
        child=shape(
            "MadeTable",
            title=serializers.CharField(),
            columns=serializers.ListField(child=serializers.CharField()),
            rows=serializers.ListField(
                child=serializers.ListField(child=serializers.JSONField()),
                help_text="Cells are texts, whole numbers, or figures with value and reason.",
            ),
        )()
    ),
    made=serializers.IntegerField(allow_null=True, help_text="The system that was made."),
    page=serializers.CharField(allow_blank=True, help_text="The page that shows it."),
    error=serializers.CharField(allow_blank=True),
    created_at=serializers.DateTimeField(),
    finished_at=serializers.DateTimeField(allow_null=True),
)

HERE: dict[str, Any] = {"role": Role.RESEARCHER, "needs": Scope.RUN, "gives": MakingSerializer}


def as_json(found: Making) -> dict[str, Any]:
    cost = spent(found)
    same = ("what", "options", "queue", "state", "phase", "done", "total", "error")
    return {
        "id": found.pk,
        "title": title_of(found),
        **{name: getattr(found, name) for name in same},
        "budget": None if found.budget is None else float(found.budget),
        "spent": None if cost is None else asdict(cost),
        "said": found.result.get("lines", []),
        "tables": found.result.get("tables", []),
        "made": found.result.get("key"),
        "page": made_at(found),
        "created_at": found.created_at,
        "finished_at": found.finished_at,
    }


@says(
    "What is made of the study by workers: systems, claims, scorers, numbers; the newest first.",
    role=Role.VIEWER,
    query=PageSerializer,
    gives=listed("makings", MakingSerializer),
)
def list_makings(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows = Making.objects.filter(study=entered.study).select_related("study")
    found, after = cut(rows, asked, newest=True)
    return {"makings": [as_json(one) for one in found], "after": after}


@says(
    "Have a system, claims, a scorer or numbers made. Who asks meanwhile for the same gets it.",
    **HERE,
    takes=NewMakingSerializer,
    status=201,
)
def order_making(entered: Access, given: dict[str, Any]) -> dict[str, Any]:
    maker = MAKERS[given["what"]]
    form = maker.form(entered)
    usual = {name: field.initial for name, field in form.fields.items()}
    unknown = sorted(set(given["options"]) - set(usual))
    if unknown:
        expected = f"Expected some of {', '.join(usual)}; found “{unknown[0]}”."
        raise serializers.ValidationError({"options": [expected]})
    asked = {name: _typed(value) for name, value in given["options"].items()}
    form = maker.form(entered, as_query({**usual, **asked}))
    refuse_invalid(form)
    return as_json(making.order(entered.study, maker.key, form.kept(), by=entered.user))


def _typed(value: object) -> object:
    """As somebody would type it: an object's fields one per line."""
    if isinstance(value, dict):
        return "\n".join(f"{name}={one}" for name, one in value.items())
    return value


@says(
    "How far something is that is being made.",
    role=Role.VIEWER,
    gives=MakingSerializer,
    counts=("phase", "done", "total", "spent"),
)
def read_making(entered: Access, making_id: int) -> dict[str, Any]:
    return as_json(making_of(entered, making_id))


@says("Stop it, and take back what is not whole.", **HERE)
def cancel_making(entered: Access, making_id: int) -> dict[str, Any]:
    making.cancel(making_of(entered, making_id))
    return as_json(making_of(entered, making_id))


@says(
    "Try again what failed or was cancelled, perhaps with another budget.",
    **HERE,
    takes=BudgetSerializer,
    parsers=JSON_OR_FORM,
)
def retry_making(entered: Access, making_id: int, given: dict[str, Any]) -> dict[str, Any]:
    making.retry(making_of(entered, making_id), by=entered.user, budget=given["budget"])
    return as_json(making_of(entered, making_id))


@says(
    "Remove what is over from the list. What was made stays.",
    role=Role.RESEARCHER,
    needs=Scope.RUN,
    status=204,
)
def remove_making(entered: Access, making_id: int) -> None:
    making.remove(making_of(entered, making_id))
