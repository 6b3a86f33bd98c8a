"""Generate a system in a worker: answer its questions under a lease, then load its responses."""

import logging
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings as site
from django.utils.text import slugify

from annotate.formats import write_response
from annotate.models import System, Upload
from annotate.web.errors import Refused
from annotate.work import jobs
from annotate.work.jobs import Holding
from evaluation.generating.generation_settings import GenerationSettings
from evaluation.generating.generations import GENERATION, LOADING, SUFFIX, State, file_of
from evaluation.generating.new_systems import BusyError, discard, editing_by, load, store
from evaluation.generating.postediting import Editing
from evaluation.generating.subjects import Subjects
from evaluation.generating.systems.context_window import ContextWindow
from evaluation.generating.systems.conversations import CUT_OFF, NO_ANSWER, Subject, WrittenAnswer
from evaluation.generating.systems.rule_model import RuleModel
from evaluation.generating.systems.spec import AUTOAIS, POSTCITE, RERANK
from evaluation.generating.systems.writing import ResponseWriter, signature_of
from evaluation.judges import AutomaticJudge
from evaluation.judges.entailment import Asker
from evaluation.language_models.asking.calling import Caller, Model, Pacer
from evaluation.language_models.asking.server_apis import LOCAL
from evaluation.language_models.asking_models import client_for, options_of, pacer_for
from evaluation.language_models.connections import connection_of
from evaluation.language_models.model_calls import BudgetSpentError
from evaluation.models import Generation
from evaluation.runs.judge_making import DatabaseCache, make_judge, scorer_of
from evaluation.runs.making import paid_caller
from evaluation.runs.queue import BUDGET_SPENT
from evaluation.runs.shards import RUN_ERRORS, TIME_IS_UP, Late, error_text

log = logging.getLogger(__name__)

ANSWERING = "questions are answered"
LATEST, MOST_SHOWN = 20, 2_000
"""How many of the last answers are shown during the job, and the characters of each."""

EDITED_BY = {POSTCITE: "postcite", RERANK: "rerank", AUTOAIS: "rerank-passages"}
"""The way of post-editing for each value of `afterwards`."""

CHANGED = (
    "Its connection, examples or prompts changed after the start, which makes another system. "
    "Existing answers are kept. Start a new one."
)


class LaterError(Exception):
    """Another job of the study goes first; this one continues later."""


@dataclass(slots=True)
class _Making:
    """A generation in progress."""

    holding: Holding[Generation]
    settings: GenerationSettings
    model: Model
    mode: str
    pace: Pacer
    window: ContextWindow
    subjects: Subjects
    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def signature(self) -> str:
        """The signature without the passages, which are not read yet."""
        return self.signed("")

    def signed(self, passages: str) -> str:
        """Return the signature as the system's description shows it."""
        given = self.settings
        return signature_of(
            given.spec,
            given.own,
            given.decoding(self.mode),
            seeds=given.seeds,
            examples=given.named_examples,
            model=self.model.fingerprint,
            passages=passages,
            limits=given.limits,
        )

    def answered(self, run: str, subject: Subject, written: WrittenAnswer) -> None:
        """Count one answer and show it among the last ones."""
        noted = self.holding.progress
        noted["answered"] = noted.get("answered", 0) + 1
        one = {
            "question": subject.question.text[:MOST_SHOWN],
            "output": written.output[:MOST_SHOWN],
            "why": str(written.notes.get(NO_ANSWER, "")),
            "cut_off": CUT_OFF in written.notes,
            "run": run,
        }
        noted["latest"] = [one, *noted.get("latest", ())][:LATEST]


def work(generation_id: int, *, worker: str = "") -> Generation | None:
    """Generate a waiting system; return its row afterwards, or None if it is not ours."""
    ours = jobs.work(GENERATION, generation_id, _do, fail=_fail, worker=worker)
    return Generation.objects.filter(pk=generation_id).first() if ours else None


def _do(holding: Holding[Generation]) -> None:
    if _was_made(holding):
        return
    making = _making(holding)
    signature = making.signature
    if holding.row.signature not in ("", signature):
        raise Refused(CHANGED)
    given = making.settings
    holding.progress.update(
        phase=ANSWERING,
        total=len(making.subjects.keys) * given.answers_per_question,
        signature=signature,
    )
    holding.renew()
    if not making.subjects.keys:
        raise Refused("The study has no questions that were answered or loaded by themselves.")
    with TemporaryDirectory(prefix="attest-") as folder:
        path = Path(folder) / f"{slugify(holding.row.name) or 'system'}{SUFFIX}"
        editing = _write(making, path)
        holding.progress.update(phase=LOADING)
        holding.renew()
        upload = store(_system(making, editing), path, SUFFIX)
    load(upload)
    _finish(holding, dict(making.outcomes))


def _was_made(holding: Holding[Generation]) -> bool:
    """Whether a killed worker had the responses loaded; otherwise discard its leftovers."""
    left = file_of(holding.row)
    if left is None or left.state == Upload.State.DISCARDED:
        return False
    if left.state == Upload.State.DONE:
        _finish(holding, holding.row.outcome)
        return True
    try:
        discard(left)
    except Refused:  # a worker took it in the meantime
        raise LaterError from None
    return False


