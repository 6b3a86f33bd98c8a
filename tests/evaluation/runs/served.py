"""What a test of real workers does to their database, in a process of its own.

It reads what to do, `["what", {"name": value}]` in a line, and answers with a line of JSON.
"""

import json
import sys
import traceback

import django

RESPONSES = 60
ASKED = 30
"""Questions that are answered where a system is made."""

PART = 5
"""Responses in a part: so few that there are several parts."""


def prepare():
    """A study to be judged."""
    from annotate.models import User
    from annotate.studies.lifecycle import create_study
    from tests.annotate.loading import load, response

    alice = User.objects.create_user("alice", is_researcher=True)
    study = create_study(name="Peaks", slug="peaks", preset="alce", owner=alice)
    load(
        study,
        [
            response(
                f"The Zugspitze is peak {n} of Germany [1][2]. It is high [2].",
                question_id=f"q{n}",
                question=f"How high is peak {n}?",
                passages=(
                    ("Zugspitze", f"The Zugspitze is peak {n} of Germany."),
                    ("Height", f"Peak {n}: it is high." if n % 2 else f"Peak {n} is low."),
                ),
            )
            for n in range(RESPONSES)
        ],
    )
    return {"session": session_of(alice)}


def collect_static():
    """What a web server needs besides."""
    from django.core.management import call_command

    call_command("collectstatic", interactive=False, verbosity=0)
    return {}


def prepare_demo():
    """The demo studies, which nobody has judged automatically, in a migrated database."""
    from annotate.management.demo.loading import load_demo
    from annotate.models import Study

    load_demo()
    study = Study.objects.get(is_demo=True, preset="aliice")
    return {"session": session_of(study.memberships.get(role="owner").user), "study": study.slug}


def token():
    """What a program of the study's owner sends."""
    from annotate.authentication import new_token
    from annotate.models import User

    return {"token": new_token(User.objects.get(username="alice"), "test")}


def session():
    """The key of a session of the study's owner."""
    from annotate.models import User

    return {"session": session_of(User.objects.get(username="alice"))}


