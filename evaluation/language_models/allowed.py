"""What the settings of a run may name. Whoever has a shell may name anything in his own commands;
a run is asked for through the web, and names what the operator listed."""

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings as site

from annotate.models import Study, User
from annotate.web.errors import Refused
from evaluation.claims.parsing import PREFERRED
from evaluation.judges.entailment import Door, scorer_spec
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.speech import MODES
from evaluation.language_models.connections import WHO_MAKES_THEM, door_to, named, usable
from evaluation.models import Connection, Generation, Run

OF_THE_CONNECTION = ("url", "mode", "model")
"""What a connection says, and a run does not."""


def connection_of(run: Run | Generation, settings: JudgeSettings) -> Connection | None:
    """The connection to the model that a run asks, if that is behind one; an error where the run
    names what it may not, whatever was allowed when it was stored."""
    return refuse_foreign(settings, run.study, run.created_by, by_operator=run.by_operator)


def door_of(run: Run | Generation, settings: JudgeSettings) -> Door | None:
    """The way through it."""
    found = connection_of(run, settings)
    return None if found is None else door_to(found)


def refuse_at_anothers_cost(run: Run | Generation, by: User | None) -> None:
    """Refuse to have a run go on through a connection that it was asked for with, and that whoever
    asks now may not use. Nobody (`by`): it is no person who asks."""
    connection = run.settings.get("connection", "")
    if by is None or by.pk == run.created_by_id or not connection:
        return
    asked_with = named(connection, run.study, run.created_by, by_operator=run.by_operator)
    if asked_with is not None and not usable(run.study, by).filter(pk=asked_with.pk).exists():
        raise Refused(
            "This uses a connection that you may not use. The person who started it can continue "
            "it. Start your own with another connection."
        )


def refuse_foreign(
    settings: JudgeSettings, study: Study, by: User | None, *, by_operator: bool = False
) -> Connection | None:
    """Refuse what a run may not name; the connection that it does name."""
    found = None
    if settings.calls_outside:
        _refuse_addresses(settings)
        found = named(settings.connection, study, by, by_operator=by_operator)
        if found is None:
            raise Refused(
                f"There is no connection “{settings.connection}” that you may use in this study. "
                f"{WHO_MAKES_THEM}"
            )
        if settings.spec.of_forms and found.mode not in MODES:
            raise Refused(
                f"The connection “{found.name}” leads to no language model. Choose one whose mode "
                f"is one of {', '.join(MODES)}."
            )
    elif settings.connection:
        raise Refused(f"The scorer “{settings.scorer}” asks no server, so it needs no connection.")
    if not by_operator:
        if settings.parser:
            refuse_parser(settings.parser)
        for model in _models(settings):
            refuse_model(model)
    return found


def refuse_parser(parser: str) -> None:
    """Refuse a parser that the operator did not list."""
    if not _is_allowed(parser, parsers()):
        raise Refused(f"“{parser}” is no parser that runs may use here. {_allowed(parsers())}")


def refuse_model(model: object) -> None:
    """Refuse a model or a folder that the operator did not list."""
    if not _is_allowed(model, site.ATTEST_MODELS):
        raise Refused(f"“{model}” is no model that runs may use here. {allowed_models()}")


def _refuse_addresses(settings: JudgeSettings) -> None:
    said = [name for name in OF_THE_CONNECTION if name in settings.options]
    if "url" in said:
        raise Refused(
            "This run names an address. Ask for a new one that names a connection instead: "
            f"no address is taken from a run. {WHO_MAKES_THEM}"
        )
    if said or settings.model:
        raise Refused(f"Leave “{said[0] if said else 'model'}” out: the connection says it.")
    if not settings.connection:
        raise Refused(f"{settings.called} needs a connection: the name of one. {WHO_MAKES_THEM}")


def parsers() -> list[str]:
    """The parsers that runs may name."""
    return list(dict.fromkeys([*PREFERRED, *site.ATTEST_PARSERS]))


def _models(settings: JudgeSettings) -> Iterator[object]:
    """Every model or folder that a judge and its scorer are told of."""
    if settings.model:
        yield settings.model
    if settings.asks:
        for option in scorer_spec(settings.scorer).places:
            if settings.options.get(option, "") != "":
                yield settings.options[option]


def _is_allowed(name: object, listed: list[str]) -> bool:
    """Whether a name is listed, or the whole path of a folder below a root, links followed."""
    if not isinstance(name, str):
        return False
    path = Path(name)
    if name in listed or not path.is_absolute():
        return name in listed
    try:
        found = path.resolve()
    except RuntimeError:  # links in a circle
        return False
    return any(root.resolve() in found.parents for root in site.ATTEST_MODEL_ROOTS)


def allowed_models() -> str:
    """What a run may name as a model, in words."""
    return _allowed(site.ATTEST_MODELS)


def _allowed(listed: list[str]) -> str:
    names = f"{', '.join(listed)}, or the" if listed else "The"
    return f"{names} full path of a folder that the operator allows for runs."
