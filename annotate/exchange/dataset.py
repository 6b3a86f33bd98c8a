"""A study as a data set that the library `datasets` loads: Parquet in splits, with a card that says
what they are."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zipfile import ZipFile

from annotate.exchange.records import grouped_rows
from annotate.exchange.splits import ALONE, Splits, splits_of
from annotate.exchange.streams import judgment_rows
from annotate.exchange.zip_export import store_member, write_member
from annotate.models import Study
from annotate.web.errors import Refused

if TYPE_CHECKING:
    from annotate.exchange.parquet import Sharded

RESPONSES_A_FILE: Final = 20_000
JUDGMENTS_A_FILE: Final = 500_000

_LICENCE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,49}")


def write_dataset(
    study: Study,
    path: Path,
    *,
    licence: str = "",
    split: str = "",
    slices: Sequence[str] = (),
) -> None:
    """Responses and judgments, each told apart by the same splits of the questions."""
    from annotate.exchange import parquet

    if licence and not _LICENCE.fullmatch(licence):
        raise Refused(
            f"“{licence[:50]}” is no short name of a licence as cc-by-4.0: small letters, digits, "
            "dots and hyphens."
        )
    splits = splits_of(study, split, slices)
    names = sorted(set(splits.by_question.values())) or [ALONE]
    counts: dict[str, dict[str, int]] = {}
    with ZipFile(path, "w") as archive:
        schema = parquet.RESPONSES
        with parquet.sharded(schema, names, most=RESPONSES_A_FILE, group=500) as responses:
            for rows in grouped_rows(study, slices):
                for row in rows:
                    responses.add(splits.of(row["question_id"]), row)
            counts["responses"] = _stored(archive, "responses", responses)
        names = [*counts["responses"]]
        schema = parquet.judgments_schema(study)
        with parquet.sharded(schema, names, most=JUDGMENTS_A_FILE, group=50_000) as judgments:
            for judged in judgment_rows(study, slices=slices):
                judgments.add(splits.of(judged.question_id), parquet.columns_of(judged))
            counts["judgments"] = _stored(archive, "judgments", judgments)
        write_member(archive, "README.md", iter([_card(study, licence, splits, counts, slices)]))


def _stored(archive: ZipFile, config: str, shards: "Sharded") -> dict[str, int]:
    """Put the files of all splits into the archive, as `datasets` names them; says how many rows
    each split has."""
    counts = {}
    for split, files, count in shards.close():
        for n, file in enumerate(files):
            store_member(archive, f"{config}/{split}-{n:05}-of-{len(files):05}.parquet", file)
            file.unlink()
        counts[split] = count
    return counts


def _card(
    study: Study,
    licence: str,
    splits: Splits,
    counts: Mapping[str, Mapping[str, int]],
    slices: Sequence[str],
) -> str:
    """What the data set is, for people and for the library. JSON is YAML, too."""
    configs = [
        {
            "config_name": name,
            "data_files": [
                {"split": split, "path": f"{name}/{split}-*.parquet"} for split in found
            ],
            **({"default": True} if name == "responses" else {}),
        }
        for name, found in counts.items()
    ]
    head = {"pretty_name": study.name, "license": licence or "unknown", "configs": configs}
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    some = f" Only questions of the slices {', '.join(slices)} are in it." if slices else ""
    responses, judgments = (sum(counts[name].values()) for name in ("responses", "judgments"))
    return "\n".join(
        [
            "---",
            *lines,
            "---",
            f"# {study.name}",
            "",
            study.description.strip() or "A study of citations, made with Attest.",
            "",
            f"`responses` has {responses:,} answers of systems with their passages; `judgments` "
            f"has {judgments:,} answers of people and automatic judges on the study's dimensions, "
            f"one a row.{some}",
            "",
            *_said_of(splits, counts),
            "Names of judges are in it as they are called in the study.",
            "",
        ]
    )


def _said_of(splits: Splits, counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    if not splits.names:
        return [f"Both are evaluation data, and so there is one split, `{ALONE}`.", ""]
    values = {name: value for value, name in splits.names.items()}
    return [
        f"Both have the same splits: what is known of a question under `{splits.key}`. All of them "
        "are evaluation data.",
        "",
        "| split | questions | answers | judgments |",
        "|---|---|---|---|",
        *(
            f"| `{split}` | {_of(splits.key, values.get(split, ''))} | {count:,} | "
            f"{counts['judgments'].get(split, 0):,} |"
            for split, count in counts["responses"].items()
        ),
        "",
    ]


def _of(key: str, value: str) -> str:
    text = f"{key}: {value}" if value else f"without {key}"
    return text.replace("|", "\\|")
