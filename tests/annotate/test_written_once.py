"""Statements whose SQL is written once: what they find is what Django's own would find."""

from datetime import timedelta
from functools import lru_cache, partial

import pytest
from django.db import connection
from django.db.models import Count, DateTimeField, IntegerField, Q, QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from psycopg import _queries

from annotate.models import Assignment, Judgment, Sum, Unit, User, written_once
from annotate.models.written_once import MOST_VALUES, AskedOnce, ChangedOnce
from annotate.services.bulk import put
from tests.annotate.concurrency import at_once
from tests.annotate.loading import load, response
from tests.annotate.rating import answer, at, finish, open_work, take
from tests.annotate.test_desk import VERMILION_1
from tests.beginnings import beginning

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]

STATEMENTS = {"a save": 6, "a changed answer": 10, "a finish": 18, "a task's page": 7}
"""The most that each may take, savepoints and those of a test's own among them."""


@beginning
def parts(study):
    load(
        study,
        [
            response("One [1]. Two [1][2].", question_id="q1"),
            response("Three [1].", question_id="q2"),
        ],
    )
    return study


@pytest.mark.skipif(
    "connection.vendor != 'postgresql'", reason="SQLite takes statements as they are"
)
def test_a_long_statement_is_split_once(parts, monkeypatch):
    split = []

    def counted(*written):
        split.append(written)
        return _queries._query2pg_nocache(*written)

    monkeypatch.setattr(written_once, "_query2pg", lru_cache(counted))
    ask = AskedOnce(
        lambda of: Unit.objects.filter(response=of).select_related(
            "response__question__study", "source__passage", "parent__response__upload__study"
        ),
        of=IntegerField(),
    )
    first, second = parts.responses.order_by("pk")
    for one in (first, second, first):
        assert {unit.response for unit in ask(of=one.pk)} == {one}
    [(sql, _)] = split
    assert len(sql) > _queries.MAX_CACHED_STATEMENT_LENGTH


def test_it_finds_what_its_values_ask_for_every_time(parts):
    ask = AskedOnce(
        lambda of, key: (
            Unit.objects.filter(Q(key=key) | Q(key="r"), response=of)
            .select_related("response__question")
            .order_by("pk")
        ),
        of=IntegerField(),
        key=Unit._meta.get_field("key"),
    )
    for one in (*parts.responses.all(), *parts.responses.all()):
        for key in ("s1", "s2", "none"):
            plain = Unit.objects.filter(Q(key=key) | Q(key="r"), response=one).order_by("pk")
            found = ask(of=one.pk, key=key)
            assert found == list(plain)
            assert {unit.response.question for unit in found} == {one.question}
            assert ask.first(of=one.pk, key=key) == plain.first()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert all(unit.response.question.text for unit in ask(of=one.pk, key="s1"))
    assert len(asked) == 1


def test_columns_groups_and_conditions_on_counts(parts):
    ask = AskedOnce(
        lambda least: (
            Unit.objects.order_by()
            .values("response")
            .annotate(n=Count("pk"))
            .filter(n__gte=least)
            .values_list("response", "n")
        ),
        least=IntegerField(),
    )
    sizes = {one.pk: one.units.count() for one in parts.responses.all()}
    for least in (1, max(sizes.values()), 1 + max(sizes.values())):
        assert dict(ask(least=least)) == {pk: n for pk, n in sizes.items() if n >= least}


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30])
def test_a_number_that_no_database_knows_finds_nothing(parts, number):
    ask = AskedOnce(lambda pk: Unit.objects.filter(pk=pk), pk=IntegerField())
    assert ask(pk=number) == []
    assert ask.first(pk=None) is None


