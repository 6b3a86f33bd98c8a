"""`manage.py connection list | add | change | lend | remove | reseal`: connections to models."""

import getpass
from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotate.management.lookup import find_account, find_study
from annotate.management.refusing import RefusingCommand
from annotate.web.sealing import seal_again
from evaluation.judges.entailment.door import KEY
from evaluation.language_models import connections
from evaluation.models import Connection
from evaluation.models.connections import HALF

PRICES = {
    "asked": "read",
    "cached": "read that the server remembered (default: as read)",
    "written": "written",
}
MOST = 1_000_000


class Command(RefusingCommand):
    help = "Make and change the connections that runs may name. Keys are never shown."

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
        acts.add_parser("list", help="all connections, researchers' own among them")
        add = acts.add_parser("add", help="make one")
        add.add_argument("name")
        add.add_argument("url", help="the whole address")
        _add_what(add)
        _add_who(add)
        change = acts.add_parser("change", help="another address, mode, model or key")
        change.add_argument("name")
        change.add_argument("--url", help="the whole address")
        _add_what(change)
        lend = acts.add_parser("lend", help="change who may use one")
        lend.add_argument("name")
        _add_who(lend)
        acts.add_parser("remove", help="forget one, and its key").add_argument("name")
        acts.add_parser("reseal", help="encrypt all keys with the first of the secrets")

    def handle(self, *args: Any, **options: Any) -> None:
        match options["act"]:
            case "list":
                self._list()
            case "add":
                made = self._set(Connection(name=options["name"].strip()), options)
                self._lend(made, options)
            case "change":
                self._set(_find(options["name"]), options)
            case "lend":
                self._lend(_find(options["name"]), options)
            case "remove":
                connections.remove(_find(options["name"]))
            case _:
                self._reseal()

    def _set(self, connection: Connection, options: dict[str, Any]) -> Connection:
        """Set the fields given by options; the others do not change."""
        for name in ("url", "mode", "model", "family"):
            if options[name] is not None:
                setattr(connection, name, options[name])
        if options["inner"] is not None:
            connection.inner = options["inner"] == "yes"
        for name in PRICES:
            if (said := options[f"price_{name}"]) is not None:
                setattr(connection, f"price_{name}", _price(said))
        if (said := options["price_batches"]) is not None:
            connection.price_batches = _share(said)
        key = _key(options)
        if options["key_from"] is not None:
            connection.environment_key = options["key_from"] == "environment"
        return connections.save(connection, key=key)

    def _reseal(self) -> None:
        count, unread = seal_again()
        self.stdout.write(f"Keys encrypted again: {count:,}")
        if unread:
            raise CommandError(
                "No secret of ATTEST_SEALING_SECRETS decrypts these, and they were not changed: "
                f"{', '.join(unread)}. Restore the secret that encrypted them and run this "
                "again, or enter their keys again."
            )

    def _lend(self, connection: Connection, options: dict[str, Any]) -> None:
        connections.lend(
            connection,
            everybody=options["everybody"],
            studies=[find_study(slug) for slug in options["study"]],
            people=[find_account(name) for name in options["person"]],
        )
        self.stdout.write(_line(connection))

    def _list(self) -> None:
        for connection in Connection.objects.select_related("owner"):
            self.stdout.write(_line(connection))


def _add_what(parser: ArgumentParser) -> None:
    parser.add_argument("--mode", choices=Connection.Mode.values, help="default: pairs")
    parser.add_argument("--model", help="the model's name there; all modes but pairs need it")
    parser.add_argument("--family", help="whose model it is, for reports; “” takes it away")
    for name, what in PRICES.items():
        parser.add_argument(
            f"--price-{name}",
            metavar="DOLLARS",
            help=f"of a million tokens {what}; “none”: unknown",
        )
    parser.add_argument(
        "--price-batches",
        metavar="SHARE",
        help="of these for calls that are sent as batches; default: 0.5",
    )
    parser.add_argument(
        "--inner", choices=["yes", "no"], help="whether the address may be private; default: no"
    )
    parser.add_argument(
        "--key-from",
        metavar="SOURCE",
        help=f"a file with the key, “ask”, “environment” (the workers' {KEY}), or “none”",
    )


def _price(said: str) -> Decimal | None:
    if said == "none":
        return None
    try:
        price = Decimal(said)
        whole = price.is_finite() and 0 <= price < MOST
    except InvalidOperation:
        whole = False
    if not whole:
        raise CommandError(f"Expected dollars for a million tokens, such as 2.50; found “{said}”.")
    return price


def _share(said: str) -> Decimal:
    try:
        share = Decimal(said)
    except InvalidOperation:
        share = Decimal("NaN")
    if not share.is_finite():
        raise CommandError(f"Expected a share of the prices, such as 0.5; found “{said}”.")
    return share


def _add_who(parser: ArgumentParser) -> None:
    parser.add_argument("--everybody", action="store_true", help="every researcher may use it")
    parser.add_argument("--study", action="append", default=[], metavar="SLUG")
    parser.add_argument("--person", action="append", default=[], metavar="NAME")


def _key(options: dict[str, Any]) -> str | None:
    """Return the key from the source given by an option, or None to keep the old one.

    It is never an argument, since every user of the machine can see the arguments of processes.
    """
    match options["key_from"]:
        case None:
            return None
        case "none" | "environment":
            return ""
        case "ask":
            return getpass.getpass("Key: ").strip()
        case path:
            if not Path(path).is_file():
                raise CommandError(f"There is no file {path}.")
            return Path(path).read_text(encoding="utf-8").strip()


def _find(name: str) -> Connection:
    found = Connection.objects.filter(name=name, owner__isnull=True).first()
    if found is None:
        known = Connection.objects.filter(owner__isnull=True).values_list("name", flat=True)
        some = ", ".join(known) or "none yet"
        raise CommandError(f"There is no connection “{name}”. Known: {some}.")
    return found


def _line(connection: Connection) -> str:
    key = "a key" if connection.sealed_key else "no key"
    key = "the environment's key" if connection.environment_key else key
    parts = [connection.url, " ".join(filter(None, [connection.mode, connection.model])), key]
    if connection.has_prices:
        prices = [connection.price_asked, connection.price_cached, connection.price_written]
        said = " / ".join("as read" if price is None else f"{price:f}" for price in prices)
        parts.append(f"{said} dollars for a million tokens read / remembered / written")
        if connection.price_batches != HALF:
            parts.append(f"batches at {connection.price_batches:f} of that")
    if connection.inner:
        parts.append("may be private")
    if connection.owner is not None:
        return f"{connection.name}: {', '.join(parts)}; {connection.owner}'s own"
    slugs = connection.studies.values_list("slug", flat=True)
    may = [*(f"study {slug}" for slug in slugs), *map(str, connection.people.all())]
    if connection.everybody:
        may = ["everybody"]
    return f"{connection.name}: {', '.join(parts)}; for {', '.join(may) or 'nobody yet'}"
