"""The files of a bundle, their descriptions, and the columns of its tables."""

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

from annotate.formats.judgment_fields import COLUMNS, OTHER

FORMAT: Final = "attest-bundle"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
GUIDELINES: Final = re.compile(r"guidelines/version-([1-9][0-9]{0,5})\.md")

RESPONSE = ("system", "run", "question_id")
UNIT = (*RESPONSE, "unit")
"""The columns that identify a response and a unit in every table."""

TABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "systems.csv": ("system", "uses_autoais", "description", "display_name"),
        "questions.csv": ("question_id", "text", "metadata"),
        "responses.csv": (
            *RESPONSE, "positional", "statements", "citations", "uncited", "out_of_range",
            "segmentation",
        ),
        "units.csv": (*UNIT, "kind", "parent", "in_range", "number", "text"),
        "judges.csv": ("judge", "kind", "standing", "title"),
        "judgments.csv": (*COLUMNS, "guidelines"),
        "history.csv": (
            *UNIT, "dimension", "judge", "value", "score", "skipped_reason", "seconds", "note",
            "created", "guidelines", "replaced",
        ),
        "measures.csv": ("judge", "name", *RESPONSE, "value", "reason"),
        "flags.csv": (*UNIT, "judge", "reason", "note", "created"),
        "evidence.csv": (*UNIT, "dimension", "judge", "n", "start", "end", "created", "counted"),
        "batches.csv": ("batch", "name", "dimensions", "granularity"),
        "batch_items.csv": ("batch", *UNIT),
        "tasks.csv": ("batch", "judge", *UNIT),
        "trained_on.csv": ("judge", *UNIT),
    }
)  # fmt: skip

CLAIMS: Final = "claims.csv"
LENGTHS: Final = "lengths.csv"
UNFINISHED: Final = "unfinished.csv"
WORDINGS: Final = "wordings.csv"
PAIRS: Final = "pairs.csv"
SIDES: Final = "sides.csv"
FAMILIES: Final = "families.csv"
JURIES: Final = "juries.csv"
OPTIONAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        CLAIMS: (*UNIT, "judge", "text", "spans", "proposal", "counted"),
        LENGTHS: (*UNIT, "passage", "characters"),
        UNFINISHED: (*UNIT, "dimension", "judge"),
        WORDINGS: (*UNIT, "dimension", "judge", "replaced", "version"),
        PAIRS: (*UNIT, *OTHER),
        SIDES: (*UNIT, "judge", "mirrored"),
        FAMILIES: ("system", "family"),
        JURIES: ("jury", "judge"),
    }
)
"""Tables that a bundle has only if they have rows."""

LATER: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "systems.csv": ("display_name",),
        "questions.csv": ("metadata",),
        "evidence.csv": ("counted",),
        CLAIMS: ("counted",),
    }
)
"""Columns that older bundles lack."""

FILES: Mapping[str, str] = MappingProxyType(
    {
        "README.md": "This text.",
        "study.json": "The study's settings: what is asked with which answers, the seed, how "
        "responses were divided and by what, the versions of the guidelines.",
        "filters.json": "What of the study the report is about, and how it was made.",
        "report.json": "The report.",
        "systems.csv": "The systems, whether a system used AutoAIS itself, and by what other name "
        "it is shown.",
        "questions.csv": "The questions, and as JSON what is known of each, that makes slices.",
        "responses.csv": "The responses that count: system, run, question, and the counts of each.",
        "units.csv": "What can be judged: responses (r), statements (s1), citations (s1.c1), "
        "atomic claims (s1.a1) and their citations (s1.a1.c1), with their text.",
        "judges.csv": "Everybody and everything that judged. The name of an automatic judge is "
        "its signature; a rater whose standing is excluded does not count.",
        "judgments.csv": "Every answer of everybody as it was given, or the reason for none; "
        "what raters said in tasks that they did not finish is left out.",
        "history.csv": "Answers that were replaced by later ones.",
        "measures.csv": "Numbers of automatic judges about whole responses.",
        "flags.csv": "Units that somebody said something is wrong with.",
        "evidence.csv": "Stretches that somebody marked: in passage n what convinced them, without "
        "a number what nothing supports in the text that they judged. Offsets count code points. "
        "Whether the rating that it is part of counts: yes, or excluded.",
        "batches.csv": "The parts of the study that were given to raters.",
        "batch_items.csv": "What is in each batch.",
        "tasks.csv": "Who was given what in each batch.",
        "trained_on.csv": "Units with whose judgments a judge's scorer was trained: its answers "
        "on them are not compared with people's.",
        "outputs.jsonl": "The responses with their questions and passages, a line each, as "
        "import_outputs reads them.",
    }
)
"""The manifest and a file for each version of the guidelines are not listed here."""

COMMAND: Final = "python manage.py report --from-bundle BUNDLE.zip --json"


ABOUT_OPTIONAL: Mapping[str, str] = MappingProxyType(
    {
        CLAIMS: "Claims that people wrote (at s1.g1, the first group of marks of s1): their text, "
        "the places of their words in the statement's text, and the parser's proposal that the "
        "rater saw. The last column says whether their rating counts (yes, or excluded).",
        LENGTHS: "How many characters the texts have in which words were marked: passage 0 is the "
        "text that is judged, the others are those of the response.",
        WORDINGS: "Present and replaced answers to a later wording of their dimension "
        "than the first.",
        PAIRS: "Pairs of responses (vs1): system and run of the one that the response is compared "
        "with.",
        SIDES: "Who saw which pair with the other response first, as Answer 1.",
        FAMILIES: "The model families of systems, where they are known.",
        JURIES: "The members of each jury.",
        UNFINISHED: "Which dimensions raters answered in tasks that they did not finish: the "
        "report says how many.",
    }
)


def readme(name: str, *, anonymous: bool, has: Collection[str] = ()) -> str:
    """Return the README of a bundle that `has` these optional tables."""
    files = {**FILES, **{file: about for file, about in ABOUT_OPTIONAL.items() if file in has}}
    rows = [f"- `{file}`: {about}" for file, about in files.items()]
    lines = [
        f"# {name}: data of a report",
        "",
        "A bundle of Attest. With Attest installed, this gives the report again, to the byte:",
        "",
        f"    {COMMAND}",
        "",
        *rows,
        "- `guidelines/`: every version of the guidelines that raters read.",
        f"- `{MANIFEST}`: the version of Attest, and the SHA-256 digest of every other file.",
        "",
        "Tables are UTF-8 with commas and a header. Empty means that there is none. Responses are "
        "named by system, run and question, units by their key in the response.",
    ]
    if anonymous:
        lines += [
            "",
            "Raters go by numbers instead of their names, and what they noted is left out.",
        ]
    return "\n".join(lines) + "\n"
