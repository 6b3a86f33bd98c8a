"""Connections: made, changed and removed here, and opened for those who may use them."""

import re
import secrets
from datetime import timedelta
from pathlib import Path
from typing import get_args

from django.conf import settings
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet

from annotate.access import is_researcher_of, may_own_connections
from annotate.models import Study, User
from annotate.people.leaving import leaving
from annotate.web import audit
from annotate.web.errors import Refused
from annotate.web.sealing import keeps, opened, sealed
from annotate.work.outgoing import EVERYWHERE
from evaluation.judges.entailment import Door
from evaluation.judges.entailment.door import Mode, address_fault, environment_key, key_fault
from evaluation.language_models.asking.refusals import ServerHabits
from evaluation.models import Connection

OF_THE_ENVIRONMENT = "\0 the environment's"
"""What is sealed where the worker's own key is to be sent: that, too, is said for one address. No
key looks like this."""

WHO_MAKES_THEM = "Your administrator creates connections, with “manage.py connection add”."


FAMILY = re.compile(r"[^\W_]([\w .-]{0,58}[^\W_])?")


keeps(Connection, "sealed_key", lambda connection: connection.url)


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


def named(
    name: str, study: Study, by: User | None, *, by_operator: bool = False
) -> Connection | None:
    """The one of these that is called so; of two, one's own. Names of others are their own
    business: whoever asks learns of none, and takes none from anybody."""
    found = usable(study, by, by_operator=by_operator).filter(name=name)
    return found.order_by(F("owner").asc(nulls_last=True)).first()


def own_connections(user: User) -> QuerySet[Connection]:
    """Those that a researcher made."""
    return Connection.objects.filter(owner=user)


def door_to(connection: Connection) -> Door:
    """The way through a connection, with its key."""
    key = opened(connection.sealed_key, connection.url)
    if connection.environment_key != (key == OF_THE_ENVIRONMENT):
        raise Refused(
            f"Nobody said that the connection “{connection.name}” is sent the environment's key. "
            "Give it its key again."
        )
    if connection.environment_key:
        key = environment_key()
    return Door(
        url=connection.url,
        key=key,
        mode=_MODES[connection.mode],
        model=connection.model,
        connection=connection.name,
        edition=connection.edition,
        family=connection.family,
        allowed=EVERYWHERE if connection.inner else settings.ATTEST_CALLED_NETWORKS,
    )


_MODES: dict[str, Mode] = {mode: mode for mode in get_args(Mode)}


def save(connection: Connection, *, key: str | None = None) -> Connection:
    """Keep a new or a changed connection; `key` None leaves the key as it is, empty takes it away.

    A kept key does not follow to another address: it must be given again. What the server refused
    before is forgotten.
    """
    _refuse_faults(connection, key or "")
    try:
        with transaction.atomic():
            # What is kept now: `connection` was read earlier, and may hold the key of before.
            before = Connection.objects.select_for_update().filter(pk=connection.pk).first()
            if before is None and connection.pk is not None:
                raise Refused("This connection was deleted meanwhile. Make a new one.")
            connection.sealed_key = _sealed(connection, key, before)
            same = before is not None and _model_of(before) == _model_of(connection)
            connection.edition = before.edition if before and same else secrets.token_hex(6)
            connection.save()
            audit.note("connection-saved", connection, key_given=bool(key))
    except IntegrityError:
        whose = "There is" if connection.owner_id is None else "You have"
        raise Refused(f"{whose} a connection “{connection.name}” already.") from None
    Refusals(connection).forget()
    return connection


def _sealed(connection: Connection, key: str | None, before: Connection | None) -> str:
    if connection.environment_key:
        return sealed(OF_THE_ENVIRONMENT, connection.url)
    if key is not None:
        return sealed(key, connection.url)
    if before is None or before.environment_key:
        return ""
    if before.sealed_key and before.url != connection.url:
        raise Refused("Give the key again: it is not sent to another address unasked.")
    return before.sealed_key


def _model_of(connection: Connection) -> tuple[str, str, str]:
    return connection.url, connection.mode, connection.model


def _refuse_faults(connection: Connection, key: str) -> None:
    if connection.mode == Connection.Mode.LOCAL:
        fault = _folder_fault(connection, key)
    else:
        fault = address_fault(connection.url, "give the key") or key_fault(key)
    if not fault and not (connection.name.strip() and connection.name.isprintable()):
        fault = "Expected a name of visible signs."
    of_mode = Connection.Mode
    names_none = connection.mode in (of_mode.PAIRS, of_mode.LOCAL, of_mode.OPENSEARCH)
    if not fault and not names_none and not connection.model:
        fault = f"The mode {connection.mode} needs the model that is to answer."
    prices = (connection.price_asked, connection.price_cached, connection.price_written)
    if not fault and any(price is not None and price < 0 for price in prices):
        fault = "Expected prices of at least nothing, in dollars for a million tokens."
    if not fault and not 0 <= connection.price_batches <= 1:
        fault = "Expected a share from 0 to 1 as the price of batches, such as 0.5."
    fault = fault or family_fault(connection.family)
    if fault:
        raise Refused(fault)


def _folder_fault(connection: Connection, key: str) -> str:
    """What is wrong with a connection to a folder, of which only operators name any."""
    if connection.owner_id is not None:
        return f"Folders of this machine are named by operators alone. {WHO_MAKES_THEM}"
    if key or connection.environment_key:
        return "A folder of this machine takes no key."
    if not Path(connection.url).is_absolute():
        return f"Expected the whole path of a model's folder, found “{connection.url}”."
    return ""


def family_fault(family: str) -> str:
    """What is wrong with the name of a family, which stands in names of judges."""
    if not family or FAMILY.fullmatch(family):
        return ""
    return (
        f"Expected up to 60 letters, digits, spaces, dots and hyphens as family; found “{family}”."
    )


def refuse_unpriced(connection: Connection) -> None:
    """Refuse to keep a budget where nobody knows what is spent."""
    if not connection.has_prices:
        raise Refused(
            f"The connection “{connection.name}” has no prices, so the cost is unknown. Its owner "
            "can set them, or leave the budget empty."
        )


def lend(
    connection: Connection, *, everybody: bool, studies: list[Study], people: list[User]
) -> None:
    """Say who may use one of the operator's."""
    with transaction.atomic():
        if not Connection.objects.filter(pk=connection.pk).update(everybody=everybody):
            raise Refused("This connection was deleted meanwhile.")
        connection.everybody = everybody
        connection.studies.set(studies)
        connection.people.set(people)
        audit.note(
            "connection-lent",
            connection,
            everybody=everybody,
            studies=[study.pk for study in studies],
            people=[user.pk for user in people],
        )


@leaving
def forget_all_of(user: User) -> None:
    """Who leaves takes the keys along."""
    own_connections(user).delete()


def remove(connection: Connection) -> None:
    """Forget a connection with its key. What was judged through it stays."""
    with transaction.atomic():
        audit.note("connection-deleted", connection)
        connection.delete()


REMEMBERED = timedelta(days=3)
"""Servers are upgraded: then each is told everything again."""


class Refusals:
    """Of one edition of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._key = f"told:{connection.pk}:{connection.edition}"

    def read(self) -> ServerHabits:
        return ServerHabits(*map(frozenset, cache.get(self._key, ())))

    def keep(self, known: ServerHabits) -> None:
        """Of two who learn at a time, both count."""
        all_of_it = self.read() | known
        kept = sorted(all_of_it.refused), sorted(all_of_it.taken)
        cache.set(self._key, kept, REMEMBERED.total_seconds())

    def forget(self) -> None:
        cache.delete(self._key)
