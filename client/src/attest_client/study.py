"""Studies: uploads, judges, batches, judgments and reports."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from time import sleep
from typing import Any, TypeVar
from urllib.parse import quote

from attest_client.models import (
    ApiModel,
    Assignment,
    Batch,
    Judge,
    Response,
    Run,
    StudyInfo,
    System,
    Upload,
)
from attest_client.progress import Progress, shown
from attest_client.reports import Judgments, Report
from attest_client.sending import GUESS, Content, as_file, as_mapping
from attest_client.transport import AttestError, FailedError, Transport

WORKING = {"received", "checking", "queued", "loading"}
RUNNING = {"planning", "running"}
SOONEST, LATEST = 0.2, 5.0
"""The first and the longest pause between two requests for progress, in seconds."""


M = TypeVar("M", bound=ApiModel)


class Study:
    """One study, by its slug."""

    def __init__(self, transport: Transport, slug: str) -> None:
        self.slug = slug
        self._transport = transport

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.slug!r})"

    def _at(self, path: str) -> str:
        return f"studies/{quote(self.slug, safe='')}/{path}"

    def _ask(self, method: str, path: str = "", **sent: Any) -> Any:
        answer = self._transport.ask(method, self._at(path), **sent)
        return answer.json() if answer.content else None

    def _get(self, path: str = "") -> dict[str, Any]:
        return dict(self._ask("GET", path))

    def _list(self, path: str, model: type[M]) -> list[M]:
        name = path.rstrip("/").rpartition("/")[2]
        return [*map(model.model_validate, self._transport.every(self._at(path), name))]

    def settings(self) -> dict[str, Any]:
        """Return its settings."""
        return self._get()

    def dimensions(self) -> dict[str, Any]:
        """Return its dimensions with the fields of a protocol file."""
        return self._get("dimensions/")

    def systems(self) -> list[System]:
        """Return its systems."""
        return self._list("systems/", System)

    def judges(self) -> list[Judge]:
        """Return its judges. The name of an automatic judge is its signature."""
        return self._list("judges/", Judge)

    def copy(
        self,
        name: str,
        *,
        with_responses: bool = False,
        with_batches: bool = False,
        progress: Progress = None,
    ) -> "Study":
        """Copy the study with its dimensions, perhaps with responses and with batches as drafts.

        With responses, wait until they are loaded.
        """
        sent = {"name": name, "with_responses": with_responses, "with_batches": with_batches}
        study = Study(self._transport, self._ask("POST", "copy/", sent=sent)["slug"])
        if with_responses:
            for upload in reversed(study._list("uploads/", Upload)):
                with shown(progress, f"check of upload {upload.id}") as report:
                    upload = study._ended_upload(upload, report)
                study._load(upload, {}, f"upload {upload.id}", progress)
        return study

    # Uploads ---------------------------------------------------------------------------------

    def upload(
        self,
        content: Content,
        mapping: Any = None,
        *,
        passages: Content | None = None,
        format: str = "",
        system: str = "",
        run: str = "",
        replace: bool = False,
        keep_good: bool = False,
        wait: bool = True,
        progress: Progress = None,
    ) -> Upload:
        """Upload and load outputs, questions, judgments or references.

        `content` is the path of a file or of a folder with tables (which is zipped), a DataFrame,
        or rows as a list of dicts. For a table, `mapping` assigns its columns to fields: a dict,
        the path of a saved mapping, or `GUESS`, which accepts Attest's guess.
        A faulty file raises an error with places and reasons, and nothing is loaded. `keep_good`
        loads the valid records.
        """
        names = {"system": system, "run": run}
        form = {"format": format, "mapping": as_mapping(mapping), **names}
        form = {key: value for key, value in form.items() if value}
        with ExitStack() as opened:
            files = {"file": opened.enter_context(as_file(content))}
            if passages is not None:
                files["passages"] = opened.enter_context(as_file(passages))
            name = files["file"][0]
            upload = Upload.model_validate(self._ask("POST", "uploads/", form=form, files=files))
        with shown(progress, f"check of {name}") as report:
            upload = self._ended_upload(upload, report)
            if mapping == GUESS and upload.guess:
                sent = {**names, "mapping": upload.guess}
                answer = self._ask("POST", f"uploads/{upload.id}/again/", sent=sent)
                upload = self._ended_upload(Upload.model_validate(answer), report)
        confirm = {"replace": replace, "keep_good": keep_good}
        return self._load(upload, confirm, name, progress, wait=wait)

    def _load(
        self,
        upload: Upload,
        confirm: Mapping[str, bool],
        name: str,
        progress: Progress,
        *,
        wait: bool = True,
    ) -> Upload:
        if upload.state not in ({"ready", "invalid"} if confirm.get("keep_good") else {"ready"}):
            raise FailedError(upload.said)
        answer = self._ask("POST", f"uploads/{upload.id}/confirm/", sent=confirm)
        upload = Upload.model_validate(answer)
        if not wait:
            return upload
        with shown(progress, f"load of {name}") as report:
            upload = self._ended_upload(upload, report)
        if upload.state != "done":
            raise FailedError(upload.said)
        return upload

    def _ended_upload(self, upload: Upload, report: Any) -> Upload:
        seconds = SOONEST
        while upload.state in WORKING:
            report(upload.share_done)
            sleep(seconds)
            seconds = min(LATEST, 1.5 * seconds)
            upload = Upload.model_validate(self._ask("GET", f"uploads/{upload.id}/"))
        report(1.0)
        return upload

    # Judges and raters -----------------------------------------------------------------------

    def run(
        self,
        judge: str,
        *,
        wait: bool = False,
        progress: Progress = None,
        **settings: Any,
    ) -> Run:
        """Start a run of an automatic judge.

        `settings` are fields of a run, such as `systems`, `scorer`, `connection`, `dimensions`,
        `budget`.
        """
        run = Run.model_validate(self._ask("POST", "runs/", sent={"judge": judge, **settings}))
        return self.ended(run, progress=progress) if wait else run

    def runs(self) -> list[Run]:
        """Return the runs, the newest first."""
        return self._list("runs/", Run)

    def ended(self, run: Run, *, progress: Progress = None) -> Run:
        """Wait for the end of a run and return it. A failed or cancelled run raises an error."""
        seconds = SOONEST
        with shown(progress, f"run {run.id}") as report:
            while run.state in RUNNING:
                sleep(seconds)
                seconds = min(LATEST, 1.5 * seconds)
                run = Run.model_validate(self._ask("GET", f"runs/{run.id}/"))
                report(run.share_done)
            report(run.share_done)
        if run.state != "done":
            raise FailedError(run.error or f"The run is {run.state}.")
        return run

    def batches(self) -> list[Batch]:
        """Return the batches."""
        return self._list("batches/", Batch)

    def make_batch(self, name: str, *, open: bool = False, **fields: Any) -> Batch:
        """Create a batch as a draft, and perhaps open it."""
        batch = Batch.model_validate(self._ask("POST", "batches/", sent={"name": name, **fields}))
        if open:
            batch = Batch.model_validate(self._ask("POST", f"batches/{batch.id}/open/"))
        return batch

    def draw(self, batch: Batch) -> Batch:
        """Draw the tasks of a draft from a copied study."""
        return Batch.model_validate(self._ask("POST", f"batches/{batch.id}/draw/"))

    def assignments(self, batch: Batch) -> list[Assignment]:
        """Return the current and earlier assignments of a batch's tasks."""
        return self._list(f"batches/{batch.id}/assignments/", Assignment)

    # Results ---------------------------------------------------------------------------------

    def responses(self, **query: Any) -> Iterator[Response]:
        """Yield the responses that match the page's filters: `system` (by name), `q`, `label` …"""
        if isinstance(name := query.get("system"), str):
            [query["system"]] = [one.id for one in self.systems() if one.name == name]
        at = self._at("responses/")
        for one in self._transport.every(at, "responses", _some(query)):
            yield Response.model_validate(one)

    def response(self, id: int) -> dict[str, Any]:
        """Return a response with its passages and units."""
        return self._get(f"responses/{id}/")

    def judgments(self, *, slices: Sequence[str] = ()) -> Judgments:
        """Return all judgments, or those in `slices` (`KEY=VALUE`) of questions."""
        at = self._at("judgments.jsonl")
        return Judgments(self._transport.lines(at, {"slice": list(slices)}))

    def report(
        self,
        filters: Mapping[str, Any] | None = None,
        *,
        seconds: float = 3600.0,
        progress: Progress = None,
    ) -> Report:
        """Wait until the report with these filters is built, and return it."""
        waited, pausing, query = 0.0, SOONEST, _some(filters or {})
        at = self._at("report/")
        with shown(progress, "report") as show:
            while True:
                answer = self._transport.ask("GET", at, query=query)
                if answer.status_code != 202:
                    show(1.0)
                    return Report(answer.json())
                if waited >= seconds:
                    message = f"The report is not built after {waited:.0f} seconds."
                    raise AttestError(202, "not_ready", message, answer.json())
                show(answer.json()["progress"])
                sleep(pausing)
                waited, pausing = waited + pausing, min(LATEST, 1.5 * pausing)


def _some(query: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in query.items() if value is not None}


class Attest(Transport):
    """One Attest, accessed with a token.

    The defaults of `address` and `token` are ATTEST_URL and ATTEST_TOKEN in the environment.
    """

    def studies(self) -> list[StudyInfo]:
        """Return your studies, with your role in each."""
        found = self.every("studies/", "studies")
        return [StudyInfo.model_validate(one) for one in found]

    def study(self, slug: str) -> Study:
        """Return a study without sending a request."""
        return Study(self, slug)

    def make_study(self, name: str, *, preset: str = "", **settings: Any) -> Study:
        """Create a study that you own."""
        sent = {"name": name, **({"preset": preset} if preset else {}), **settings}
        answer = self.ask("POST", "studies/", sent=sent)
        return self.study(answer.json()["slug"])
