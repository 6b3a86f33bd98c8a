"""Connections: made, changed and removed here, and opened for those who may use them."""

import secrets

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from annotate.access import is_researcher_of, may_own_connections
from annotate.models import Study, User
from annotate.outgoing import EVERYWHERE
from annotate.services.errors import Refused
from evaluation.entailment import Door
from evaluation.entailment.door import Mode, address_fault, environment_key, key_fault
from evaluation.models import Connection
from evaluation.outside.sealing import opened, sealed

WHO_MAKES_THEM = (
    "Whoever runs this installation makes connections, with “manage.py connection add”."
)


def usable(study: Study, by: User | None, *, by_operator: bool = False) -> QuerySet[Connection]:
    """The connections that somebody may use in a study; the operator may use all of his own. What
    was lent to somebody, or is their own, is used while they are a researcher of the study."""
    found = Connection.objects.all()
    if by_operator:
        return found.filter(owner__isnull=True)
    if by is not None and not is_researcher_of(by, study):
        by = None
    lent = Q(everybody=True) | Q(pk__in=study.connections.all())
    if by is not None:
        lent |= Q(pk__in=by.lent_connections.all())
    may = Q(lent, owner__isnull=True)
    if by is not None and may_own_connections(by):
        may |= Q(owner=by)
    return found.filter(may)


def own_connections(user: User) -> QuerySet[Connection]:
    """Those that a researcher made."""
    return Connection.objects.filter(owner=user)


def door_to(connection: Connection) -> Door:
    """The way through a connection, with its key."""
    key = environment_key() if connection.environment_key else opened(connection.sealed_key)
    return Door(
        url=connection.url,
        key=key,
        mode=_mode(connection),
        model=connection.model,
        connection=connection.name,
        edition=connection.edition,
        allowed=EVERYWHERE if connection.inner else settings.ATTEST_CALLED_NETWORKS,
    )


def _mode(connection: Connection) -> Mode:
    return "chat" if connection.mode == Connection.Mode.CHAT else "pairs"


def save(connection: Connection, *, key: str | None = None) -> Connection:
    """Keep a new or a changed connection; `key` None leaves the key as it is, empty takes it away.

    A kept key does not follow to another address: it must be given again.
    """
    _refuse_faults(connection, key or "")
    try:
        with transaction.atomic():
            # What is kept now: `connection` was read earlier, and may hold the key of before.
            before = Connection.objects.select_for_update().filter(pk=connection.pk).first()
            kept = before.sealed_key if before else ""
            if key is None and before and kept and before.url != connection.url:
                raise Refused("Give the key again: it is not sent to another address unasked.")
            connection.sealed_key = kept if key is None else sealed(key)
            same = before is not None and _model_of(before) == _model_of(connection)
            connection.edition = before.edition if before and same else secrets.token_hex(6)
            connection.save()
    except IntegrityError:
        raise Refused(f"There is a connection “{connection.name}” already.") from None
    return connection


def _model_of(connection: Connection) -> tuple[str, str, str]:
    return connection.url, connection.mode, connection.model


def _refuse_faults(connection: Connection, key: str) -> None:
    fault = address_fault(connection.url, "give the key") or key_fault(key)
    if not fault and not (connection.name.strip() and connection.name.isprintable()):
        fault = "Expected a name of visible signs."
    if not fault and connection.mode == Connection.Mode.CHAT and not connection.model:
        fault = "The mode chat needs the model that is to answer."
    if fault:
        raise Refused(fault)


def lend(
    connection: Connection, *, everybody: bool, studies: list[Study], people: list[User]
) -> None:
    """Say who may use one of the operator's."""
    with transaction.atomic():
        connection.everybody = everybody
        connection.save(update_fields=["everybody"])
        connection.studies.set(studies)
        connection.people.set(people)


def remove(connection: Connection) -> None:
    """Forget a connection with its key. What was judged through it stays."""
    connection.delete()


def seal_again() -> int:
    """Encrypt all keys with the first of the secrets; how many there are."""
    with transaction.atomic():
        found = list(Connection.objects.select_for_update().exclude(sealed_key=""))
        for connection in found:
            connection.sealed_key = sealed(opened(connection.sealed_key))
            connection.save(update_fields=["sealed_key"])
    return len(found)
