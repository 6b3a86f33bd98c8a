"""How many requests a token may make in a minute, and how programs are told."""

from datetime import timedelta

import pytest
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from annotate.authentication import new_token, token_digest
from annotate.models import ApiToken


@pytest.fixture(autouse=True)
def three_a_minute(settings):
    settings.ATTEST_REQUESTS_PER_MINUTE = 3


@pytest.fixture
def key(study, alice):
    return new_token(alice, "script")


def ask(client, key, name="api-studies-list", **more):
    return client.get(reverse(name, **more), headers={"authorization": f"Bearer {key}"})


def left(answer):
    name, left, seconds = answer["RateLimit"].split(";")
    assert name == '"token"'
    return int(left.removeprefix("r=")), int(seconds.removeprefix("t="))


def test_every_answer_says_what_is_left(client, key):
    first, unknown = ask(client, key), ask(client, key, "api-studies-detail", args=["no-such"])
    assert first["RateLimit-Policy"] == '"token";q=3;w=60'
    assert left(first) == (2, 60)
    assert unknown.status_code == 404
    assert left(unknown)[0] == 1


def test_too_many_are_told_when_to_go_on(client, key):
    assert [ask(client, key).status_code for _ in range(3)] == [200] * 3
    answer = ask(client, key)
    assert answer.status_code == 429
    assert answer.json()["error"]["code"] == "too_many_requests"
    assert left(answer) == (0, int(answer["Retry-After"]))
    assert 0 < int(answer["Retry-After"]) <= 60
    assert ApiToken.objects.get().counted == 3


def test_a_minute_later_all_are_there_again(client, key):
    for _ in range(4):
        ask(client, key)
    ApiToken.objects.update(counted_from=timezone.now() - timedelta(seconds=60))
    assert left(ask(client, key)) == (2, 60)


def test_each_token_has_its_own(client, key, alice):
    for _ in range(4):
        ask(client, key)
    assert ask(client, new_token(alice, "another")).status_code == 200


def test_a_process_that_read_an_older_count_lets_no_more_through(client, key, monkeypatch):
    """Another process counts between this one's look and its own count."""
    ask(client, key)
    before = ApiToken.objects.select_related("user").get(digest=token_digest(key))
    ask(client, key)
    ask(client, key)
    monkeypatch.setattr(QuerySet, "first", lambda rows: before)
    assert ask(client, key).status_code == 429


def test_it_costs_no_statement(client, key, django_assert_num_queries, settings):
    with django_assert_num_queries(3):
        ask(client, key)
    settings.ATTEST_REQUESTS_PER_MINUTE = 0
    with django_assert_num_queries(3):
        ask(client, key)
