"""What a test of real server processes does to their database, in a process of its own.

`python -m tests.desk.served prepare` makes a study with an open batch and prints how to enter it;
`… counts` prints everything that was rated.
"""

import json
import sys

import django

RESPONSES, WANTED, PEOPLE = 8, 3, 6


def prepare():
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from annotate.models import User
    from annotate.studies.lifecycle import create_study
    from tests.annotate.loading import load, response
    from tests.annotate.rating import open_work, rater_in

    alice = User.objects.create_user("alice", is_researcher=True)
    study = create_study(name="Peaks", slug="peaks", preset="alce", owner=alice)
    load(
        study,
        [
            response(
                f"Peak {n} is {n} metres high [1]. It is red [2].",
                question_id=f"q{n}",
                question=f"How high is peak {n}?",
            )
            for n in range(RESPONSES)
        ],
    )
    batch = open_work(study, raters_per_item=WANTED)
    sessions = []
    for n in range(PEOPLE):
        user = rater_in(study, f"person{n}")
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = "annotate.authentication.EmailOrUsernameBackend"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        sessions.append(session.session_key)
    return {"batch": batch.pk, "sessions": sessions}


def counts():
    from annotate.models import Assignment, Judgment, PastJudgment

    tasks = list(Assignment.objects.values_list("pk", "item", "judge", "state", "item__response"))
    task_of = {(judge, response): pk for pk, _, judge, _, response in tasks}
    return {
        "done": [(item, judge) for _, item, judge, state, _ in tasks if state == "done"],
        "judgments": [
            (task_of[judge, response], f"{unit}:{dimension}", edit, value)
            for judge, response, unit, dimension, edit, value in Judgment.objects.values_list(
                "judge", "unit__response", "unit__key", "dimension", "edit", "value"
            )
        ],
        "history": PastJudgment.objects.count(),
    }


if __name__ == "__main__":
    django.setup()
    print(json.dumps({"prepare": prepare, "counts": counts}[sys.argv[1]]()))
