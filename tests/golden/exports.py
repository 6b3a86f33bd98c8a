"""Everything that is written into files: by commands, and under the data pages' addresses."""

from pathlib import Path

from tests.golden.demo import CITED_AFTERWARDS, CROWD, OWNER
from tests.golden.doors import CITED, SHORT, STUDIES, Kept, Visitor, rows

DEMO = Path("fixtures/demo")
METHODS = ("majority", "dawid-skene", "adjudicated")
PUBLISHED = ("alce-citations", "alce-utility", "aqa-ratings")
SENTENCES = (
    "Cups can be made of glass[1] or plastic[2][3].",
    "The bridge, which was built in 1894[1], is 244 metres long[2] and still opens for ships[3].",
    "She said[1].",
    "Nothing is cited here.",
    "[1]",
    "Although it rained[1], they walked on and, having crossed the river[2], they rested[3].",
)


def fresh(kept: Kept) -> None:
    """The exports of the demo as it is delivered."""
    for slug in STUDIES:
        for command in ("export_outputs", "export_judgments"):
            kept.command(f"exports/fresh {slug}/{command}", command, slug)


def everything(kept: Kept) -> None:
    for slug in STUDIES:
        _judgments(kept, slug)
        _labels(kept, slug)
        _published(kept, slug)
        _addresses(kept, slug)


def _judgments(kept: Kept, slug: str) -> None:
    kept.command(f"exports/{slug}/outputs", "export_outputs", slug)
    for form in ("csv", "jsonl", "parquet"):
        for flag in ((), ("--counted",)):
            path = kept.folder / f"judgments{''.join(flag)}.{form}"
            options = ("--format", form, *flag, "--output", path)
            name = f"exports/{slug}/{path.name}"
            kept.command(f"{name} said", "export_judgments", slug, *options)
            kept.file(name, path)


def _labels(kept: Kept, slug: str) -> None:
    for method in METHODS:
        kept.command(f"exports/{slug}/labels {method}", "aggregate", slug, "--method", method)
    for batch in rows("Batch").filter(study__slug=slug):
        name = f"exports/{slug}/labels of {batch.name}"
        kept.command(name, "aggregate", slug, "--batch", batch.name)
    kept.command(f"exports/{slug}/labels of none", "aggregate", slug, "--batch", "None")


def _published(kept: Kept, slug: str) -> None:
    for form in PUBLISHED:
        for labels in ("majority", "adjudicated"):
            options = ("--format", form, "--labels", labels)
            kept.command(f"exports/{slug}/{form} {labels}", "export_published", slug, *options)
    for judge in rows("Judge").filter(study__slug=slug, kind="automatic"):
        form = "alce-citations" if slug == CITED else "aqa-ratings"
        options = ("--format", form, "--judge", judge.name)
        kept.command(f"exports/{slug}/{form} by {judge.name}", "export_published", slug, *options)


def _addresses(kept: Kept, slug: str) -> None:
    """The same files as browsers are given them, and those that no command writes."""
    owner = Visitor(kept, OWNER)
    batch = rows("Batch").filter(study__slug=slug).exclude(name=CROWD).first()
    names = ["outputs.jsonl", "evidence.csv", "flags.csv", "judgments.xml"]
    names += [f"judgments.{form}" for form in ("csv", "csv?counted=1")]
    names += [f"labels.csv?{query}" for query in ("", f"batch={batch.pk}", "method=none")]
    names += [f"exchange/{form}/" for form in PUBLISHED]
    for name in names:
        owner.get("exports", f"/studies/{slug}/data/{name}")


def scores(kept: Kept) -> None:
    """What commands say that need no study; and how well the demo's claims were divided."""
    careful, inline = DEMO / "alce-careful.json", DEMO / "alce-inline.json"
    short = DEMO / "ais.jsonl"
    for path, *options in (
        (careful, "--judge", "alce"),
        (inline, "--judge", "alce", "--variant", "paper", "--cap", "none"),
        (careful, "--judge", "alce", "--reading", "strict", "--splitter", "full-stop"),
        (inline, "--judge", "aliice", "--parser", "en_core_web_sm"),
        (inline, "--judge", "aliice", "--level", "sentences"),
        (careful, "--judge", "correctness"),
        (short, "--judge", "autoais"),
        (short, "--judge", "correctness"),
    ):
        name = f"scores/{path.name} {' '.join(options)}"
        kept.command(name, "evaluate", path, *options, "--json")
        kept.command(f"{name} (table)", "evaluate", path, *options, "--per-item")
    for sentence in SENTENCES:
        kept.command(f"scores/claims {sentence}", "claims", sentence)
        drawing = kept.folder / "claims.svg"
        name = f"scores/claims {sentence} as JSON"
        kept.command(name, "claims", sentence, "--json", "--drawing", drawing)
        kept.file(f"scores/claims {sentence} drawn", drawing)
    for slug, *options in ((CITED,), (CITED, "--json"), (CITED, "--systems", "Inline"), (SHORT,)):
        kept.command(f"scores/claim_errors {slug} {options}", "claim_errors", slug, *options)
    kept.command("scores/claim_errors new", "claim_errors", CITED, "--systems", CITED_AFTERWARDS)
