"""Messages are looked for only where somebody asks, and wait until then."""

from typing import Any

from django.contrib.messages import get_messages, info
from django.http import HttpRequest, HttpResponse
from django.utils.functional import empty

from config.messages import MessagesWhenAsked


def answered(request: Any, view=lambda request: HttpResponse()) -> Any:
    request.session = {}
    return MessagesWhenAsked(view)(request)


def told(text: str) -> Any:
    def view(request: HttpRequest) -> HttpResponse:
        info(request, text)
        return HttpResponse()

    return answered(HttpRequest(), view)


def coming_back(cookies: dict[str, str]) -> Any:
    request = HttpRequest()
    request.COOKIES = cookies
    return request


def shown(request: HttpRequest) -> HttpResponse:
    return HttpResponse(", ".join(map(str, get_messages(request))))


def test_a_message_waits_until_a_page_shows_it():
    cookies = {name: one.value for name, one in told("Saved.").cookies.items()}
    request = coming_back(cookies)
    between = answered(request)
    assert not between.cookies
    assert request._messages._wrapped is empty
    page = answered(coming_back(cookies), shown)
    assert page.content == b"Saved."
    assert [one.value for one in page.cookies.values()] == [""]


def test_who_has_no_message_is_shown_none():
    page = answered(coming_back({}), shown)
    assert page.content == b""
    assert not page.cookies
