"""Label Studio: six choices about a page, kept together when the rater submits them."""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.databases import Database
from bench.peers.client import Browser
from bench.peers.product import QUESTIONS, WANTED, Rater, page_of, run

PASSWORD = "a plain long password"

MAKING = """
import json, sys
from organizations.models import Organization
from projects.models import Project
from tasks.models import Task
from users.models import User

told = json.load(open({told!r}))
people, password = User.objects, told["password"]
owner = people.create_user(email="owner@example.org", password=password, username="owner")
organization = Organization.create_organization(created_by=owner, title="bench")
project = Project.objects.create(
    title="bench", label_config=told["form"], created_by=owner, organization=organization,
    maximum_annotations=told["wanted"],
)
Task.objects.bulk_create(
    Task(project=project, data=dict(page=page), overlap=told["wanted"]) for page in told["pages"]
)
for number in range(told["raters"]):
    name = f"rater{{number}}"
    rater = people.create_user(email=f"{{name}}@example.org", password=password, username=name)
    organization.add_user(rater)
    rater.active_organization = organization
    rater.save()
print(project.pk)
"""

COUNTING = "from tasks.models import Annotation; print(Annotation.objects.count())"


def choices(name: str, values: Sequence[str]) -> str:
    each = "".join(f'<Choice value="{value}"/>' for value in values)
    return f'<Choices name="{name}" toName="page" choice="single">{each}</Choices>'


class LabelStudio:
    name = "Label Studio"

    def __init__(self, python: Path, folder: Path, database: Database) -> None:
        self._python, self._folder, self.database = python, folder, database
        self._project = 0
        self._home = next(python.parents[1].glob("lib/python*/site-packages/label_studio"))

    @property
    def _environment(self) -> dict[str, str]:
        """Nothing of it asks other machines here."""
        found = {
            "DJANGO_SETTINGS_MODULE": "core.settings.label_studio",
            "LABEL_STUDIO_BASE_DATA_DIR": str(self._folder),
            "DJANGO_DB": "sqlite",
            "LOG_LEVEL": "ERROR",
            "SENTRY_DSN": "",
            "FRONTEND_SENTRY_DSN": "",
            "COLLECT_ANALYTICS": "0",
            "LATEST_VERSION_CHECK": "0",
        }
        if self.database.url.startswith("postgresql"):
            place = urlsplit(self.database.url)
            found |= {
                "DJANGO_DB": "default",
                "POSTGRE_NAME": place.path.strip("/"),
                "POSTGRE_HOST": place.hostname or "127.0.0.1",
                "POSTGRE_PORT": str(place.port or 5432),
                "POSTGRE_USER": place.username or "postgres",
                "POSTGRE_PASSWORD": place.password or "",
            }
        return found

    def _manage(self, *arguments: str) -> str:
        return run(self._python, ["manage.py", *arguments], self._environment, self._home)

    def set_up(self, raters: int, responses: int) -> None:
        form = "".join(choices(f"q{n}", values) for n, values in enumerate(QUESTIONS))
        self.make(form, [page_of(n) for n in range(responses)], raters)

    def make(self, form: str, pages: Sequence[str], raters: int) -> int:
        """A project in which each page is a task with these fields; its key."""
        self._manage("migrate", "--verbosity", "0")
        told = {
            "password": PASSWORD,
            "form": f'<View><HyperText name="page" value="$page" inline="true"/>{form}</View>',
            "wanted": WANTED,
            "raters": raters,
            "pages": pages,
        }
        path = self._folder / "told.json"
        path.write_text(json.dumps(told))
        said = self._manage("shell", "--verbosity", "0", "-c", MAKING.format(told=str(path)))
        self._project = int(said.split()[-1])
        return self._project

    def command(self, port: int) -> tuple[Sequence[str], Mapping[str, str], Path]:
        workers = ("-m", "gunicorn", "-w", "2", "--preload", "-b", f"127.0.0.1:{port}")
        return (str(self._python), *workers, "core.wsgi:application"), self._environment, self._home

    def rater(self, port: int, number: int, seconds: dict[str, list[float]]) -> Rater:
        browser = Browser(port, seconds=seconds)
        return _Rater(browser, self._project, f"rater{number}@example.org")

    def kept(self) -> int | None:
        said = self._manage("shell", "--verbosity", "0", "-c", COUNTING)
        return int(said.split()[-1]) * len(QUESTIONS)


class _Rater:
    def __init__(self, browser: Browser, project: int, email: str) -> None:
        self._browser, self._project, self._email = browser, project, email
        self._task, self._answers = 0, list[Any]()

    async def enter(self) -> None:
        await self._browser.get("/user/login/")
        sent = {"email": self._email, "password": PASSWORD, "persist_session": "on"}
        sent["csrfmiddlewaretoken"] = self._browser.cookies["csrftoken"]
        self._browser.headers["Referer"] = f"http://localhost:{self._browser.port}/user/login/"
        await self._browser.post("/user/login/", sent)
        self._browser.headers["X-CSRFToken"] = self._browser.cookies["csrftoken"]
        await self._next()

    async def _next(self) -> None:
        reply = await self._browser.get(f"/api/projects/{self._project}/next")
        self._task, self._answers = reply.data()["id"], []

    async def save(self, question: int, chance: random.Random) -> None:
        self._answers.append(
            {
                "from_name": f"q{question}",
                "to_name": "page",
                "type": "choices",
                "value": {"choices": [chance.choice(QUESTIONS[question])]},
            }
        )
        if len(self._answers) == len(QUESTIONS):
            sent = {"result": self._answers, "lead_time": 9.0, "project": self._project}
            path = f"/api/tasks/{self._task}/annotations/?project={self._project}"
            await self._browser.post_json(path, sent, kind="save")

    async def go_on(self) -> None:
        await self._next()