def _finish(holding: Holding[Generation], outcome: dict[str, int]) -> None:
    row = holding.row
    system = System.objects.filter(study=row.study_id, name=row.name).first()
    holding.progress.pop("latest", None)
    holding.finish(State.DONE, system=system, outcome=outcome, latest=None)


def _making(holding: Holding[Generation]) -> _Making:
    row = holding.row
    given = GenerationSettings(**row.settings)
    if given.scoring is not None:
        connection_of(row, given.scoring)  # refuses a forbidden scorer
    subjects = Subjects(row.study, given)
    if given.simulated:
        return _Making(holding, given, RuleModel(), "", Pacer(8), ContextWindow(), subjects)
    connection = connection_of(row, given.asking)
    assert connection is not None
    speaker = client_for(connection, given.asking)
    pace = pacer_for(connection, given.asking)
    window = window_of(given, speaker)
    return _Making(holding, given, speaker, connection.mode, pace, window, subjects)


def window_of(settings: GenerationSettings, model: Model | None = None) -> ContextWindow:
    """Return how much the model reads: as it says itself, or as the settings say."""
    reads = getattr(model, "reads", None)
    count = getattr(model, "tokens_of", None)
    written = options_of(settings.asking)["most_tokens"]
    said_so = settings.context - written if settings.context else 0
    if reads is None or count is None:
        return ContextWindow(said_so)
    return ContextWindow(min(reads, said_so) if said_so else reads, count)


def _write(making: _Making, path: Path) -> Editing | None:
    """Write every response, one on a line."""
    holding, given = making.holding, making.settings
    editing = editing_of(holding.row, given)
    writing = path.open("w", encoding="utf-8", newline="")
    with writing as handle, paid_caller(holding, making.model, making.pace) as caller:
        for seed in given.seeds:
            writer = _writer(making, caller, seed, editing)
            for some in making.subjects.portions():
                handle.writelines(map(write_response, writer.write(some)))
            making.outcomes.update(writer.outcomes)
    return editing


def _writer(making: _Making, caller: Caller, seed: int, editing: Editing | None) -> ResponseWriter:
    given = making.settings
    run = f"{seed}" if len(given.seeds) > 1 else ""
    return ResponseWriter(
        given.spec,
        making.subjects.inputs(seed, making.window),
        caller,
        given.decoding(making.mode),
        given.afterwards,
        editing,
        given.samples,
        making.holding.row.name,
        run,
        partial(making.answered, run),
    )


def editing_of(row: Generation, settings: GenerationSettings) -> Editing | None:
    """Return the editing that follows the answers, if any."""
    way, scoring = EDITED_BY.get(settings.afterwards), settings.scoring

    def judge(_: str) -> AutomaticJudge:
        assert scoring is not None
        scorer = scorer_of(row, scoring)
        assert scorer is not None
        return make_judge(scoring, row.study, Asker(scorer, DatabaseCache()))

    return None if way is None else editing_by(way, row.study.division, judge)


def _system(making: _Making, editing: Editing | None) -> System:
    """Return the new system; its description names the model and its signature."""
    row, given = making.holding.row, making.settings
    spec = given.spec
    passages = _passages_of(given)
    told = [
        f"{'Simulated: ' if given.simulated else ''}{spec.title} ({spec.paper}), "
        f"made here {'by rule, without a model' if given.simulated else f'by {_model(row)}'}"
        f"{passages}.",
        "" if editing is None else editing.description,
        f"Signature: {making.signed(making.subjects.signature)}"
        f"{'' if editing is None else f'|{editing.signature}'}",
    ]
    return System(
        study=row.study,
        name=row.name,
        description=" ".join(filter(None, told)),
        uses_autoais=given.uses_autoais,
    )


def _passages_of(settings: GenerationSettings) -> str:
    if settings.corpus:
        return f" from the corpus “{settings.corpus}”"
    source = System.objects.filter(pk=settings.passages_of or 0).first()
    return "" if source is None else f" from the passages of “{source.name}”"


def _model(row: Generation) -> str:
    if row.connection is None:
        return "a model whose connection is gone"
    called = row.connection.model or Path(row.connection.url).name
    return f"“{called}”" if row.connection.mode != LOCAL else f"the local model “{called}”"


def _fail(holding: Holding[Generation], problem: Exception) -> None:
    """Release the job if it can continue later; otherwise record the error."""
    if isinstance(problem, BudgetSpentError):
        holding.finish(State.PAUSED, **holding.progress, finished_at=None, error=BUDGET_SPENT)
    elif isinstance(problem, LaterError | BusyError) or (
        isinstance(problem, Late) and problem.kept
    ):
        holding.release()
        if isinstance(problem, Late):  # others first
            jobs.send_row(GENERATION, holding.row)
    else:
        if isinstance(problem, Late):
            problem = Late(TIME_IS_UP.format(site.ATTEST_PART_MINUTES))
        elif not isinstance(problem, RUN_ERRORS):
            log.exception("generation %s failed", holding.row.pk)
        holding.finish(State.FAILED, error=error_text(problem))
