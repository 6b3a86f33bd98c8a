"""One address for programs: what it says of itself, and what holds for every address.

A function answers one method. It is given the study that was entered (or, where the address names
none, the person), what the address names, and what was checked: `asked` of the query, `given` of
the body. What it returns is sent as JSON, unless it is a response already.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from django.db import transaction
from django.db.models import Model, QuerySet
from django.forms import BaseForm
from django.http import QueryDict
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request, clone_request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate import access
from annotate.api.errors import ChangedError, ErrorSerializer, TooManyError
from annotate.api.parsing import JSON_ALONE, JSON_OR_FORM
from annotate.api.repeating import KEY, once
from annotate.models import Allowance, Role, Scope, Study, User

Shape = type[serializers.Serializer[Any]]
Answering = Callable[..., Any]

MOST_LISTED = 100
MOST_KEY = 2**63 - 1
ERRORS = dict.fromkeys(("4XX", "5XX"), ErrorSerializer)
"""What any address may answer instead."""

EDITING = {"PATCH", "PUT", "DELETE"}
IF_MATCH = OpenApiParameter(
    "If-Match",
    location=OpenApiParameter.HEADER,
    description="The `ETag` of what was read: where it was changed since, the answer is 412. What "
    "was only counted on meanwhile does not matter.",
)
ETAG = OpenApiParameter(
    "ETag",
    location=OpenApiParameter.HEADER,
    response=[200],
    description="Names what was told. Send it as `If-Match` to change that and nothing newer.",
)

_CONTENT = {"application/yaml": OpenApiTypes.ANY}
"""What can be read without knowing what is in it; other files are just bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What answers one method of an address, and all that is said of it."""

    answer: Answering
    text: str
    role: Role = Role.RATER
    enter: Callable[..., access.Access] | None = None
    """How the study is entered, where that is not by a role."""

    needs: Scope = Scope.ADMIN
    """The scope without which a token does not write here; reading needs no more than `read`."""

    takes: Shape | None = None
    query: Shape | None = None
    gives: Any = None
    """A serializer, or the media types of a file."""

    status: int = 200
    also: Mapping[int, Any] = field(default_factory=dict)
    parsers: tuple[Any, ...] = JSON_ALONE
    tag: str = ""
    edits: bool = False
    """Of a `POST`: whether it changes what the `GET` tells."""

    counts: Sequence[str] = ()
    """Of a `GET`: what it tells that changes by itself, as others rate or a worker goes on. Nobody
    edits that, so it stands in the way of no edit."""

    @property
    def name(self) -> str:
        return self.answer.__name__

    def is_edit(self, method: str | None) -> bool:
        """Whether it changes or deletes what is told at its address."""
        return self.edits or method in EDITING

    @property
    def responses(self) -> dict[Any, Any]:
        kinds = self.gives if isinstance(self.gives, tuple) else ()
        files = {(self.status, kind): _CONTENT.get(kind, OpenApiTypes.BINARY) for kind in kinds}
        return {**(files or {self.status: self.gives}), **self.also, **ERRORS}


def says(text: str, **options: Any) -> Callable[[Answering], Operation]:
    """Above a function that answers: what it does, and what it takes and gives."""

    def said(answer: Answering) -> Operation:
        return Operation(answer=answer, text=text, **options)

    return said


class Endpoint(APIView):
    """What all addresses for programs have in common."""

    operations: ClassVar[Mapping[str, Operation]] = {}
    edited: ClassVar[Operation | None] = None
    """What tells the thing that is changed here, so that programs are told which version it is."""

    allowance: Allowance | None = None
    """Of the token that came; who is signed in is not counted."""

    @property
    def writing_needs(self) -> Scope:
        found = self.operations.get(self.request.method or "")
        return found.needs if found else Scope.ADMIN

    def perform_authentication(self, request: Request) -> None:
        super().perform_authentication(request)
        self.allowance = getattr(request.auth, "allowance", None)
        if self.allowance is not None and not self.allowance.holds:
            raise TooManyError(wait=self.allowance.seconds)

    def finalize_response(
        self, request: Request, response: Any, *given: Any, **named: Any
    ) -> Response:
        """With every answer, a refusal among them, it is told what the token may still ask for."""
        answer = super().finalize_response(request, response, *given, **named)
        if (told := self.allowance) is not None:
            answer["RateLimit-Policy"] = f'"token";q={told.most};w=60'
            answer["RateLimit"] = f'"token";r={told.left};t={told.seconds}'
        return answer

    def enter(self, operation: Operation, request: Request, slug: str | None) -> Any:
        """The study that the address names, to whoever may come in; without one, who asks."""
        if slug is None:
            return request.user
        if operation.enter is not None:
            return operation.enter(request.user, slug)
        return access.enter(request.user, slug, operation.role)

    def answer(
        self, operation: Operation, request: Request, slug: str | None = None, **named: Any
    ) -> HttpResponseBase:
        who = self.enter(operation, request, slug)

        def act() -> HttpResponseBase:
            return self.act(who, operation, request, **named)

        def edit() -> HttpResponseBase:
            return self.edit(act, request, slug=slug, **named)

        acting = edit if self.edited and operation.is_edit(request.method) else act
        return once(request, acting) if request.method == "POST" else acting()

    def act(
        self, who: Any, operation: Operation, request: Request, **named: Any
    ) -> HttpResponseBase:
        checked = {}
        _refuse_unknown(operation.query, request.query_params)
        if operation.query is not None:
            checked["asked"] = valid(operation.query(data=request.query_params))
        if request.method not in SAFE_METHODS:
            sent = request.data  # what cannot be read is refused, also where nothing is taken
        if operation.takes is not None:
            is_part = request.method == "PATCH"
            checked["given"] = valid(operation.takes(data=sent, partial=is_part))
        found = operation.answer(who, **named, **checked)
        if isinstance(found, HttpResponseBase):
            return found
        answer = Response(found, status=operation.status)
        if self.edited is not None and _is_tagged(operation, request.method, self.edited):
            answer["ETag"] = tag_of(found, self.edited.counts)
        return answer

    def edit(
        self, act: Callable[[], HttpResponseBase], request: Request, **named: Any
    ) -> HttpResponseBase:
        """Change or delete what stands at the address, if it is still what the program read: what a
        `GET` gives is compared, but for its counts, while the study is locked, as services lock
        it, or, of what is somebody's own, the person."""
        wanted = request.headers.get("If-Match", "*")
        if wanted == "*" or self.edited is None:
            return act()
        with transaction.atomic():
            if named["slug"] is None:
                User.objects.select_for_update(no_key=True).get(
                    pk=self.enter(self.edited, request, None).pk
                )
            else:
                Study.objects.select_for_update(no_key=True).filter(slug=named["slug"]).first()
            present = self.answer(self.edited, clone_request(request, "GET"), **named)
            if _edit_of(present["ETag"]) not in map(_edit_of, wanted.split(",")):
                raise ChangedError
            return act()


