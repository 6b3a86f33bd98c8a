"""The pages of researchers and raters, and every address for programs."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from tests.golden.demo import OWNER
from tests.golden.doors import CITED, STUDIES, Kept, Visitor, rows

ANYWHERE = ("/studies/", "/studies/new/", "/account/", "/formats/",
            "/formats/response.schema.json", "/healthz", "/")  # fmt: skip
STUDY = (
    "", "settings/", "delete/", "guidelines/", "guidelines/edit/", "systems/", "responses/",
    "responses/?q=the&show=uncited", "responses/?show=out-of-range", "responses/?show=positional",
    "uploads/", "members/", "batches/", "batches/new/", "raters/", "disputes/",
    "disputes/?state=decided", "disputes/?state=all&page=2", "examples/", "examples/new/", "data/",
    "data/labels/", "data/scorers/", "data/exchange/", "runs/", "runs/new/", "batches/9999/",
)  # fmt: skip
PARTS = ("progress/", "runs/now/", "report/now/")
NEW_BATCH = {"name": "Not made", "questions": "sample", "sample_size": 2, "raters_per_item": 3}
BATCH = ("", "edit/", "preview/", "preview/?item=1", "gold/", "participants/")
BATCH_PARTS = ("monitor/", "agreement/")


def everything(kept: Kept) -> None:
    owner = Visitor(kept, OWNER)
    for path in ANYWHERE:
        owner.get("pages", path)
    for slug in STUDIES:
        for path in _paths(slug):
            owner.get("pages", f"/studies/{slug}/{path}")
        for path in (*PARTS, *_batch_parts(slug)):
            owner.get("pages", f"/studies/{slug}/{path}", part=True)
        counts = f"/studies/{slug}/batches/new/counts/"
        owner.post(f"pages/{slug}/counts", counts, NEW_BATCH, part=True)
        owner.post(f"pages/{slug}/counts of nothing", counts, {"questions": "list"}, part=True)
        owner.post(f"pages/{slug}/new batch refused", f"/studies/{slug}/batches/new/", {})
    _refused(kept)
    _api(kept)


def _keys(name: str, slug: str, **filters: object) -> list[int]:
    return list(rows(name).filter(study__slug=slug, **filters).values_list("pk", flat=True))


def _batch_parts(slug: str) -> Iterator[str]:
    for key in _keys("Batch", slug):
        yield from (f"batches/{key}/{part}" for part in BATCH_PARTS)


def _some(keys: list[int]) -> list[int]:
    """The first, one in the middle, the last."""
    return sorted({keys[0], keys[len(keys) // 2], keys[-1]})


def _paths(slug: str) -> Iterator[str]:
    """The pages of one study."""
    yield from STUDY
    for key in _some(_keys("System", slug)):
        yield f"systems/{key}/"
        yield f"responses/?system={key}&show=empty"
    for key in _some(_keys("Response", slug)):
        yield from (f"responses/{key}/", f"responses/{key}/claims/", f"responses/?after={key}")
    for key in _keys("Upload", slug):
        yield from (f"uploads/{key}/", f"uploads/{key}/status/")
    for key in _keys("Batch", slug):
        yield from (f"batches/{key}/{part}" for part in (*BATCH, *BATCH_PARTS))
    for kind in ("person", "simulated", "reference"):
        judges = rows("Judge").filter(study__slug=slug, kind=kind).order_by("name")
        yield from (f"raters/{judge.pk}/" for judge in judges[:3])
    yield from (f"disputes/{unit}/{dimension}/" for unit, dimension in _decided(slug))
    for key in _runs(slug):
        yield f"runs/{key}/"


def _decided(slug: str) -> list[tuple[int, str]]:
    found = rows("Judgment").filter(judge__study__slug=slug, judge__kind="adjudicated")
    return list(found.values_list("unit", "dimension"))


def _runs(slug: str) -> list[int]:
    found = Visitor(Kept(Path()), OWNER).client.get(f"/api/studies/{slug}/runs/").json()
    return [run["id"] for run in found["runs"]]


def _refused(kept: Kept) -> None:
    """What those are told who may not, are not signed in, or ask for what is not there."""
    visitors = {"nobody": Visitor(kept), "rater": Visitor(kept, "rater1")}
    for who, visitor in visitors.items():
        for path in (
            "/", "/studies/", f"/studies/{CITED}/", f"/studies/{CITED}/responses/",
            f"/studies/{CITED}/report/", f"/studies/{CITED}/guidelines/", f"/studies/{CITED}/data/",
            "/api/studies/", f"/api/studies/{CITED}/", f"/api/studies/{CITED}/systems/",
            "/studies/none/", "/nowhere", "/sign-in/", "/sign-up/",
        ):  # fmt: skip
            visitor.get(f"refusals/{who}", path)
    post = visitors["rater"].client.post("/api/studies/", {})
    kept.keep("refusals/POST", f"{post.status_code} {post.content.decode()}")


def _api(kept: Kept) -> None:
    """Every address for programs that only reads, as the owner."""
    owner = Visitor(kept, OWNER)
    owner.get("api", "/api/studies/")
    owner.get("api", "/api/studies/none/")
    for slug in STUDIES:
        responses = _keys("Response", slug)
        for path in (
            "", "systems/", "responses/", f"responses/?after={responses[len(responses) // 2]}",
            f"responses/?q={quote('the')}&show=uncited", "outputs.jsonl", "judgments.csv",
            "judgments.jsonl", "judgments.xml", "uploads/", "batches/", "runs/",
            "responses/9999999/", "runs/9999999/",
            *(f"responses/{key}/" for key in _some(responses)),
            *(f"uploads/{key}/" for key in _keys("Upload", slug)),
            *(f"batches/{key}/" for key in _keys("Batch", slug)),
            *(f"runs/{key}/" for key in _runs(slug)),
        ):  # fmt: skip
            group = "exports" if "." in path else "api"  # beside the files that are the same
            owner.get(group, f"/api/studies/{slug}/{path}")
