"""Reports: as pages and files where a browser opens them, and by the command under each filter."""

import io
import re
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

from tests.golden.demo import OWNER
from tests.golden.doors import CITED, SHORT, STUDIES, Kept, Visitor, rows

FILES = re.compile(r'"(/studies/[\w-]+/report/\d+/[^"]+)"')
FEW = ("--resamples", "200")
"""Fewer draws where only the filter is of interest."""


def fresh(kept: Kept) -> None:
    """The report of each demo study as it is delivered, with everything that its page links to."""
    for slug in STUDIES:
        _opened(kept, "reports/fresh", slug, "")
        kept.command(f"reports/fresh {slug} in the terminal", "report", slug)


def everything(kept: Kept) -> None:
    for slug in STUDIES:
        _opened(kept, "reports", slug, "")
        _by_command(kept, slug)
    batch = rows("Batch").get(name="Demo: simulated round").pk
    query = f"?batch={batch}&labels=adjudicated&resamples=200&seed=5"
    _opened(kept, "reports", CITED, query, files=False)
    owner = Visitor(kept, OWNER)
    for query in ("systems=None", "resamples=1", "batch=9999", "labels=none"):
        owner.get("reports", f"/studies/{CITED}/report/?{query}")
        owner.get("reports", f"/api/studies/{CITED}/report/?{query}")
    owner.get("reports", f"/studies/{CITED}/report/now/", part=True)
    _bundles(kept)
    _schema(kept)


def _opened(kept: Kept, group: str, slug: str, query: str, *, files: bool = True) -> None:
    """The page, which has the report built; the same for programs; tables, charts and files."""
    owner = Visitor(kept, OWNER)
    page = owner.get(group, f"/studies/{slug}/report/{query}")
    if 'class="report' not in page and "/report/" not in page:
        raise ValueError(f"The report of {slug} was not built.")
    owner.get(group, f"/api/studies/{slug}/report/{query}")
    for path in sorted(set(FILES.findall(page))) if files else ():
        if not path.endswith((".png", "/again/")):
            owner.get(group, path.replace("&amp;", "&"))


def _by_command(kept: Kept, slug: str) -> None:
    """The JSON of each filter, and each form of the adjudicated report."""
    for options in _filters(slug):
        name = f"reports/{slug} {' '.join(map(str, options))}"
        kept.command(name, "report", slug, "--json", *FEW, *options)
    whole = ("--labels", "adjudicated", *FEW)
    for form in ("", "--latex", "--markdown"):
        chosen = (form,) if form else ()
        kept.command(f"reports/{slug} as {form or 'text'}", "report", slug, *chosen, *whole)
    for form in ("--csv", "--charts"):
        folder = kept.folder / f"{slug}{form}"
        kept.command(f"reports/{slug} as {form}", "report", slug, form, folder, *whole)
        for path in sorted(folder.iterdir()):
            if path.suffix != ".png":
                kept.file(f"reports/{slug}{form}/{path.name}", path)


def _filters(slug: str) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = [
        ("--labels", "adjudicated"),
        ("--excluded-in",),
        ("--outliers", "--seed", 11),
    ]
    judge = rows("Judge").filter(study__slug=slug, kind="automatic").first().name
    found.append(("--judges", judge))
    if slug == CITED:
        batch = rows("Batch").get(name="Demo: simulated round").pk
        found += [
            ("--fine-grained",),
            ("--batch", batch, "--labels", "adjudicated"),
            ("--systems", "Careful", "Inline", "--dimensions", "utility", "citation_recall"),
            ("--systems", "None"),
        ]
    else:
        found.append(("--labels", "dawid-skene"))  # on the longer one it takes as long as all else
    return found


def _bundles(kept: Kept) -> None:
    """What is in them, and the report that is built from one again."""
    for slug, *options in ((CITED, "--anonymous", *FEW), (SHORT, "--labels", "adjudicated", *FEW)):
        path = kept.folder / f"{slug}.zip"
        call_command("bundle", slug, "--out", path, *options, stdout=io.StringIO())
        kept.file(f"reports/bundle {slug}", path)
        kept.command(f"reports/bundle {slug} report", "report", "--from-bundle", path, "--json")
    again = ("--from-bundle", kept.folder / f"{SHORT}.zip", "--labels", "majority", "--seed", 3)
    kept.command("reports/bundle with other filters", "report", *again, "--json")


def _schema(kept: Kept) -> None:
    """The schema of the report's JSON, wherever it lies."""
    tops = [one for one in Path(settings.BASE_DIR).iterdir() if (one / "__init__.py").is_file()]
    found = [path for top in sorted(tops) for path in sorted(top.rglob("schema.json"))]
    for number, path in enumerate(found, 1):
        kept.file(f"reports/bundle schema {number}", path)