def tag_of(told: Any, counts: Sequence[str]) -> str:
    """Names what is told, as it is sent: first what can be edited, then the counts beside it. So
    whoever keeps an answer sees that it is an old one, and an edit compares the first alone."""
    if not counts:
        return f'"{_digest(told)}"'
    kept = {name: value for name, value in told.items() if name not in counts}
    beside = {name: told[name] for name in counts if name in told}
    return f'"{_digest(kept)}.{_digest(beside)}"'


def _digest(told: Any) -> str:
    return hashlib.sha256(JSONRenderer().render(told)).hexdigest()[:32]


def _edit_of(tag: str) -> str:
    """The part of a tag that names what can be edited. `W/` is put before the tag of what is sent
    compressed, which is the same."""
    return tag.strip().removeprefix("W/").strip('"').partition(".")[0]


def _is_tagged(operation: Operation, method: str | None, edited: Operation) -> bool:
    """Whether it answers with what is edited."""
    if method == "DELETE" or operation.status != edited.status:
        return False
    return method in ("GET", "PATCH", "PUT") or (
        operation.edits and operation.gives == edited.gives
    )


def valid(form: serializers.Serializer[Any]) -> Any:
    """What was sent, where all of it can be accepted."""
    form.is_valid(raise_exception=True)
    return form.validated_data


def _refuse_unknown(query: Shape | None, sent: Mapping[str, Any]) -> None:
    """A filter whose name is mistyped would find everything, as would one without a value."""
    known = query().fields if query is not None else {}
    expected = f"Expected one of {', '.join(known)}" if known else "Expected nothing in the query"
    faults = {name: [f"{expected}; found “{name}”."] for name in sent if name not in known}
    for name in {*known} & {*sent}:
        if sent[name] == "" and not getattr(known[name], "allow_blank", False):
            faults[name] = ["Expected a value, found none. Leave it out instead."]
    if faults:
        raise serializers.ValidationError(faults)


