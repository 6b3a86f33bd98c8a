"""One study: what goes in, what judges it, and what comes out."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from time import sleep
from typing import Any
from urllib.parse import quote

from attest_client.errors import AttestError, FailedError
from attest_client.judgments import Judgments
from attest_client.models import Assignment, Batch, Judge, Response, Run, System, Upload
from attest_client.progress import Progress, shown
from attest_client.reports import Report
from attest_client.sending import GUESS, Content, as_file, as_mapping
from attest_client.transport import Transport

WORKING = {"received", "checking", "queued", "loading"}
RUNNING = {"planning", "running"}
SOONEST, LATEST = 0.2, 5.0
"""Seconds between two looks at work: more and more, and no more than the last."""


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

    def settings(self) -> dict[str, Any]:
        """Its settings."""
        told: dict[str, Any] = self._ask("GET")
        return told

    def dimensions(self) -> dict[str, Any]:
        """What it asks, in the words of a protocol file."""
        told: dict[str, Any] = self._ask("GET", "dimensions/")
        return told

    def systems(self) -> list[System]:
        """The systems whose outputs it holds."""
        found = self._transport.every(self._at("systems/"), "systems")
        return [System.model_validate(one) for one in found]

    def judges(self) -> list[Judge]:
        """Everybody and everything that judges; an automatic judge's name is its signature."""
        found = self._transport.every(self._at("judges/"), "judges")
        return [Judge.model_validate(one) for one in found]

    def copy(
        self,
        name: str,
        *,
        with_responses: bool = False,
        with_batches: bool = False,
        progress: Progress = None,
    ) -> "Study":
        """Another study that asks the same, with the responses once these are loaded, and with
        each batch as a draft."""
        sent = {"name": name, "with_responses": with_responses, "with_batches": with_batches}
        told = self._ask("POST", "copy/", sent=sent)
        made = Study(self._transport, told["slug"])
        if with_responses:
            found = self._transport.every(made._at("uploads/"), "uploads")
            for told in reversed([*found]):
                upload = Upload.model_validate(told)
                with shown(progress, f"check of upload {upload.id}") as tell:
                    upload = made._ended_upload(upload, tell)
                made._load(upload, {}, f"upload {upload.id}", progress)
        return made

    # What goes in ----------------------------------------------------------------------------

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
        """Bring outputs, questions, judgments or references, and have them loaded.

        A file by its path, a folder of tables by its path, which is zipped on the way, a DataFrame,
        or rows as a list of dicts. A file is read while it is sent. Of a table, `mapping` says what
        its columns are: a dict, the path of a mapping that was saved, or `GUESS`, which takes what
        is guessed from names and content.
        What cannot be loaded raises an error that says where and why, and nothing is loaded, but
        with `keep_good` the rest.
        """
        names = {"system": system, "run": run}
        form = {"format": format, "mapping": as_mapping(mapping), **names}
        form = {key: value for key, value in form.items() if value}
        with ExitStack() as opened:
            files = {"file": opened.enter_context(as_file(content))}
            if passages is not None:
                files["passages"] = opened.enter_context(as_file(passages))
            name = files["file"][0]
            told = self._ask("POST", "uploads/", form=form, files=files)
        upload = Upload.model_validate(told)
        with shown(progress, f"check of {name}") as tell:
            upload = self._ended_upload(upload, tell)
            if mapping == GUESS and upload.guess:
                told = self._ask(
                    "POST", f"uploads/{upload.id}/again/", sent={**names, "mapping": upload.guess}
                )
                upload = self._ended_upload(Upload.model_validate(told), tell)
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
        told = self._ask("POST", f"uploads/{upload.id}/confirm/", sent=confirm)
        upload = Upload.model_validate(told)
        if not wait:
            return upload
        with shown(progress, f"load of {name}") as tell:
            upload = self._ended_upload(upload, tell)
        if upload.state != "done":
            raise FailedError(upload.said)
        return upload

    def _ended_upload(self, upload: Upload, tell: Any) -> Upload:
        seconds = SOONEST
        while upload.state in WORKING:
            tell(upload.share_done)
            sleep(seconds)
            seconds = min(LATEST, 1.5 * seconds)
            upload = Upload.model_validate(self._ask("GET", f"uploads/{upload.id}/"))
        tell(1.0)
        return upload

    # Who judges ------------------------------------------------------------------------------

    def run(
        self,
        judge: str,
        *,
        wait: bool = False,
        progress: Progress = None,
        **settings: Any,
    ) -> Run:
        """Have an automatic judge judge. `settings` are those of a run, such as `systems`,
        `scorer`, `connection`, `dimensions`, `budget`."""
        told = self._ask("POST", "runs/", sent={"judge": judge, **settings})
        run = Run.model_validate(told)
        return self.ended(run, progress=progress) if wait else run

    def runs(self) -> list[Run]:
        """The runs, the newest first."""
        found = self._transport.every(self._at("runs/"), "runs")
        return [Run.model_validate(one) for one in found]

    def ended(self, run: Run, *, progress: Progress = None) -> Run:
        """The same run when it is over; one that failed or was cancelled raises an error."""
        seconds = SOONEST
        with shown(progress, f"run {run.id}") as tell:
            while run.state in RUNNING:
                sleep(seconds)
                seconds = min(LATEST, 1.5 * seconds)
                run = Run.model_validate(self._ask("GET", f"runs/{run.id}/"))
                tell(run.share_done)
            tell(run.share_done)
        if run.state != "done":
            raise FailedError(run.error or f"The run is {run.state}.")
        return run

    def batches(self) -> list[Batch]:
        """The work for raters."""
        found = self._transport.every(self._at("batches/"), "batches")
        return [Batch.model_validate(one) for one in found]

    def make_batch(self, name: str, *, open: bool = False, **fields: Any) -> Batch:
        """Work for raters, as a draft unless it is to be opened."""
        batch = Batch.model_validate(self._ask("POST", "batches/", sent={"name": name, **fields}))
        if open:
            batch = Batch.model_validate(self._ask("POST", f"batches/{batch.id}/open/"))
        return batch

    def draw(self, batch: Batch) -> Batch:
        """Its tasks, of a draft that came with a copy of its study."""
        return Batch.model_validate(self._ask("POST", f"batches/{batch.id}/draw/"))

    def assignments(self, batch: Batch) -> list[Assignment]:
        """Who has, or had, which of its tasks."""
        found = self._transport.every(self._at(f"batches/{batch.id}/assignments/"), "assignments")
        return [Assignment.model_validate(one) for one in found]

    # What comes out --------------------------------------------------------------------------

    def responses(self, **query: Any) -> Iterator[Response]:
        """Every response, page after page; `query` as on the page: `system` (by its name), `q`,
        `label` …"""
        if isinstance(name := query.get("system"), str):
            [query["system"]] = [one.id for one in self.systems() if one.name == name]
        at = self._at("responses/")
        for one in self._transport.every(at, "responses", _some(query)):
            yield Response.model_validate(one)

    def response(self, id: int) -> dict[str, Any]:
        """One, with its passages and units."""
        told: dict[str, Any] = self._ask("GET", f"responses/{id}/")
        return told

    def judgments(self, *, slices: Sequence[str] = ()) -> Judgments:
        """Every judgment; with `slices` (`KEY=VALUE`) those of some questions alone."""
        at = self._at("judgments.jsonl")
        return Judgments(self._transport.lines(at, {"slice": list(slices)}))

    def report(
        self,
        filters: Mapping[str, Any] | None = None,
        *,
        seconds: float = 3600.0,
        progress: Progress = None,
    ) -> Report:
        """The report under some filters, when it is built."""
        waited, pausing, query = 0.0, SOONEST, _some(filters or {})
        at = self._at("report/")
        with shown(progress, "report") as tell:
            while True:
                answer = self._transport.ask("GET", at, query=query)
                if answer.status_code != 202:
                    tell(1.0)
                    return Report(answer.json())
                if waited >= seconds:
                    said = f"The report is not built after {waited:.0f} seconds."
                    raise AttestError(202, "not_ready", said, answer.json())
                tell(answer.json()["progress"])
                sleep(pausing)
                waited, pausing = waited + pausing, min(LATEST, 1.5 * pausing)


def _some(query: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in query.items() if value is not None}
