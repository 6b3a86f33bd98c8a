"""The work of each tool: create a system or claims, measure retrieval, search, analyse claims."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from io import BytesIO
from typing import Any

from django.core.files import File
from django.db import transaction

from annotate import uploads
from annotate.content.units import claims_of, texts_of
from annotate.formats.qrels import parse_qrels
from annotate.models import Question, Study, System, Unit, Upload, User
from annotate.web.errors import Refused
from evaluation.generating import new_systems
from evaluation.generating.new_systems import discard, editing_by, entailment_judge, new_name
from evaluation.generating.retrieval_numbers import (
    lines_of,
    measure_retrieval,
    measure_systems,
    tables_of,
)
from evaluation.generating.searching import corpus_named, retriever_of
from evaluation.judges import AutomaticJudge
from evaluation.judges.entailment import Asker
from evaluation.judges.settings import JudgeSettings, Progress
from evaluation.language_models.asking.calling import Caller
from evaluation.language_models.asking.claims import (
    LongReference,
    ModelRewriter,
    reference_claims,
    signature_of,
)
from evaluation.language_models.asking_models import MODEL, client_for, pacer_for
from evaluation.language_models.connections import (
    door_to,
    refuse_disallowed,
    refuse_model,
    refuse_parser,
)
from evaluation.models import ClaimDivision, Corpus, Making, Run
from evaluation.runs import claim_errors
from evaluation.runs.judge_making import (
    SECONDS,
    DatabaseCache,
    Entailing,
    entailing,
    load_shared_scorer,
    make_judge,
    parser_for,
)
from evaluation.runs.lifecycle import queue_for
from evaluation.runs.making import ToolJob, ToolResult, paid_caller
from evaluation.runs.parsed_claims import OF_CLAIMS, make_claims
from evaluation.runs.tables import table
from evaluation.statistics.ratings import Figure

Options = Mapping[str, Any]

USES_AUTOAIS = "It counts as having used AutoAIS: its automatic score is not shown."

WAIT = 1.0
"""Seconds between two looks at a file that a killed worker left."""


# A new system -------------------------------------------------------------------------------------


def queue_of_system(study: Study, by: User | None, options: Options) -> str:
    """Return the queue of a new system; refuse models that may not be used and taken names."""
    _system(study, options)
    new_name(study, options["name"])
    if options["encoder"]:
        refuse_model(options["encoder"])
        return Run.Queue.ENTAILMENT
    settings = _entailment_settings(options)
    if settings is None:
        return Run.Queue.DEFAULT
    return queue_for(settings, refuse_disallowed(settings, study, by))


def _system(study: Study, options: Options) -> System:
    system = System.objects.loaded().filter(study=study, name=options["system"]).first()
    if system is None:
        raise Refused(f"There is no system “{options['system']}” in this study any more.")
    return system


def _entailment_settings(options: Options) -> JudgeSettings | None:
    """Return the settings of the judge of entailment, if the way of editing uses one."""
    judge = entailment_judge(options["way"], options["by"])
    return None if judge is None else JudgeSettings(judge=judge, **options["scorer"])


def _asker(making: Making, settings: JudgeSettings, progress: Progress) -> Asker:
    """Return what asks the scorer that the job names, if its author may still use it."""
    connection = refuse_disallowed(settings, making.study, making.created_by)
    scorer = load_shared_scorer(settings, None if connection is None else door_to(connection))
    assert scorer is not None
    return Asker(
        scorer, DatabaseCache(), threshold=settings.threshold, seconds=SECONDS, progress=progress
    )


def make_system(work: ToolJob) -> ToolResult:
    """Create a system by post-editing; finish the one that a killed worker was loading."""
    making, options = work.making, work.making.options
    if (leftover := _finished_leftover(work)) is not None:
        system = System.objects.get(study=making.study, name=leftover.system)
        return _made_system(system, making.result["outcomes"])
    old = _system(making.study, options)
    total, done = old.responses.current().count(), 0

    def edited(count: int) -> None:
        nonlocal done
        done = count
        work.tell("Loading the new responses" if done == total else "Editing", done, total)

    def asked(wave: str, answered: int, of: int) -> None:
        work.tell(f"Editing: {wave}, {answered:,} of {of:,} pairs", done, total)

    def judge(_: str) -> AutomaticJudge:
        settings = _entailment_settings(options)
        assert settings is not None
        return make_judge(settings, making.study, _asker(making, settings, asked))

    work.tell("Editing", 0, total)
    chosen = {"by": options["by"], "encoder": options["encoder"]}
    editing = editing_by(options["way"], making.study.division, judge, **chosen)
    system, outcomes = new_systems.post_edit(
        old, editing, name=options["name"], tell=edited, keep=work.keep
    )
    return _made_system(system, outcomes)


def _finished_leftover(work: ToolJob) -> Upload | None:
    """Return the loaded file of a killed worker, after a wait if it may still be active."""

    def wait() -> None:
        work.tell("Waiting for what a killed worker left")
        time.sleep(WAIT)

    upload = Upload.objects.filter(pk=work.making.result.get("upload", 0)).first()
    is_loaded = upload is not None and new_systems.wait_for_leftover(upload, wait)
    return upload if is_loaded else None


def _made_system(system: System, outcomes: Mapping[str, int]) -> ToolResult:
    lines = [system.description]
    counts = sorted(outcomes.items(), key=lambda each: -each[1])
    lines += [f"{count:,} response{'s' * (count != 1)}: {outcome}" for outcome, count in counts]
    return ToolResult(lines + [USES_AUTOAIS] * system.uses_autoais, system.pk)


def discard_system(making: Making) -> None:
    """Discard the partly loaded system of a cancelled job."""
    for upload in Upload.objects.filter(pk=making.result.get("upload", 0)):
        new_systems.stop_loading(upload)


# Claims -------------------------------------------------------------------------------------------


def queue_of_claims(study: Study, by: User | None, options: Options) -> str:
    if options["parser"]:
        refuse_parser(options["parser"])
    return Run.Queue.ENTAILMENT


def make_study_claims(work: ToolJob) -> ToolResult:
    """Write the claims of every response that has none yet."""
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
    return ToolResult(lines)


# How good retrieval is ----------------------------------------------------------------------------


def queue_of_search(study: Study, by: User | None, options: Options) -> str:
    """Return the queue of workers that can search the corpus."""
    corpus = corpus_named(study, options["corpus"]) if options["corpus"] else None
    if corpus is not None and corpus.method == Corpus.Method.OPENSEARCH:
        return Run.Queue.OUTSIDE
    model_options = corpus is not None and corpus.needs_encoder
    entail = _entail(options)
    if entail is not None:
        refuse_disallowed(entail.settings, study, by)
    return Run.Queue.ENTAILMENT if model_options or entail else Run.Queue.DEFAULT


def _entail(options: Options) -> Entailing | None:
    """Return the scorer of claims, if one is chosen."""
    if not options.get("scorer"):
        return None
    return entailing(options["scorer"], options.get("scorer_model") or None)


def make_retrieval_numbers(work: ToolJob) -> ToolResult:
    """Measure a corpus on the study's questions, and the systems by the passages they had."""
    study, options = work.making.study, work.making.options
    found = None
    if options["corpus"] or options.get("ranked"):
        found = measure_retrieval(
            study,
            corpus_named(study, options["corpus"]) if options["corpus"] else None,
            ks=options["ks"],
            qrels=parse_qrels(options["qrels"].splitlines()),
            entail=_entail(options),
            tell=lambda done, total: work.tell("Looking at passages", done, total),
        )
    systems = measure_systems(
        study, lambda done, total: work.tell("Looking at responses and their passages", done, total)
    )
    from evaluation.generating.retrieval_charts import charts_of

    tables, charts = tables_of(systems, found), charts_of(systems, found)
    return ToolResult(lines_of(systems, found), tables=tables, charts=charts)


