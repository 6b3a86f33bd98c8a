"""Idempotency keys: the response to a POST is kept for a day under the program's key."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.core.cache import caches
from django.core.files.uploadedfile import UploadedFile
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.web.errors import Refused
from annotate.web.sealing import opened, sealed

NAME, SEALED_FOR = "Idempotency-Key", "answers to posts"
MOST_CHARS, HOUR = 200, 3600
KEY = OpenApiParameter(
    NAME,
    location=OpenApiParameter.HEADER,
    type={"type": "string", "maxLength": MOST_CHARS},
    description="Any text, a new one for each post: sent again with it, the post is not done again "
    "and the answer is the first one.",
)


def once(request: Request, answer: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Return the response, or the earlier one to the same token and key.

    After an error, the request is executed again. Responses are stored encrypted, because they may
    contain secret links. Access has been checked before.
    """
    named = request.headers.get(NAME, "")
    if not named:
        return answer()
    if len(named) > MOST_CHARS:
        raise serializers.ValidationError({NAME: [f"Expected at most {MOST_CHARS} characters."]})
    token = getattr(request.auth, "pk", "")
    cache, key = caches["default"], f"answered:{request.user.pk}:{token}:{named}"
    asked = {"asked": _digest(request)}
    if not cache.add(key, asked, HOUR):
        return _again(cache.get(key) or {}, asked["asked"])
    try:
        given = answer()
    except BaseException:
        cache.delete(key)
        raise
    data = given.data if isinstance(given, Response) else None
    body = sealed(JSONRenderer().render(data).decode() or "null", SEALED_FOR)
    cache.set(key, {**asked, "status": given.status_code, "body": body}, 24 * HOUR)
    return given


def _again(kept: dict[str, Any], asked: str) -> Response:
    if kept.get("asked", asked) != asked:
        raise Refused(f"This {NAME} was sent with another post. Choose a new one for each.")
    if "body" not in kept:
        raise Refused(
            f"The post of this {NAME} is being answered, or broke off. Wait, and look whether it "
            "was done before you send it with another key."
        )
    body = json.loads(opened(kept["body"], SEALED_FOR))
    return Response(body, status=kept["status"], headers={"Idempotency-Replayed": "true"})


def _digest(request: Request) -> str:
    """Return a digest of a request's path, fields, and names and contents of files."""
    sent = dict(request.data) if isinstance(request.data, dict) else request.data
    text = json.dumps([request.get_full_path(), sent], sort_keys=True, default=_of_file)
    return hashlib.sha256(text.encode()).hexdigest()


def _of_file(one: Any) -> list[str]:
    if not isinstance(one, UploadedFile):
        return [str(one)]
    content = hashlib.sha256()
    for part in one.chunks():
        content.update(part)
    one.seek(0)
    return [one.name or "", content.hexdigest()]
