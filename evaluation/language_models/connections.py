"""Connections to models, and what runs may use: connections, models and parsers.

Runs are requested over the web, so they may name only what the operator listed. Commands in a
shell may name anything.
"""

import re
import secrets
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import get_args

from django.conf import settings
from django.conf import settings as site
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
from evaluation.claims.parsing import PREFERRED
from evaluation.judges.entailment import Door, scorer_spec
from evaluation.judges.entailment.door import Mode, address_fault, environment_key, key_fault
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.refusals import ServerHabits
from evaluation.language_models.asking.server_apis import MODES
from evaluation.models import Connection, Generation, Run

OF_THE_ENVIRONMENT = "\0 the environment's"
"""Sealed in place of a key if the worker's own key is sent, so that this also holds for
one address only. No key looks like this."""

WHO_MAKES_THEM = "Your administrator creates connections, with “manage.py connection add”."


FAMILY = re.compile(r"[^\W_]([\w .-]{0,58}[^\W_])?")


keeps(Connection, "sealed_key", lambda connection: connection.url)


def help_without(user: User) -> str:
    """What somebody can do who may use no connection in a study."""
    own = " You can also create your own on your account page." if may_own_connections(user) else ""
    return f"You cannot use any connection in this study yet. {WHO_MAKES_THEM}{own}"


def usable(study: Study, by: User | None, *, by_operator: bool = False) -> QuerySet[Connection]:
    """Return the connections that somebody may use in a study. The operator may use all of
    theirs. Others use lent and own connections while they are researchers of the study."""
    connections = Connection.objects.all()
    if by_operator:
        return connections.filter(owner__isnull=True)
    if by is not None and not is_researcher_of(by, study):
        by = None
    lent = Q(everybody=True) | Q(pk__in=study.connections.all())
    if by is not None:
        lent |= Q(pk__in=by.lent_connections.all())
    may = Q(lent, owner__isnull=True)
    if by is not None and may_own_connections(by):
        may |= Q(owner=by)
    return connections.filter(may)


def named(
    name: str, study: Study, by: User | None, *, by_operator: bool = False
) -> Connection | None:
    """Return the usable connection with this name, preferably the user's own. Other people's
    names stay private."""
    found = usable(study, by, by_operator=by_operator).filter(name=name)
    return found.order_by(F("owner").asc(nulls_last=True)).first()


def door_to(connection: Connection) -> Door:
    """Return the way through a connection, with its key."""
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
    """Store a connection. With `key` None the key stays; an empty one removes it. A new
    address needs the key again. The server's recorded refusals are deleted."""
    _refuse_faults(connection, key or "")
    try:
        with transaction.atomic():
            # Read the stored row again: `connection` may have an older key.
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
    KnownRefusals(connection).forget()
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
    """Return the fault of a connection to a folder. Only operators name folders."""
    if connection.owner_id is not None:
        return f"Folders of this machine are named by operators alone. {WHO_MAKES_THEM}"
    if key or connection.environment_key:
        return "A folder of this machine takes no key."
    if not Path(connection.url).is_absolute():
        return f"Expected the whole path of a model's folder, found “{connection.url}”."
    return ""


def family_fault(family: str) -> str:
    """Return the fault of a family's name, which is part of judges' names."""
    if not family or FAMILY.fullmatch(family):
        return ""
    return (
        f"Expected up to 60 letters, digits, spaces, dots and hyphens as family; found “{family}”."
    )


def refuse_unpriced(connection: Connection) -> None:
    """Refuse a budget without known prices."""
    if not connection.has_prices:
        raise Refused(
            f"The connection “{connection.name}” has no prices, so the cost is unknown. Its owner "
            "can set them, or leave the budget empty."
        )


def lend(
    connection: Connection, *, everybody: bool, studies: list[Study], people: list[User]
) -> None:
    """Set who may use one of the operator's connections."""
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
def delete_connections_of(user: User) -> None:
    """Delete the connections and keys of a leaving user."""
    Connection.objects.filter(owner=user).delete()


def remove(connection: Connection) -> None:
    """Delete a connection with its key. Its judgments stay."""
    with transaction.atomic():
        audit.note("connection-deleted", connection)
        connection.delete()


REMEMBERED = timedelta(days=3)
"""How long refusals are remembered, since servers are upgraded."""


class KnownRefusals:
    """Parameters that the server of one edition of a connection took and refused."""

    def __init__(self, connection: Connection) -> None:
        self._key = f"told:{connection.pk}:{connection.edition}"

    def read(self) -> ServerHabits:
        return ServerHabits(*map(frozenset, cache.get(self._key, ())))

    def keep(self, known: ServerHabits) -> None:
        """Add to the stored refusals of other processes."""
        all_of_it = self.read() | known
        kept = sorted(all_of_it.refused), sorted(all_of_it.taken)
        cache.set(self._key, kept, REMEMBERED.total_seconds())

    def forget(self) -> None:
        cache.delete(self._key)