def address(
    *, of: Operation | None = None, **operations: Operation
) -> Callable[..., HttpResponseBase]:
    """The view of an address, with what answers each method: `address(GET=…, POST=…)`. What is
    edited there is what its `GET` tells, or another address (`of`)."""
    taking = next((one for one in operations.values() if one.takes), None)
    edits = any(one.is_edit(name) for name, one in operations.items())
    edited = operations.get("GET", of) if edits else None
    made: dict[str, Any] = {
        "operations": operations,
        "edited": edited,
        "parser_classes": taking.parsers if taking else JSON_OR_FORM,
        "__doc__": next(iter(operations.values())).text,
        "__module__": __name__,
    }
    for method, one in operations.items():
        made[method.lower()] = _handler(one, method, edited)
    name = "_".join(one.name for one in operations.values())
    return type(name, (Endpoint,), made).as_view()  # type: ignore[no-any-return,attr-defined]


def _handler(
    operation: Operation, method: str, edited: Operation | None
) -> Callable[..., HttpResponseBase]:
    def handler(self: Endpoint, request: Request, **named: Any) -> HttpResponseBase:
        return self.answer(operation, request, **named)

    parameters: list[Any] = [operation.query] if operation.query else []
    parameters += [KEY] * (method == "POST")
    if edited is not None:
        parameters += [IF_MATCH] * operation.is_edit(method)
        parameters += [ETAG] * _is_tagged(operation, method, edited)
    described: Callable[..., HttpResponseBase] = extend_schema(
        operation_id=operation.name,
        summary=operation.text.partition(". ")[0].rstrip("."),
        description=operation.text,
        parameters=parameters,
        request=operation.takes,
        responses=operation.responses,
        tags=[operation.tag] if operation.tag else None,
    )(handler)
    return described


# Lists ------------------------------------------------------------------------------------------


def key(text: str, **options: Any) -> serializers.IntegerField:
    """The key of a row, as far as databases have such."""
    options = {"required": False, "help_text": text, **options}
    return serializers.IntegerField(min_value=1, max_value=MOST_KEY, **options)


class AfterSerializer(serializers.Serializer[Any]):
    """Where a page of a list begins."""

    after = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=2**63 - 1,
        help_text="The `after` of the page before.",
    )


class PageSerializer(AfterSerializer):
    """Which part of a list is wanted."""

    limit = serializers.IntegerField(
        default=MOST_LISTED, min_value=1, max_value=MOST_LISTED, help_text="At most so many."
    )


def cut(
    rows: QuerySet[Any], asked: Mapping[str, Any], *, newest: bool = False
) -> tuple[list[Any], int | None]:
    """The rows of one page, by their keys, and after which one the next begins, if one does."""
    after, limit = asked.get("after"), asked["limit"]
    if after is not None:
        rows = rows.filter(pk__lt=after) if newest else rows.filter(pk__gt=after)
    found: list[Model] = list(rows.order_by("-pk" if newest else "pk")[: limit + 1])
    return found[:limit], found[limit - 1].pk if len(found) > limit else None


def listed(name: str, of: Any, /, **fields: serializers.Field[Any, Any, Any, Any]) -> Shape:
    """The shape of a page of a list: the rows under their name, and where the next page begins."""
    title = "".join(word.title() for word in name.split("_"))
    rows = of(many=True) if isinstance(of, type) else serializers.ListField(child=of)
    after = serializers.IntegerField(
        allow_null=True, help_text="Where the next page begins; null where there is none."
    )
    return shape(f"{title}Page", **{name: rows}, after=after, **fields)


def shape(title: str, /, **fields: Any) -> type[serializers.Serializer[Any]]:
    """What is told, as a serializer of this name."""
    return type(f"{title}Serializer", (serializers.Serializer,), fields)


def as_query(asked: Mapping[str, Any]) -> QueryDict:
    """What was asked, as the page's form of it takes it."""
    query = QueryDict(mutable=True)
    for name, value in asked.items():
        if isinstance(value, list):
            query.setlist(name, value)
        elif value not in (None, False):
            query[name] = "1" if value is True else str(value)
    return query


def refuse_invalid(form: BaseForm) -> None:
    """Tell a program what the page's form would say."""
    if not form.is_valid():
        faults = {name: [str(one) for one in found] for name, found in form.errors.items()}
        raise serializers.ValidationError(faults)
