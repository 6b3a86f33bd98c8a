"""What a worker does to make a new system, a study's claims, or numbers of its retrieval."""

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotate.formats.qrels import qrels_in
from annotate.models import Study, System, Unit, Upload, User
from annotate.services.errors import Refused
from evaluation.agreement.ratings import Figure
from evaluation.entailment import Asker
from evaluation.judges import AutomaticJudge
from evaluation.judges.settings import JudgeSettings
from evaluation.models import ClaimDivision, Corpus, Making, Run
from evaluation.outside.allowed import refuse_foreign, refuse_model, refuse_parser
from evaluation.outside.connections import door_to
from evaluation.running.claims import OF_CLAIMS, make_claims
from evaluation.running.judge_making import (
    SECONDS,
    Entailing,
    entailing,
    judge_for,
    parser_for,
    scorer_through,
)
from evaluation.running.known_entailments import DatabaseCache
from evaluation.running.making import Made, MakingWork
from evaluation.running.new_systems import followed, stop_loading
from evaluation.running.postediting import editing_by, judge_asked, post_edit, refuse_name
from evaluation.running.retrieval_numbers import (
    lines_of,
    of_corpus,
    of_ranked,
    of_systems,
    tables_of,
)
from evaluation.running.runs import queue_of
from evaluation.running.searching import corpus_named, retriever_of
from evaluation.running.tables import table

Options = Mapping[str, Any]

USES_AUTOAIS = "It counts as having used AutoAIS: its automatic score is not shown."

WAIT = 1.0
"""Seconds between two looks at a file that a killed worker left."""


# A new system -------------------------------------------------------------------------------------


def queue_of_system(study: Study, by: User | None, options: Options) -> str:
    """Where a new system is made; refuses what may not be named, and a name that is taken."""
    _system(study, options)
    refuse_name(study, options["name"])
    if options["encoder"]:
        refuse_model(options["encoder"])
        return Run.Queue.ENTAILMENT
    settings = _settings(options)
    if settings is None:
        return Run.Queue.DEFAULT
    return queue_of(settings, refuse_foreign(settings, study, by))


def _system(study: Study, options: Options) -> System:
    found = System.objects.loaded().filter(study=study, name=options["system"]).first()
    if found is None:
        raise Refused(f"There is no system “{options['system']}” in this study any more.")
    return found


def _settings(options: Options) -> JudgeSettings | None:
    """The judge that is asked about entailment, if one is."""
    judge = judge_asked(options["way"], options["by"])
    return None if judge is None else JudgeSettings(judge=judge, **options["scorer"])


def make_system(work: MakingWork) -> Made:
    """A new system by post-editing; where the worker before got as far as loading it, that one."""
    making = work.making
    left = Upload.objects.filter(pk=making.result.get("upload", 0)).first()
    if left is not None and followed(left, lambda: wait(work)):
        name = left.system
        return _made_system(System.objects.get(study=making.study, name=name), making.result)
    options = making.options
    old = _system(making.study, options)
    total, done = old.responses.current().count(), 0

    def edited(count: int) -> None:
        nonlocal done
        done = count
        work.tell("Loading the new responses" if done == total else "Editing", done, total)

    def asked(wave: str, answered: int, of: int) -> None:
        work.tell(f"Editing: {wave}, {answered:,} of {of:,} pairs", done, total)

    def judge(_: str) -> AutomaticJudge:
        settings = _settings(options)
        assert settings is not None
        connection = refuse_foreign(settings, making.study, making.created_by)
        scorer = scorer_through(settings, None if connection is None else door_to(connection))
        assert scorer is not None
        threshold = settings.threshold
        cache = DatabaseCache()
        asker = Asker(scorer, cache, threshold=threshold, seconds=SECONDS, progress=asked)
        return judge_for(settings, making.study, asker)

    work.tell("Editing", 0, total)
    chosen = {"by": options["by"], "encoder": options["encoder"]}
    editing = editing_by(options["way"], making.study.division, judge, **chosen)
    made = post_edit(old, editing, name=options["name"], tell=edited, keep=work.keep)
    return _made_system(made.system, {"outcomes": made.outcomes})


def wait(work: MakingWork) -> None:
    """Until whoever may still be at it is done."""
    work.tell("Waiting for what a killed worker left")
    time.sleep(WAIT)


