"""The scene's study before and after, in a process beside the servers (see `served`)."""

import hashlib
from collections import Counter

import django

from tests.evaluation.runs import served
from tests.evaluation.runs.served import collect_static, create, plan, session_of, state  # noqa: F401 what the world asks for

RESPONSES, WANTED, RATERS = 48, 2, 4
FILES, IN_A_FILE = 5, 8
DOOMED = 40


def prepare():
    """A study with an open batch, one that will be deleted, and who acts on them."""
    from django.core.management import call_command

    from annotate.authentication import new_token
    from annotate.models import User
    from annotate.studies.lifecycle import create_study
    from tests.annotate.loading import load
    from tests.annotate.rating import open_work, rater_in

    call_command("migrate", verbosity=0)
    alice = User.objects.create_user("alice", is_researcher=True)
    study = create_study(name="Peaks", slug="peaks", preset="alce", owner=alice)
    load(study, [record(n, "crimson") for n in range(RESPONSES)])
    batch = open_work(study, raters_per_item=WANTED, lease_minutes=1)
    raters = [session_of(rater_in(study, f"person{n}")) for n in range(RATERS)]
    doomed = create_study(name="Doomed", slug="doomed", preset="alce", owner=alice)
    load(doomed, [record(n, "crimson") for n in range(DOOMED)])
    return {
        "batch": batch.pk,
        "raters": raters,
        "owner": session_of(alice),
        "token": new_token(alice, "program"),
        "files": ["\n".join(map(_line, _numbers(n))) for n in range(FILES)],
    }


def _numbers(file):
    return range(1_000 + file * IN_A_FILE, 1_000 + (file + 1) * IN_A_FILE)


def _line(number):
    import json

    return json.dumps(record(number, "azure"))


def record(number, system):
    """One response, of which a scorer that compares words can say something."""
    from tests.annotate.loading import response

    return response(
        f"The Zugspitze is peak {number} of Germany [1][2]. It is high [2].",
        system=system,
        question_id=f"q{number}",
        question=f"How high is peak {number}?",
        passages=(
            ("Zugspitze", f"The Zugspitze is peak {number} of Germany."),
            ("Height", f"Peak {number}: it is high." if number % 2 else f"Peak {number} is low."),
        ),
    )


def retry(run):
    """What a researcher does where three workers were killed over one part."""
    from evaluation.models import Run
    from evaluation.runs import lifecycle as runs

    runs.retry(Run.objects.get(pk=run))
    return {}


def progress():
    """How far uploads and deletion are."""
    from annotate.models import Study, Upload

    uploads = Upload.objects.filter(study__slug="peaks", name__startswith="file-")
    return {
        "uploads": dict(Counter(uploads.values_list("state", flat=True))),
        "doomed": Study.objects.filter(slug="doomed").exists(),
    }


def outcome():
    """All that is there at the end, in an order of its own and without who and when."""
    from annotate.exchange import streams
    from annotate.models import Assignment, Judgment, Response, Study

    study = Study.objects.get(slug="peaks")
    done = Assignment.objects.filter(state="done", judge__kind="human")
    counted = Judgment.objects.filter(unit__response__study=study)
    return {
        "outputs": _digest(sorted(streams.output_lines(study))),
        "responses": Response.objects.filter(study=study).count(),
        "ratings": sorted(Counter(done.values_list("item", flat=True)).values()),
        "doubled": done.count() - done.values("item", "judge").distinct().count(),
        "people": _judgments(counted.filter(judge__kind="human", unfinished=False)),
        "machines": _judgments(counted.filter(judge__kind="automatic")),
        "edits": sorted(counted.filter(judge__kind="human").values_list("edit", flat=True)),
        "past": sorted(_past(study)),
        "doomed": Response.objects.filter(study__slug="doomed").count(),
    }


def _past(study):
    from annotate.models import PastJudgment

    return PastJudgment.objects.filter(judgment__unit__response__study=study).values_list(
        "edit", flat=True
    )


def _judgments(rows):
    found = rows.values_list(
        "unit__response__question__external_id",
        "unit__response__system__name",
        "unit__key",
        "dimension",
        "value",
        "score",
        "skipped_reason",
    )
    return sorted((list(row) for row in found), key=str)


def _digest(lines):
    return hashlib.sha256("".join(lines).encode()).hexdigest()


if __name__ == "__main__":
    django.setup()
    served.main(globals())
