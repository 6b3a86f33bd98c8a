"""A study as a data set for the library `datasets`: Parquet in splits, with a card."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zipfile import ZipFile

from annotate.exchange.streams import grouped_rows, judgment_rows
from annotate.exchange.zip_export import store_member, write_member
from annotate.models import Question, Response, Study, in_slices
from annotate.protocol.slices import DATASET, facets, is_key
from annotate.web.errors import Refused

SINGLE_SPLIT: Final = "test"
"""The only split of a data set without splits: it is evaluation data."""

OTHER: Final = "other"
"""The split of questions without a value of the key."""

MOST_SPLITS: Final = 50
MOST_CHARS: Final = 60
_RESERVED_NAMES: Final = ("all", "")
"""To the library, `all` means every split."""


@dataclass(frozen=True, slots=True)
class Splits:
    """The split of each question."""

    key: str
    names: Mapping[str, str]
    """The name of the split for each value; empty if there is only one split."""

    by_question: Mapping[str, str]

    def of(self, question_id: str) -> str:
        return self.by_question.get(question_id, OTHER if self.names else SINGLE_SPLIT)


def splits_of(study: Study, key: str, slices: Sequence[str]) -> Splits:
    """Return a split for each value of a metadata key, if there are several values."""
    asked, key = bool(key), key or DATASET
    if not is_key(key):
        raise Refused(f"Expected a key of metadata, such as dataset; found “{key[:80]}”.")
    answered = Response.objects.current().filter(study=study).values("question")
    found = Question.objects.filter(in_slices(study, slices, "pk"), study=study, pk__in=answered)
    values = {
        question: value
        for question, metadata in found.values_list("external_id", "metadata").iterator(
            chunk_size=5_000
        )
        if (value := facets(metadata).get(key, ""))
    }
    every = sorted(set(values.values()))
    if asked and key != DATASET and not every:
        raise Refused(f"No question has “{key}” in its metadata.")
    if asked and len(every) > MOST_SPLITS:
        raise Refused(f"“{key}” has {len(every):,} values; at most {MOST_SPLITS} splits are made.")
    if not 0 < len(every) <= MOST_SPLITS or (len(every) == 1 and len(values) == found.count()):
        return Splits(key, {}, {})
    names = split_names(every)
    return Splits(key, names, {question: names[value] for question, value in values.items()})


def split_names(values: Iterable[str]) -> dict[str, str]:
    """Return a unique name for each value that the library and every disk accepts."""
    taken, names = {OTHER}, {}
    for value in values:
        name = re.sub(r"\W+", "_", value).strip("_")[:MOST_CHARS]
        base = f"split_{name}".rstrip("_") if name.lower() in _RESERVED_NAMES else name
        name, n = base, 2
        while name.lower() in taken:
            name, n = f"{base}_{n}", n + 1
        taken.add(name.lower())
        names[value] = name
    return names


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
    """Write responses and judgments, both with the same splits of the questions."""
    from annotate.exchange import parquet

    if licence and not _LICENCE.fullmatch(licence):
        raise Refused(
            f"“{licence[:50]}” is no short name of a licence as cc-by-4.0: small letters, digits, "
            "dots and hyphens."
        )
    splits = splits_of(study, split, slices)
    names = sorted(set(splits.by_question.values())) or [SINGLE_SPLIT]
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
    """Add the files of all splits to the archive; return the number of rows of each split."""
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
    """Return the data set's card, for people and for the library. JSON is also YAML."""
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
            *_splits_section(splits, counts),
            "Names of judges are in it as they are called in the study.",
            "",
        ]
    )


def _splits_section(splits: Splits, counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    if not splits.names:
        return [f"Both are evaluation data, and so there is one split, `{SINGLE_SPLIT}`.", ""]
    values = {name: value for value, name in splits.names.items()}
    return [
        f"Both have the same splits: what is known of a question under `{splits.key}`. All of them "
        "are evaluation data.",
        "",
        "| split | questions | answers | judgments |",
        "|---|---|---|---|",
        *(
            f"| `{split}` | {_row_label(splits.key, values.get(split, ''))} | {count:,} | "
            f"{counts['judgments'].get(split, 0):,} |"
            for split, count in counts["responses"].items()
        ),
        "",
    ]


def _row_label(key: str, value: str) -> str:
    text = f"{key}: {value}" if value else f"without {key}"
    return text.replace("|", "\\|")
