"""Base classes of the API: access, request bodies and queries, and versions of edited objects.

An `ApiViewSet` is a viewset of REST framework. In addition to `serializer_class`, it names the
serializers of request bodies (`bodies`, by action), the role in the study and the token's scope.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from django.db import transaction
from django.http.response import HttpResponseBase
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.viewsets import GenericViewSet

from annotate import access
from annotate.access import Access
from annotate.models import Allowance, Role, Scope, Study, User
from annotate.web.api.errors import ChangedError, TooManyError
from annotate.web.api.parsing import JSON_ALONE, JSON_OR_FORM
from annotate.web.api.repeating import once

Shape = type[serializers.Serializer[Any]]

EDITING = ("update", "partial_update", "destroy")


class ApiViewSet(GenericViewSet[Any]):
    """Base of addresses outside a study. `StudyViewSet` is for addresses of a study."""

    role = Role.RATER
    roles: ClassVar[Mapping[str, Role]] = {}
    """The roles of actions that need another one than `role`."""

    needs = Scope.ADMIN
    """The scope that a token needs to write here; reading needs `read`."""

    find: ClassVar[Callable[..., Any]]
    """The function in `access` that fetches one object."""

    body: Shape | None = None
    bodies: ClassVar[Mapping[str, Shape]] = {}
    """Request bodies: `body` of an extra action, `bodies` of the usual ones."""

    query: Shape | None = None
    queries: ClassVar[Mapping[str, Shape]] = {}
    """Queries of addresses: `query` of an extra action, `queries` of the usual ones."""

    answers: ClassVar[Mapping[str, Any]] = {}
    """The serializers of actions that do not answer with `serializer_class`."""

    status = 0
    statuses: ClassVar[Mapping[str, int]] = {"create": 201, "destroy": 204}
    media_types: Sequence[str] = ()
    """The types of an action that answers with a file."""

    other_responses: ClassVar[Mapping[int, Any]] = {}
    tag = ""
    edits = False
    """Whether an extra action changes what `retrieve` returns."""

    counts: Sequence[str] = ()
    """Fields that change while others rate or a worker runs. The version that an edit compares
    does not include them."""

    allowance: Allowance | None = None
    """The rate limit of the request's token; None for a browser's session."""

    lookup_value_converter = "int"
    parser_classes: Any = JSON_ALONE
    pagination_class: Any = None
    filter_backends: Any = (DjangoFilterBackend,)

    # Coming in ----------------------------------------------------------------------------------

    def perform_authentication(self, request: Request) -> None:
        super().perform_authentication(request)
        self.allowance = getattr(request.auth, "allowance", None)
        if self.allowance is not None and not self.allowance.holds:
            raise TooManyError(wait=self.allowance.seconds)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        method = str(request.method).lower()
        if self.action in {None, "metadata"}:
            return
        self.enter(request, **kwargs)
        handler = getattr(self, method)

        def act(request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
            self.refuse_unknown()
            if method not in {"get", "head"}:
                _ = request.data  # refuse an unreadable body, even if the action needs none
            return self.tagged(handler(request, *args, **kwargs))

        def edit(request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
            def edited() -> HttpResponseBase:
                return self.compared(lambda: act(request, *args, **kwargs))

            return once(request, edited) if method == "post" else edited()

        setattr(self, method, edit)

    def enter(self, request: Request, **kwargs: Any) -> None:
        """Refuse a person without access."""

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        """Add the token's rate limit to every response, also to errors."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        if (limit := self.allowance) is not None:
            answer["RateLimit-Policy"] = f'"token";q={limit.most};w=60'
            answer["RateLimit"] = f'"token";r={limit.left};t={limit.seconds}'
        return answer

    @property
    def writing_needs(self) -> Scope:
        """The scope to write here; the highest one if no action handles the method."""
        return self.needs if self.action else Scope.ADMIN

    @property
    def user(self) -> User:
        user = self.request.user
        assert isinstance(user, User)
        return user

    # Taking and answering -----------------------------------------------------------------------

    @property
    def success_status(self) -> int:
        return self.status or {**ApiViewSet.statuses, **self.statuses}.get(self.action, 200)

    def get_body_class(self) -> Shape | None:
        return self.body or self.bodies.get(self.action)

    def get_query_class(self) -> Shape | None:
        return self.query or self.queries.get(self.action)

    def get_serializer_class(self) -> Any:
        return self.answers.get(self.action, self.serializer_class)

    def get_object(self) -> Any:
        return type(self).find(self.user, self.kwargs[str(self.lookup_url_kwarg)])

    def given(self) -> dict[str, Any]:
        """Return the validated body of the request."""
        form = self.get_body_class()
        assert form is not None
        partial = self.request.method == "PATCH"
        return dict(valid(form(data=self.request.data, partial=partial)))

    def asked(self) -> dict[str, Any]:
        """Return the validated query of the request."""
        form = self.get_query_class()
        assert form is not None
        return dict(valid(form(data=self.request.query_params)))

    def reply(self, found: Any = None) -> Response:
        """Return a response with an object in the action's serializer, or without content."""
        data = None if found is None else self.get_serializer(found).data
        return Response(data, status=self.success_status)

    def read(self) -> Any:
        """Return the data of `retrieve`, which an edit compares."""
        serializer = self.answers.get("retrieve", type(self).serializer_class)
        return serializer(self.get_object(), context=self.get_serializer_context()).data

    def refuse_unknown(self) -> None:
        """Refuse unknown and empty filters, which would match everything."""
        sent, known = self.request.query_params, self.query_fields()
        expected = (
            f"Expected one of {', '.join(known)}" if known else "Expected nothing in the query"
        )
        faults = {name: [f"{expected}; found “{name}”."] for name in sent if name not in known}
        for name in {*known} & {*sent}:
            if sent[name] == "" and not getattr(known[name], "allow_blank", False):
                faults[name] = ["Expected a value, found none. Leave it out instead."]
        if faults:
            raise serializers.ValidationError(faults)

    def query_fields(self) -> dict[str, Any]:
        """Return the fields that a query may have here."""
        form = self.get_query_class()
        known: dict[str, Any] = dict(form().fields) if form else {}
        if self.action == "list" and self.pagination_class is not None:
            filters = getattr(self, "filterset_class", None)
            known |= filters.base_filters if filters else {}
            known |= self.pagination_class.query().fields
        return known

    # Versions -----------------------------------------------------------------------------------

    @property
    def has_edits(self) -> bool:
        return any(hasattr(self, name) for name in EDITING)

    @property
    def is_edit(self) -> bool:
        return self.edits or self.action in EDITING

    @property
    def is_tagged(self) -> bool:
        """Whether it returns the edited object."""
        shown = self.answers.get("retrieve", type(self).serializer_class)
        is_same = self.is_edit and self.action != "destroy" and self.get_serializer_class() is shown
        return self.has_edits and (self.action == "retrieve" or is_same)

    def tagged(self, answer: HttpResponseBase) -> HttpResponseBase:
        if self.is_tagged and isinstance(answer, Response):
            answer["ETag"] = tag_of(answer.data, self.counts)
        return answer

    def compared(self, act: Callable[[], HttpResponseBase]) -> HttpResponseBase:
        """Edit the object if it is still the version that the program read (`If-Match`).

        The data of a `GET` is compared without `counts`, under the lock that services take.
        """
        wanted = self.request.headers.get("If-Match", "*")
        if wanted == "*" or not self.is_edit:
            return act()
        with transaction.atomic():
            self.lock()
            if _edit_of(tag_of(self.read(), self.counts)) not in map(_edit_of, wanted.split(",")):
                raise ChangedError
            return act()

    def lock(self) -> None:
        User.objects.select_for_update(no_key=True).get(pk=self.user.pk)


