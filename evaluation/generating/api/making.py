"""What can be made of a study, for programs: the same forms and services as the pages."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.models import Role, Scope
from annotate.web.api.pagination import pages
from annotate.web.api.queries import as_query, refuse_invalid
from annotate.web.api.viewsets import ReadMixin, StudyViewSet, post
from evaluation.access import making_of
from evaluation.language_models.costs import spent
from evaluation.models import Making
from evaluation.runs import making
from evaluation.runs.api.runs import BudgetSerializer, CostSerializer, OptionsField
from evaluation.runs.making import MAKERS, made_at, title_of


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


class MadeTableSerializer(serializers.Serializer[Any]):
    title = serializers.CharField()
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(
        child=serializers.ListField(child=serializers.JSONField()),
        help_text="Cells are texts, whole numbers, or figures with value and reason.",
    )


class MakingSerializer(serializers.ModelSerializer[Making]):
    title = serializers.SerializerMethodField()
    budget = serializers.FloatField(allow_null=True)
    spent = serializers.SerializerMethodField()
    said = serializers.SerializerMethodField(help_text="The result.")
    tables = serializers.SerializerMethodField()
    made = serializers.SerializerMethodField(help_text="The system that was made.")
    page = serializers.SerializerMethodField(help_text="The page that shows it.")

    class Meta:
        model = Making
        fields = [
            "id",
            "what",
            "title",
            "options",
            "queue",
            "state",
            "phase",
            "done",
            "total",
            "budget",
            "spent",
            "said",
            "tables",
            "made",
            "page",
            "error",
            "created_at",
            "finished_at",
        ]

    def get_title(self, found: Making) -> str:
        return title_of(found)

    @extend_schema_field(CostSerializer(allow_null=True))
    def get_spent(self, found: Making) -> Any:
        cost = spent(found)
        return None if cost is None else asdict(cost)

    def get_said(self, found: Making) -> list[str]:
        return list(found.result.get("lines", []))

    @extend_schema_field(MadeTableSerializer(many=True))
    def get_tables(self, found: Making) -> Any:
        return found.result.get("tables", [])

    def get_made(self, found: Making) -> int | None:
        key: int | None = found.result.get("key")
        return key

    def get_page(self, found: Making) -> str:
        return made_at(found)


class MakingViewSet(ListModelMixin, ReadMixin, StudyViewSet):
    """What is made of the study by workers: systems, claims, scorers, numbers; the newest first."""

    role = Role.VIEWER
    roles = {"create": Role.RESEARCHER, "destroy": Role.RESEARCHER}
    needs = Scope.RUN
    find = making_of
    lookup_url_kwarg = "making_id"
    serializer_class = MakingSerializer
    bodies = {"create": NewMakingSerializer}
    counts = ("phase", "done", "total", "spent")
    pagination_class = pages("makings", newest_first=True)

    def get_queryset(self) -> Any:
        return Making.objects.filter(study=self.study).select_related("study")

    def create(self, request: Request, **names: Any) -> Response:
        """Have a system, claims, a scorer or numbers made. Who asks meanwhile for the same gets
        it."""
        given = self.given()
        maker = MAKERS[given["what"]]
        usual = {name: field.initial for name, field in maker.form(self.entered).fields.items()}
        unknown = sorted(set(given["options"]) - set(usual))
        if unknown:
            expected = f"Expected some of {', '.join(usual)}; found “{unknown[0]}”."
            raise serializers.ValidationError({"options": [expected]})
        asked = {name: _typed(value) for name, value in given["options"].items()}
        form = maker.form(self.entered, as_query({**usual, **asked}))
        refuse_invalid(form)
        return self.reply(making.order(self.study, maker.key, form.kept(), by=self.user))

    def destroy(self, request: Request, **names: Any) -> Response:
        """Remove what is over from the list. What was made stays."""
        making.remove(self.get_object())
        return self.reply()

    @post(role=Role.RESEARCHER)
    def cancel(self, request: Request, **names: Any) -> Response:
        """Stop it, and take back what is not whole."""
        making.cancel(self.get_object())
        return self.reply(self.get_object())

    @post(role=Role.RESEARCHER, body=BudgetSerializer)
    def retry(self, request: Request, **names: Any) -> Response:
        """Try again what failed or was cancelled, perhaps with another budget."""
        making.retry(self.get_object(), by=self.user, budget=self.given()["budget"])
        return self.reply(self.get_object())


def _typed(value: object) -> object:
    """As somebody would type it: an object's fields one per line."""
    if isinstance(value, dict):
        return "\n".join(f"{name}={one}" for name, one in value.items())
    return value