def session_of(user):
    """The key of a session in which somebody is signed in."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "annotate.authentication.EmailOrUsernameBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return session.session_key


CONNECTION = "slow"


def connect(url):
    """A connection to the scorer at an address of this machine."""
    from evaluation.language_models.connections import save
    from evaluation.models import Connection

    made = Connection.objects.filter(name=CONNECTION).first() or Connection(name=CONNECTION)
    made.url, made.inner, made.everybody = url, True, True
    save(made)
    return {}


def create(url, here=False, starts_itself=True, scorer="http", study="peaks", **options):
    """A run by the scorer at an address; `here` does it at once, without any worker."""
    from annotate.models import Study
    from evaluation.judges.settings import JudgeSettings
    from evaluation.models import Run
    from evaluation.runs import lifecycle as runs
    from evaluation.runs import plans as run_plans
    from evaluation.runs.shards import work

    run_plans.MOST = PART
    run_plans.LEAST = PART
    if url:
        connect(url)
    settings = JudgeSettings("alce", scorer, options=options, connection=CONNECTION if url else "")
    run = runs.create(
        Study.objects.get(slug=study),
        settings,
        starts_itself=starts_itself,
        by_operator=True,
        queued=not here,
    )
    if here:
        run_plans.plan(run.pk)
        for key in list(run.shards.values_list("pk", flat=True)):
            work(key)
        run = Run.objects.get(pk=run.pk)
    return {"run": run.pk, "state": run.state}


def generate(url, at_once, here=False):
    """A system that a language model at an address makes in talks of actions, for two seeds; `here`
    does it at once, without any worker."""
    from annotate.models import Study
    from evaluation.generating import generations
    from evaluation.generating.generation_job import work
    from evaluation.generating.generation_settings import GenerationSettings
    from evaluation.language_models.connections import save
    from evaluation.models import Connection

    save(Connection(name="lab", url=url, mode="chat", model="m-1", inner=True, everybody=True))
    options = {"at_once": str(at_once), "shots": "1"}
    settings = GenerationSettings("interact", "lab", options=options, seeds=(1, 2), questions=ASKED)
    study = Study.objects.get(slug="peaks")
    row = generations.create(study, "New", settings, by_operator=True, queued=not here)
    if here:
        work(row.pk)
    return {"generation": row.pk, "state": generation(row.pk)["state"]}


def generation(key):
    """How far a system that is made has come."""
    from evaluation.models import Generation

    row = Generation.objects.get(pk=key)
    return {name: getattr(row, name) for name in ("state", "error", "deaths", "calls", "answered")}


def generated():
    """What the new system wrote, with the passages that it was shown."""
    from annotate.models import Response

    rows = Response.objects.current().filter(system__name="New").select_related("question")
    return sorted(
        [row.question.external_id, row.run, row.text, row.metadata,
         [source.passage_id for source in row.sources.order_by("n")]]
        for row in rows
    )  # fmt: skip


def index(count, here=False):
    """A corpus of so many passages, which a worker is to index; `here` does it at once."""
    from django.conf import settings
    from django.core.files.uploadedfile import SimpleUploadedFile

    from annotate.models import Study, User
    from evaluation.generating import corpora

    settings.ATTEST_INLINE_UPLOAD_BYTES = 10**9 if here else 0
    lines = "".join(
        json.dumps(
            {"id": f"p{n}", "title": f"Peak {n}", "text": f"Peak {n} is {n % 97} high. " * 9}
        )
        + "\n"
        for n in range(count)
    )
    file = SimpleUploadedFile("peaks.jsonl", lines.encode())
    by = User.objects.get(username="alice")
    made = corpora.receive(Study.objects.get(slug="peaks"), "Peaks", [file], by=by)
    corpora.start(made)
    return corpus(made.pk)


def corpus(key):
    """How far a corpus has come, and what lies on the disk."""
    from django.conf import settings

    from evaluation.models import Corpus, CorpusFile

    row = Corpus.objects.get(pk=key)
    root = settings.ATTEST_CORPORA_DIR
    folders = sorted(root.glob(f"{key}-*")) if root.is_dir() else []
    texts = [path / "passages.jsonl" for path in folders]
    return {name: getattr(row, name) for name in ("pk", "state", "error", "deaths", "passages")} | {
        "folders": [path.name for path in folders],
        "is_its_folder": [path.name for path in folders] == [row.folder],
        "written": sum(path.stat().st_size for path in texts if path.exists()),
        "files": CorpusFile.objects.filter(corpus=row).count(),
    }


def calls():
    """What was asked of models: how many calls were answered, how many are left claimed, what was
    paid for, and how many judgments were changed."""
    from annotate.models import PastJudgment
    from evaluation.models import ModelCall, Run

    return {
        "answered": ModelCall.objects.filter(lease_token="").count(),
        "claimed": ModelCall.objects.exclude(lease_token="").count(),
        "paid": sum(Run.objects.values_list("calls", flat=True)),
        "changed": PastJudgment.objects.count(),
    }


def plan(run):
    """Plan it here, in small parts, and start it."""
    from evaluation.runs import plans as run_plans

    run_plans.MOST = run_plans.LEAST = PART
    found = run_plans.plan(run)
    return {"state": found.state if found else ""}


def state(run):
    """How it stands."""
    from evaluation.models import Run
    from evaluation.runs.overview import as_json

    told = as_json(Run.objects.get(pk=run))
    return {name: told[name] for name in KEPT} | {
        "attempts": list(Run.objects.get(pk=run).shards.values_list("attempts", flat=True))
    }


def cancel(run):
    """Stop a run for good."""
    from evaluation.models import Run
    from evaluation.runs import lifecycle as runs

    runs.cancel(Run.objects.get(pk=run))
    return {}


KEPT = ("state", "share_done", "parts", "found", "not_judged", "pairs_failed", "error", "workers")


def judgments():
    """Everything that automatic judges said."""
    from annotate.models import Judgment

    rows = Judgment.objects.filter(judge__kind="automatic").values_list(
        "unit__response__question__external_id",
        "unit__key",
        "dimension",
        "value",
        "score",
        "skipped_reason",
    )
    return sorted((list(row) for row in rows), key=str)


def send_again(run):
    """Every message of a run once more."""
    from annotate.work import jobs
    from evaluation.models import Run
    from evaluation.runs.queue import PART

    found = Run.objects.get(pk=run)
    jobs.send(PART, found.queue, found.shards.values_list("pk", flat=True))
    return {}


def ask_model(url, at_once, here=False, batches=False, mode="chat"):
    """A run of a language model at an address; `here` does it at once, without any worker."""
    from annotate.models import Study
    from evaluation.judges.settings import JudgeSettings
    from evaluation.language_models.connections import save
    from evaluation.models import Connection, Run
    from evaluation.runs import lifecycle as runs
    from evaluation.runs import plans as run_plans
    from evaluation.runs.shards import work

    run_plans.MOST = run_plans.LEAST = PART
    save(Connection(name="lab", url=url, mode=mode, model="m-1", inner=True, everybody=True))
    settings = JudgeSettings(
        "model",
        "coverage",
        connection="lab",
        options={"at_once": str(at_once)} | ({"batches": "yes"} if batches else {}),
        dimensions=["citation_recall", "citation_support"],
    )
    study = Study.objects.get(slug="peaks")
    run = runs.create(study, settings, starts_itself=True, by_operator=True, queued=False)
    run_plans.plan(run.pk)
    if here:
        for key in list(run.shards.values_list("pk", flat=True)):
            work(key)
    return {"run": run.pk, "state": Run.objects.get(pk=run.pk).state}


def searched(key, queries):
    """What is found in it, to the last bit."""
    from evaluation.generating.searching import retriever_of
    from evaluation.models import Corpus

    found = retriever_of(Corpus.objects.get(pk=key)).search(queries, 20)
    return [[[one.key, one.score, one.text] for one in some] for some in found]


def due():
    """It is time to look at each batch that is out; how many there are."""
    from django.utils import timezone

    from evaluation.models import ModelBatch

    now, out = timezone.now(), ModelBatch.objects.filter(state="waiting")
    out.filter(due_at__gt=now).update(due_at=now, sent_at=None)
    return out.count()


def others_work():
    """An upload and a report of another study, left to the workers."""
    from annotate import uploads
    from annotate.models import User
    from annotate.studies.lifecycle import create_study
    from evaluation.report_pages.requests import report_state
    from evaluation.reports.filters import Filters
    from tests.annotate.loading import load, response
    from tests.uploads.steps import receive

    owner = User.objects.create_user("bea", is_researcher=True)
    study = create_study(name="Others", slug="others", preset="alce", owner=owner)
    load(study, [response("It is high [1].")])
    upload = receive(study, json.dumps(response("It is low [1].", question_id="q2")).encode())
    uploads.send(upload.pk)
    report_state(study, Filters(), order=True)
    return {}


def others_state():
    """How far they have come."""
    from annotate.models import Upload
    from evaluation.models import Report

    newest = Upload.objects.filter(study__slug="others").latest("pk")
    return [newest.state, Report.objects.get(study__slug="others").state]


def main(known):
    """Do what is asked, of the functions that are `known`."""
    from django.db import connection

    for line in sys.stdin:
        what, arguments = json.loads(line)
        try:
            answer = {"answer": known[what](**arguments)}
        except Exception:  # noqa: BLE001 the test shall see it
            answer = {"error": traceback.format_exc()}
        connection.close()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    django.setup()
    main(globals())
