"""How people come by a batch's link."""

from django.test import Client
from django.urls import reverse

from annotate.models import (
    Batch,
    User,
)
from annotate.people import crowd
from annotate.people.views.crowd import BROWSER
from tests.annotate.desk import batch_of

# Not hexadecimal: the tests that ask that an identifier stands nowhere find it in no key by chance.
PROLIFIC = {"PROLIFIC_PID": "5z3a", "STUDY_ID": "st1", "SESSION_ID": "se1"}
MTURK = {"workerId": "A1B2", "assignmentId": "as1", "hitId": "hi1"}


def open_batch(study, name="Crowd", **more):
    terms = {"audience": Batch.Audience.LINK, "completion_code": "C0DE", "raters_per_item": 2}
    return batch_of(study, name, **terms | more)


def link(batch):
    return reverse("crowd", args=[crowd.batch_code(batch)])


def arrive(batch, external_id="5z3a", **more):
    return crowd.arrive(batch, platform="prolific", external_id=external_id, **more)


def come(batch, sent=PROLIFIC, client=None, **more):
    """Follow the link and press start; the browser that did it."""
    client = client or Client()
    client.get(link(batch), sent)
    answered = client.post(link(batch), sent | more)
    assert answered.status_code == 302, answered.content.decode()
    return client


def same_browser(client):
    """The browser that somebody began in, days later: signed out, and the tab closed."""
    later = Client()
    later.cookies[BROWSER] = client.cookies[BROWSER].value
    return later


def signed_in_as(client):
    return User.objects.get(pk=client.session["_auth_user_id"])


def page(name, batch, client, *, method="get"):
    return getattr(client, method)(reverse(name, args=["peaks", batch.pk]), follow=True)


def text_of(answered):
    return answered.content.decode()