OF_THE_CONNECTION = ("url", "mode", "model")
"""Options that the connection sets, and a run does not."""


def connection_of(run: Run | Generation, settings: JudgeSettings) -> Connection | None:
    """Return the connection of a run's model, if it has one; refuse what the run may no longer
    use."""
    return refuse_disallowed(settings, run.study, run.created_by, by_operator=run.by_operator)


def door_of(run: Run | Generation, settings: JudgeSettings) -> Door | None:
    """Return the way through the run's connection, or None."""
    connection = connection_of(run, settings)
    return None if connection is None else door_to(connection)


def refuse_others_connection(run: Run | Generation, by: User | None) -> None:
    """Refuse to continue a run through another person's connection that `by` may not use. None
    as `by` is no person and is allowed."""
    connection = run.settings.get("connection", "")
    if by is None or by.pk == run.created_by_id or not connection:
        return
    asked_with = named(connection, run.study, run.created_by, by_operator=run.by_operator)
    if asked_with is not None and not usable(run.study, by).filter(pk=asked_with.pk).exists():
        raise Refused(
            "This uses a connection that you may not use. The person who started it can continue "
            "it. Start your own with another connection."
        )


def refuse_disallowed(
    settings: JudgeSettings, study: Study, by: User | None, *, by_operator: bool = False
) -> Connection | None:
    """Return the connection that the settings name, or None; refuse what the run may not use."""
    connection = None
    if settings.calls_outside:
        _refuse_addresses(settings)
        connection = named(settings.connection, study, by, by_operator=by_operator)
        if connection is None:
            raise Refused(
                f"There is no connection “{settings.connection}” that you may use in this study. "
                f"{WHO_MAKES_THEM}"
            )
        if settings.spec.of_forms and connection.mode not in MODES:
            raise Refused(
                f"The connection “{connection.name}” leads to no language model. Choose one whose "
                f"mode is one of {', '.join(MODES)}."
            )
    elif settings.connection:
        raise Refused(f"The scorer “{settings.scorer}” asks no server, so it needs no connection.")
    if not by_operator:
        if settings.parser:
            refuse_parser(settings.parser)
        for model in _models(settings):
            refuse_model(model)
    return connection


def refuse_parser(parser: str) -> None:
    """Refuse a parser that the operator did not list."""
    if not _is_allowed(parser, parsers()):
        raise Refused(f"“{parser}” is no parser that runs may use here. {_allowed(parsers())}")


def refuse_model(model: object) -> None:
    """Refuse a model or a folder that the operator did not list."""
    if not _is_allowed(model, site.ATTEST_MODELS):
        raise Refused(f"“{model}” is no model that runs may use here. {allowed_models()}")


def _refuse_addresses(settings: JudgeSettings) -> None:
    named_options = [name for name in OF_THE_CONNECTION if name in settings.options]
    if "url" in named_options:
        raise Refused(
            "This run names an address. Ask for a new one that names a connection instead: "
            f"no address is taken from a run. {WHO_MAKES_THEM}"
        )
    if named_options or settings.model:
        raise Refused(
            f"Leave “{named_options[0] if named_options else 'model'}” out: the connection says it."
        )
    if not settings.connection:
        raise Refused(f"{settings.called} needs a connection: the name of one. {WHO_MAKES_THEM}")


def parsers() -> list[str]:
    """Return the parsers that runs may name."""
    return list(dict.fromkeys([*PREFERRED, *site.ATTEST_PARSERS]))


def _models(settings: JudgeSettings) -> Iterator[object]:
    """Yield every model or folder that the settings name."""
    if settings.model:
        yield settings.model
    if settings.asks:
        for option in scorer_spec(settings.scorer).places:
            if settings.options.get(option, "") != "":
                yield settings.options[option]


def _is_allowed(name: object, listed: list[str]) -> bool:
    """Return whether a name is listed, or the full path of a folder below an allowed root.
    Links are followed."""
    if not isinstance(name, str):
        return False
    path = Path(name)
    if name in listed or not path.is_absolute():
        return name in listed
    try:
        found = path.resolve()
    except RuntimeError:  # circular links
        return False
    return any(root.resolve() in found.parents for root in site.ATTEST_MODEL_ROOTS)


def allowed_models() -> str:
    """Return the models that a run may name, as text."""
    return _allowed(site.ATTEST_MODELS)


def _allowed(listed: list[str]) -> str:
    names = f"{', '.join(listed)}, or the" if listed else "The"
    return f"{names} full path of a folder that the operator allows for runs."