# A search -----------------------------------------------------------------------------------------

FOUND = {"rank": "Rank", "title": "Title", "text": "Passage", "key": "Id", "score": "Score"}


def make_search(work: ToolJob) -> ToolResult:
    """Search a corpus with its own method, which may ask a model or a server."""
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
    return ToolResult(lines, tables=[table(title, columns, rows)] if rows else [])


MADE_BY = "claims_made_by"
"""The key of a reference's claims that says who made them."""

NO_REFERENCES = (
    "No question has a reference answer with a text and without claims. Load references first, or "
    "take claims that are to be made again out of them."
)


def model_settings(options: Options) -> JudgeSettings | None:
    """Return how to ask the language model that the options name, if they name one."""
    if not options["connection"]:
        return None
    return JudgeSettings(MODEL, "", options=options["asking"], connection=options["connection"])


@contextmanager
def _calling(work: ToolJob) -> Iterator[Caller]:
    """Call through the named connection, if the job's author may still use it."""
    making = work.making
    settings = model_settings(making.options)
    assert settings is not None
    connection = refuse_disallowed(settings, making.study, making.created_by)
    assert connection is not None
    speaker = client_for(connection, settings)
    with paid_caller(work.holding, speaker, pacer_for(connection, settings)) as caller:
        yield caller


# Claims of references -----------------------------------------------------------------------------


def queue_of_references(study: Study, by: User | None, options: Options) -> str:
    """Return the queue of the model; refuse a study without references to ask about."""
    if not any(_references(study)):
        raise Refused(NO_REFERENCES)
    return _queue_of_model(study, by, options)


