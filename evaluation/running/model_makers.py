"""What a worker makes of a study by asking a language model: claims of reference answers, and the
analysis of claims with claims written anew."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from io import BytesIO
from typing import Any

from django.core.files import File
from django.db import transaction

from annotate.models import Question, Study, Upload, User
from annotate.services import uploads
from annotate.services.errors import Refused
from annotate.services.units import claims_of, texts_of
from evaluation.asking.calling import Caller
from evaluation.asking.claims import Long, ModelRewriter, make_claims, signature_of
from evaluation.entailment import Asker
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Making, Run
from evaluation.outside.allowed import refuse_foreign
from evaluation.outside.connections import door_to
from evaluation.running import claim_errors
from evaluation.running.asking_models import MODEL, pace_through, speaker_through
from evaluation.running.calling import asking
from evaluation.running.judge_making import SECONDS, scorer_through
from evaluation.running.known_entailments import DatabaseCache
from evaluation.running.makers import wait
from evaluation.running.making import Made, MakingWork
from evaluation.running.new_systems import followed, load, take_back
from evaluation.running.runs import queue_of

Options = Mapping[str, Any]

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
        found = make_claims(caller, longs, many, one_more)
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