def _made_system(system: System, known: Mapping[str, Any]) -> Made:
    lines = [system.description]
    counts = sorted(known["outcomes"].items(), key=lambda each: -each[1])
    lines += [f"{count:,} response{'s' * (count != 1)}: {outcome}" for outcome, count in counts]
    return Made(lines + [USES_AUTOAIS] * system.uses_autoais, system.pk)


def take_system_back(making: Making) -> None:
    """Take back what was loaded in part."""
    for upload in Upload.objects.filter(pk=making.result.get("upload", 0)):
        stop_loading(upload)


# Claims -------------------------------------------------------------------------------------------


def queue_of_claims(study: Study, by: User | None, options: Options) -> str:
    if options["parser"]:
        refuse_parser(options["parser"])
    return Run.Queue.ENTAILMENT


def make_study_claims(work: MakingWork) -> Made:
    """The claims of every response that has none yet; what is written is not written again."""
    making = work.making
    study, options = making.study, making.options
    work.tell("Loading the parser")
    parser = parser_for(None if options["remake"] else study, options["parser"])
    made = make_claims(
        study,
        parser,
        again=options["remake"],
        tell=lambda done, total: work.tell("Dividing statements", done, total),
    )
    divided = ClaimDivision.objects.filter(response__study=study, response__live=True).count()
    claims = Unit.objects.filter(response__study=study, response__live=True, kind=OF_CLAIMS[0])
    lines = [
        f"Parser: {parser.label}",
        f"{divided:,} response{'s' * (divided != 1)} with {claims.count():,} claims; "
        f"{made.present:,} had theirs before.",
    ]
    return Made(lines)


# How good retrieval is ----------------------------------------------------------------------------


def queue_of_search(study: Study, by: User | None, options: Options) -> str:
    """Where the corpus can be searched."""
    corpus = corpus_named(study, options["corpus"]) if options["corpus"] else None
    if corpus is not None and corpus.method == Corpus.Method.OPENSEARCH:
        return Run.Queue.OUTSIDE
    of_model = corpus is not None and corpus.needs_encoder
    entail = _entail(options)
    if entail is not None:
        refuse_foreign(entail.settings, study, by)
    return Run.Queue.ENTAILMENT if of_model or entail else Run.Queue.DEFAULT


def _entail(options: Options) -> Entailing | None:
    """Who is asked about claims, if anybody is."""
    if not options.get("scorer"):
        return None
    return entailing(options["scorer"], options.get("scorer_model") or None)


def make_retrieval_numbers(work: MakingWork) -> Made:
    """What a corpus gives for the study's questions, and what systems made of what they had."""
    study, options = work.making.study, work.making.options
    found = None
    how: dict[str, Any] = {
        "ks": options["ks"],
        "qrels": qrels_in(options["qrels"].splitlines()),
        "entail": _entail(options),
        "tell": lambda done, total: work.tell("Looking at passages", done, total),
    }
    if options["corpus"]:
        found = of_corpus(corpus_named(study, options["corpus"]), **how)
    elif options.get("ranked"):
        found = of_ranked(study, **how)
    systems = of_systems(
        study, lambda done, total: work.tell("Looking at responses and their passages", done, total)
    )
    from evaluation.running.retrieval_charts import charts_of

    tables, charts = tables_of(systems, found), charts_of(systems, found)
    return Made(lines_of(systems, found), tables=tables, charts=charts)


# A search -----------------------------------------------------------------------------------------

FOUND = {"rank": "Rank", "title": "Title", "text": "Passage", "key": "Id", "score": "Score"}


def make_search(work: MakingWork) -> Made:
    """What a corpus finds for a text, by its own method, which may ask a model or a server."""
    options = work.making.options
    retriever = retriever_of(corpus_named(work.making.study, options["corpus"]))
    work.tell("Searching the corpus")
    (found,) = retriever.search([options["query"]], options["k"])
    rows = [{**asdict(one), "rank": rank, "score": Figure(one.score)}
            for rank, one in enumerate(found, 1)]  # fmt: skip
    title = f"What “{options['corpus']}” finds for “{options['query']}”"
    count = f"{len(found)} passage{'s' * (len(found) != 1)}"
    lines = [f"{count} found", f"Signature: {retriever.signature}"]
    columns = {key: name for key, name in FOUND.items() if any(row[key] != "" for row in rows)}
    return Made(lines, tables=[table(title, columns, rows)] if rows else [])