def _queue_of_model(study: Study, by: User | None, options: Options) -> str:
    settings = model_settings(options)
    assert settings is not None
    return queue_for(settings, refuse_disallowed(settings, study, by))


def _references(study: Study) -> Iterator[tuple[Question, LongReference]]:
    """Yield the questions whose reference has a text and no claims."""
    for one in Question.objects.filter(study=study).order_by("pk").iterator(chunk_size=500):
        texts = texts_of(one.references)
        if texts and not claims_of(one.references):
            yield one, LongReference(one.text, "\n\n".join(texts))


def make_reference_claims(work: ToolJob) -> ToolResult:
    """Write claims of the references that have none, and load them as a file of references."""
    making = work.making
    if _finished_leftover(work) is not None:
        return _made_claims(making.result)
    claims_by_question, signature = _reference_claims(work)
    lines = [
        json.dumps({"question_id": key, "references": {"claims": claims, MADE_BY: signature}})
        for key, claims in claims_by_question
        if claims
    ]
    counts = {
        "asked": len(claims_by_question), "made": len(lines),
        "claims": sum(len(claims) for _, claims in claims_by_question), "signature": signature,
    }  # fmt: skip
    if not lines:
        raise Refused("The model made no claim of any reference. Look at what it answers.")
    content = File(BytesIO("\n".join(lines).encode()), name="claims.references.jsonl")
    with transaction.atomic():
        upload = uploads.receive(
            making.study, content, name=content.name or "", author=making.created_by,
            format="references-jsonl",
        )  # fmt: skip
        work.keep(upload=upload.pk, **counts)
    new_systems.load(upload)
    return _made_claims(counts)


def _reference_claims(work: ToolJob) -> tuple[list[tuple[str, list[str]]], str]:
    """Return each question's id with the model's claims, and the signature of their maker."""
    questions = list(_references(work.making.study))
    if not questions:
        raise Refused(NO_REFERENCES)
    many, done = work.making.options["many"], 0

    def progress() -> None:
        nonlocal done
        done += 1
        work.tell("The model is asked", done, len(questions))

    with _calling(work) as caller:
        longs = ((place, long) for place, (_, long) in enumerate(questions))
        claims = reference_claims(caller, longs, many, progress)
        signature = signature_of(caller.scorer.fingerprint, many)
    return [(one.external_id, claims[place]) for place, (one, _) in enumerate(questions)], signature


def _made_claims(counts: Mapping[str, Any]) -> ToolResult:
    asked, made = counts["asked"], counts["made"]
    lines = [
        f"{counts['claims']:,} claims of {made:,} references.",
        f"Of {asked - made:,} the model gave no answer." * (asked > made),
        f"Made by: {counts['signature']}",
        "Have people check them: whether each holds, and whether they cover the reference.",
    ]
    return ToolResult([line for line in lines if line])


def discard_references(making: Making) -> None:
    """Discard a file that is not loaded yet."""
    for upload in Upload.objects.filter(pk=making.result.get("upload", 0)):
        if upload.state == Upload.State.DONE:
            raise Refused("The claims are there already. Replace them by a file of references.")
        discard(upload)


# The analysis of claims ---------------------------------------------------------------------------


def _claim_settings(options: Options) -> JudgeSettings:
    """Return the settings of the scorer of claims; it reads no passages through a server."""
    return JudgeSettings(judge="aliice", **options["scorer"])


def queue_of_claim_errors(study: Study, by: User | None, options: Options) -> str:
    """Return the queue of the scorer's model, else of the language model."""
    settings = _claim_settings(options)
    queue = queue_for(settings, refuse_disallowed(settings, study, by))
    if queue != Run.Queue.DEFAULT or not options["connection"]:
        return queue
    return _queue_of_model(study, by, options)


def make_claim_errors(work: ToolJob) -> ToolResult:
    """Analyse how claims were divided, whether that matters, and what rewriting changes."""
    making, options = work.making, work.making.options

    def tell(wave: str, done: int, total: int) -> None:
        work.tell(f"Asking about claims: {wave}", done, total)

    asker = _asker(making, _claim_settings(options), tell)
    rewriting = nullcontext() if model_settings(options) is None else _calling(work)
    with rewriting as caller:
        found = claim_errors.analysed(
            making.study,
            list(making.study.systems.loaded().order_by("name")),
            asker,
            None if caller is None else ModelRewriter(caller),
            everything=options["everything"],
            tell=lambda done, total: work.tell("Reading claims", done, total),
        )
    lines = [*found.lines(), *claim_errors.notes_of(found.report)]
    return ToolResult(lines, tables=claim_errors.tables_of(found.report))
