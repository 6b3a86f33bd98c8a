"""Messages to people, looked for only where somebody has one or asks for them: most of what a
rater's page sends is answered without."""

from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.messages.storage import default_storage
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject, empty


class MessagesWhenAsked(MessageMiddleware):
    def process_request(self, request: HttpRequest) -> None:
        found = SimpleLazyObject(lambda: default_storage(request))
        request._messages = found  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if request._messages._wrapped is empty:  # type: ignore[attr-defined]
            return response
        return super().process_response(request, response)
