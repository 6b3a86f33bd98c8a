"""Convert filter forms of pages into queries of the API."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from rest_framework import serializers

from annotate.web.api.pagination import MOST_KEY
from annotate.web.api.viewsets import Shape


def key(text: str, **options: Any) -> serializers.IntegerField:
    """Return the field for an id of a row."""
    options = {"required": False, "help_text": text, **options}
    return serializers.IntegerField(min_value=1, max_value=MOST_KEY, **options)


def query_of(form: type[forms.Form]) -> Shape:
    """Return a serializer with the fields of a filter form. The form validates the values."""

    def get_fields(self: serializers.Serializer[Any]) -> dict[str, Any]:
        return {name: _field(one) for name, one in form.base_fields.items()}

    name = form.__name__.removesuffix("Form") + "Serializer"
    return type(name, (serializers.Serializer,), {"get_fields": get_fields})


def _field(field: forms.Field) -> serializers.Field[Any, Any, Any, Any]:
    options: dict[str, Any] = {"required": False, "help_text": field.help_text or field.label}
    if isinstance(field, forms.ModelChoiceField):
        return key(options["help_text"])
    if isinstance(field, forms.MultipleChoiceField):
        return serializers.ListField(child=serializers.CharField(), **options)
    if isinstance(field, forms.ChoiceField) and field.choices:
        choices: Any = field.choices
        return serializers.ChoiceField(choices, **options)
    if isinstance(field, forms.BooleanField):
        return serializers.BooleanField(**options)
    if isinstance(field, forms.IntegerField):
        options |= {"min_value": field.min_value, "max_value": field.max_value}
        if isinstance(field, forms.FloatField):
            return serializers.FloatField(**options)
        return serializers.IntegerField(**options)
    return serializers.CharField(allow_blank=True, **options)


def as_query(asked: Mapping[str, Any]) -> QueryDict:
    """Return a validated query as data of the form."""
    query = QueryDict(mutable=True)
    for name, value in asked.items():
        if isinstance(value, list):
            query.setlist(name, value)
        elif value not in (None, False):
            query[name] = "1" if value is True else str(value)
    return query


def refuse_invalid(form: forms.BaseForm) -> None:
    """Raise a form's errors as `ValidationError`."""
    if not form.is_valid():
        faults = {name: [str(one) for one in found] for name, found in form.errors.items()}
        raise serializers.ValidationError(faults)