def test_a_change_says_how_many_rows_it_changed(parts, rater_of_parts):
    task = rater_of_parts
    renew = ChangedOnce(
        lambda task, at: Assignment.objects.filter(pk=task, lease_until__gt=at),
        ("lease_until",),
        task=IntegerField(),
        at=DateTimeField(),
        lease_until=DateTimeField(),
    )
    until = task.lease_until + timedelta(minutes=5)
    assert renew(task=task.pk, at=timezone.now(), lease_until=until) == 1
    assert renew(task=task.pk, at=until, lease_until=until) == 0
    task.refresh_from_db()
    assert task.lease_until == until


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite keeps no statements so")
@pytest.mark.parametrize(("rows", "kept"), [(3, 1), (MOST_VALUES, 0)])
def test_what_writes_many_rows_is_not_kept_by_the_database(study, rows, kept):
    put(
        [Sum(study_id=study.pk, part="work", of=n, counts={}) for n in range(rows)],
        at=["study_id", "part", "of"],
    )
    assert Sum.objects.filter(study_id=study.pk, part="work").count() == rows
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_prepared_statements "
            "WHERE starts_with(statement, 'INSERT') AND position('annotate_sum' in statement) > 0 "
            "AND regexp_count(statement, '[$]') > %s",
            [0 if rows < MOST_VALUES else MOST_VALUES],
        )
        assert cursor.fetchone() == (kept,)


@pytest.fixture
def rater_of_parts(parts, signed_in, rita):
    return take(signed_in(rita), open_work(parts))


@pytest.mark.django_db(transaction=True)
def test_it_is_asked_after_a_connection_was_closed_and_from_any_thread_and_written_once():
    people = [User.objects.create_user(f"person-{n}") for n in range(4)]
    written = []

    def build(pk):
        written.append(pk)
        return User.objects.filter(pk=pk)

    ask = AskedOnce(build, pk=IntegerField())
    for person in people:
        assert ask(pk=person.pk) == [person]
        connection.close()
    found = at_once([partial(ask, pk=person.pk) for person in people])
    assert {one.username for [one] in found} == {person.username for person in people}
    assert len(written) == 1


def test_what_a_rater_does_takes_few_statements(study, signed_in, rita):
    text = "The Zugspitze is 2,962 metres high [1]. No peak is higher [1][2]."
    load(study, [response(text, question_id=f"q{n}") for n in range(5)])
    batch, client = open_work(study), signed_in(rita)
    task = take(client, batch)
    for _ in range(2):  # the second time, all that is written once is written
        taken = {}
        with CaptureQueriesContext(connection) as asked:
            assert client.get(at(task, "task")).status_code == 200
        taken["a task's page"] = len(asked)
        for step, value in VERMILION_1:
            with CaptureQueriesContext(connection) as asked:
                assert answer(client, task, step, value).status_code == 200
            taken["a save"] = len(asked)
        step, value = VERMILION_1[0]
        other = {"yes": "no", "no": "yes"}.get(value, "1")
        for changed in (other, value):
            with CaptureQueriesContext(connection) as asked:
                assert answer(client, task, step, changed).status_code == 200
            taken["a changed answer"] = len(asked)
        with CaptureQueriesContext(connection) as asked:
            to = finish(client, task).headers["hx-redirect"]
        taken["a finish"] = len(asked)
        task = Assignment.objects.get(pk=to.rstrip("/").rpartition("/")[2])
    assert Judgment.objects.count() == 2 * len(VERMILION_1)
    assert {kind: n for kind, n in taken.items() if n > STATEMENTS[kind]} == {}


def test_what_a_rater_does_builds_no_query_again(study, signed_in, rita, monkeypatch):
    text = "The Zugspitze is 2,962 metres high [1]. No peak is higher [1][2]."
    load(study, [response(text, question_id=f"q{n}") for n in range(4)])
    client = signed_in(rita)
    task = take(client, open_work(study))
    built: list[object] = []

    def rate(task):
        addresses = {name: at(task, name) for name in ("task", "task-answer", "task-finish")}
        built.clear()
        client.get(addresses["task"])
        for step, value in VERMILION_1:
            client.post(addresses["task-answer"], {"step": step, "value": value})
        to = client.post(addresses["task-finish"]).headers["location"]
        return Assignment.objects.get(pk=int(to.rstrip("/").rpartition("/")[2]))

    usual = vars(QuerySet)["_filter_or_exclude"]

    def noted(rows, negate, args, kwargs):
        built.append((args, kwargs))
        return usual(rows, negate, args, kwargs)

    monkeypatch.setattr(QuerySet, "_filter_or_exclude", noted)
    task = rate(rate(task))
    assert built.pop() == ((), {"pk": task.pk})
    assert built == []