class StudyViewSet(ApiViewSet):
    """Addresses of a study, for members with the role that is needed."""

    entered: Access

    def enter(self, request: Request, **kwargs: Any) -> None:
        role = self.roles.get(self.action, self.role)
        self.entered = access.enter(self.user, kwargs["slug"], role)

    def get_object(self) -> Any:
        return type(self).find(self.entered, self.kwargs[str(self.lookup_url_kwarg)])

    @property
    def study(self) -> Study:
        return self.entered.study

    def lock(self) -> None:
        Study.objects.select_for_update(no_key=True).get(pk=self.study.pk)


class DeskViewSet(StudyViewSet):
    """Base of the desk's addresses, for members who rate."""

    needs = Scope.RATE
    tag = "desk"

    def enter(self, request: Request, **kwargs: Any) -> None:
        self.entered = access.enter_to_rate(self.user, kwargs["slug"])


class ReadMixin:
    """One object of a list."""

    def retrieve(self, request: Request, **names: Any) -> HttpResponseBase:
        """One of them."""
        return Response(self.read())  # type: ignore[attr-defined]


def get(**options: Any) -> Callable[[Any], Any]:
    """Declare an extra address below the list for GET."""
    return action(**{"detail": False, **options})


def post(**options: Any) -> Callable[[Any], Any]:
    """Declare an extra address below an object for POST."""
    return action(
        **{"detail": True, "methods": ["post"], "parser_classes": JSON_OR_FORM, **options}
    )


READ_AND_POST: dict[str, Any] = {"get": "retrieve", "post": "update"}
"""The methods of an address with a single object that POST edits."""


class Router(SimpleRouter):
    """The addresses of viewsets, with the converters of Django's `path`."""

    def __init__(self, *, trailing_slash: bool = True) -> None:
        super().__init__(trailing_slash=trailing_slash, use_regex_path=False)


def tag_of(data: Any, counts: Sequence[str]) -> str:
    """Return the ETag of data: a digest of editable fields, then one of the counts if any.

    Caches compare both parts, an edit only the first.
    """
    if not counts:
        return f'"{_digest(data)}"'
    editable = {name: value for name, value in data.items() if name not in counts}
    counted = {name: data[name] for name in counts if name in data}
    return f'"{_digest(editable)}.{_digest(counted)}"'


def _digest(data: Any) -> str:
    return hashlib.sha256(JSONRenderer().render(data)).hexdigest()[:32]


def _edit_of(tag: str) -> str:
    """Return the first part of a tag. Compressed responses have `W/` before it."""
    return tag.strip().removeprefix("W/").strip('"').partition(".")[0]


def valid(form: serializers.Serializer[Any]) -> Any:
    """Return the validated data; raise `ValidationError`."""
    form.is_valid(raise_exception=True)
    return form.validated_data
