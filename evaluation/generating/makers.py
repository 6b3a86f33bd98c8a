"""What a worker makes of a study: a system, claims, numbers of its retrieval, a search.

A language model is asked for claims of reference answers, and to rewrite claims that are analysed.
"""

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
from evaluation.generating.new_systems import followed, load, stop_loading, take_back
from evaluation.generating.post_edited import editing_by, judge_asked, post_edit, refuse_name
from evaluation.generating.retrieval_numbers import (
    lines_of,
    of_corpus,
    of_ranked,
    of_systems,
    tables_of,
)
from evaluation.generating.searching import corpus_named, retriever_of
from evaluation.judges import AutomaticJudge
from evaluation.judges.entailment import Asker
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.allowed import refuse_foreign, refuse_model, refuse_parser
from evaluation.language_models.asking.calling import Caller
from evaluation.language_models.asking.claims import (
    Long,
    ModelRewriter,
    reference_claims,
    signature_of,
)
from evaluation.language_models.asking_models import MODEL, pace_through, speaker_through
from evaluation.language_models.connections import door_to
from evaluation.models import ClaimDivision, Corpus, Making, Run
from evaluation.runs import claim_errors
from evaluation.runs.judge_making import (
    SECONDS,
    Entailing,
    entailing,
    judge_for,
    parser_for,
    scorer_through,
)
from evaluation.runs.known_entailments import DatabaseCache
from evaluation.runs.lifecycle import queue_of
from evaluation.runs.making import Made, MakingWork, asking
from evaluation.runs.parsed_claims import OF_CLAIMS, make_claims
from evaluation.runs.tables import table
from evaluation.statistics.ratings import Figure

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
        "qrels": parse_qrels(options["qrels"].splitlines()),
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
    from evaluation.generating.retrieval_charts import charts_of

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


MADE_BY = "claims_made_by"
"""Beside a reference's claims: what made them."""

NO_REFERENCES = (
    "No question has a reference answer with a text and without claims. Load references first, or "
    "take claims that are to be made again out of them."
)


def asked_model(options: Options) -> JudgeSettings | None:
    """How the model is asked that the options name, if they name one."""
    if not options["connection"]:
        return None
    return JudgeSettings(MODEL, "", options=options["asking"], connection=options["connection"])


@contextmanager
def _asking(work: MakingWork) -> Iterator[Caller]:
    """Through the connection that was named, if whoever asked for it may still use it."""
    making = work.making
    settings = asked_model(making.options)
    assert settings is not None
    connection = refuse_foreign(settings, making.study, making.created_by)
    assert connection is not None
    speaker = speaker_through(connection, settings)
    with asking(work.holding, speaker, pace_through(connection, settings)) as caller:
        yield caller


# Claims of references -----------------------------------------------------------------------------


def queue_of_references(study: Study, by: User | None, options: Options) -> str:
    """Where the model is asked; refuses where there is nothing to ask about."""
    if not any(_references(study)):
        raise Refused(NO_REFERENCES)
    return _queue_of_model(study, by, options)


def _queue_of_model(study: Study, by: User | None, options: Options) -> str:
    settings = asked_model(options)
    assert settings is not None
    return queue_of(settings, refuse_foreign(settings, study, by))


def _references(study: Study) -> Iterator[tuple[Question, Long]]:
    """The questions whose reference has a text and no claims."""
    for one in Question.objects.filter(study=study).order_by("pk").iterator(chunk_size=500):
        texts = texts_of(one.references)
        if texts and not claims_of(one.references):
            yield one, Long(one.text, "\n\n".join(texts))


def make_reference_claims(work: MakingWork) -> Made:
    """Claims of the references that have none, loaded together as a file of references is."""
    making, known = work.making, work.making.result
    left = Upload.objects.filter(pk=known.get("upload", 0)).first()
    if left is not None and followed(left, lambda: wait(work)):
        return _made(known)
    keys, found, signature = _asked_for(work)
    lines = [
        json.dumps({"question_id": key, "references": {"claims": claims, MADE_BY: signature}})
        for key, claims in zip(keys, found, strict=True)
        if claims
    ]
    counts = {
        "asked": len(found), "made": len(lines), "claims": sum(map(len, found)),
        "signature": signature,
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
    load(upload)
    return _made(counts)


def _asked_for(work: MakingWork) -> tuple[list[str], list[list[str]], str]:
    """The questions by their ids, the claims of each, and what made them."""
    making = work.making
    questions = list(_references(making.study))
    if not questions:
        raise Refused(NO_REFERENCES)
    many, done = making.options["many"], 0

    def one_more() -> None:
        nonlocal done
        done += 1
        work.tell("The model is asked", done, len(questions))

    with _asking(work) as caller:
        longs = ((place, long) for place, (_, long) in enumerate(questions))
        found = reference_claims(caller, longs, many, one_more)
        signature = signature_of(caller.scorer.fingerprint, many)
    keys = [question.external_id for question, _ in questions]
    return keys, [found[place] for place in range(len(keys))], signature


def _made(counts: Mapping[str, Any]) -> Made:
    asked, made = counts["asked"], counts["made"]
    lines = [
        f"{counts['claims']:,} claims of {made:,} references.",
        f"Of {asked - made:,} the model gave no answer." * (asked > made),
        f"Made by: {counts['signature']}",
        "Have people check them: whether each holds, and whether they cover the reference.",
    ]
    return Made([line for line in lines if line])


def take_references_back(making: Making) -> None:
    """Take back a file that is not loaded yet."""
    for upload in Upload.objects.filter(pk=making.result.get("upload", 0)):
        if upload.state == Upload.State.DONE:
            raise Refused("The claims are there already. Replace them by a file of references.")
        take_back(upload)


# The analysis of claims ---------------------------------------------------------------------------


def _scorer(options: Options) -> JudgeSettings:
    """As a judge of claims asks it; it reads no passages through a server."""
    return JudgeSettings(judge="aliice", **options["scorer"])


def queue_of_claim_errors(study: Study, by: User | None, options: Options) -> str:
    """Where the scorer's model belongs, else where the language model is asked."""
    scorer = _scorer(options)
    queue = queue_of(scorer, refuse_foreign(scorer, study, by))
    if queue != Run.Queue.DEFAULT or not options["connection"]:
        return queue
    return _queue_of_model(study, by, options)


def make_claim_errors(work: MakingWork) -> Made:
    """How the study's claims were divided, whether that matters, and what rewriting changes."""
    making = work.making
    options, study = making.options, making.study
    settings = _scorer(options)
    connection = refuse_foreign(settings, study, making.created_by)
    scorer = scorer_through(settings, None if connection is None else door_to(connection))
    assert scorer is not None

    def tell(wave: str, done: int, total: int) -> None:
        work.tell(f"Asking about claims: {wave}", done, total)

    asker = Asker(
        scorer, DatabaseCache(), threshold=settings.threshold, seconds=SECONDS, progress=tell
    )
    rewriting = nullcontext() if asked_model(options) is None else _asking(work)
    with rewriting as caller:
        found = claim_errors.analysed(
            study,
            list(study.systems.loaded().order_by("name")),
            asker,
            None if caller is None else ModelRewriter(caller),
            everything=options["everything"],
            tell=lambda done, total: work.tell("Reading claims", done, total),
        )
    lines = [*found.lines(), *claim_errors.notes_of(found.report)]
    return Made(lines, tables=claim_errors.tables_of(found.report))
