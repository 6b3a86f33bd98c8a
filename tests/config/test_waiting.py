"""A page does not wait for ever for what another holds, and says so."""

import threading

import pytest
from django.db import OperationalError, connection, transaction
from django.test import RequestFactory

from annotate.models import Study
from annotate.web.error_pages import server_error
from config import waiting

pytestmark = pytest.mark.postgresql


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has a limit of its own")
def test_a_web_processs_connection_gives_up_waiting(study, monkeypatch):
    monkeypatch.setattr(waiting, "LOCK_SECONDS", 1)
    held, over, found = threading.Event(), threading.Event(), []

    def hold():
        with transaction.atomic():
            Study.objects.select_for_update().get(pk=study.pk)
            held.set()
            over.wait(30)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(30)
    waiting.limit_lock_waits(connection)
    try:
        with pytest.raises(OperationalError) as refused, transaction.atomic():
            Study.objects.select_for_update().get(pk=study.pk)
    finally:
        over.set()
        holder.join()
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
    try:
        raise refused.value
    except OperationalError:
        found.append(server_error(RequestFactory().get("/studies/")))
    assert found[0].status_code == 503
    assert "Nothing was changed" in found[0].content.decode()


def test_what_a_page_says_where_something_is_held():
    class LockedError(Exception):
        sqlstate = "55P03"

    try:
        raise OperationalError from LockedError()
    except OperationalError:
        page = server_error(RequestFactory().get("/studies/"))
        told = server_error(RequestFactory().get("/api/studies/"))
    assert (page.status_code, told.status_code) == (503, 503)
    assert "Try again in a minute" in page.content.decode()
