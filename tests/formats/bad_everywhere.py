"""What every format must refuse: its own example, spoiled in the same ways, as a whole and in each
field that it cannot be read without."""

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

from annotate.formats import FORMATS, Limits
from tests.formats.bad_files import Bad

SMALL = Limits(max_field_chars=1_000)
SURROGATE = "high\ud800"

NEEDED: dict[str, tuple[tuple[str | int, ...], ...]] = {
    "judgments-jsonl": (("system",), ("question_id",), ("unit",), ("dimension",), ("judge",)),
    "judgments": (("system",), ("question_id",), ("unit",), ("dimension",), ("judge",)),
    "references-jsonl": (("question_id",), ("references",)),
    "references": (("question_id",),),
    "aqa-ratings": (("system_name",), ("question",), ("answer",), ("human_rating",)),
    "aqa-predictions": (("question",), ("answer",), ("attribution",), ("passage",)),
    "table-judgments": (("qid",), ("model",), ("unit",), ("question",), ("annotator",)),
    "trec-support": (("run_id",), ("topic_id",), ("support_eval",), ("answer", 0, "text")),
    "trec-assignments": (("run_id",), ("qid",), ("nuggets",), ("nuggets", 1, "text")),
    "trec-nuggets": (("qid",), ("nuggets",), ("nuggets", 0, "text"), ("nuggets", 1, "text")),
    "captures": (("url",), ("text",)),
    "questions": (("question",), ("question", "text"), ("passages", 1, "text")),
    "alce-questions": ((0, "question"), (0, "docs"), (0, "docs", 1, "text")),
    "answers": ((0, "response"), (0, "question", "text")),
    "attest": (("question",), ("question", "text"), ("output",), ("passages", 0, "text")),
    "trec-biogen": (
        ("results", 0, "topic_id"), ("results", 0, "answer"), ("results", 0, "references"),
    ),
    "trec-rag": (("topic_id",), ("answer",), ("answer", 1, "text"), ("references",)),
    "ragas": (("user_input",), ("response",)),
    "deepeval": ((0, "input"), (0, "actual_output")),
    "trulens": ((0, "input"), (0, "output")),
    "llamaindex": ((0, "query"), (0, "response"), (0, "source_nodes", 0, "node", "text")),
    "alce": (("data", 0, "question"), ("data", 0, "output"), ("data", 0, "docs")),
    "alce-citations": (
        ("asqa", "example-7b.json", "q1", "question"), ("asqa", "example-7b.json", "q1", "output"),
        ("asqa", "example-7b.json", "q1", "sentences"),
    ),
    "alce-utility": (
        ("eli5", "example-7b.json", "q7", "question"), ("eli5", "example-7b.json", "q7", "output"),
        ("eli5", "example-7b.json", "q7", "utility_score"),
    ),
}  # fmt: skip
"""The fields of each format's example without which it cannot be read."""

SPOILED: dict[str, tuple[str, Any]] = {
    "missing": ("no such field", ...),
    "null": ("null", None),
    "number": ("the number 7", 7),
    "truth": ("true", True),
    "list": ("list", [[]]),
    "object": ("object", {}),
    "blank": ('" "', " "),
    "nul": ("U+0000", "high\0"),
    "half a sign": ("U+D800", SURROGATE),
    "long": ("1,001", "x" * 1_001),
}


NO_LIST = ("missing", "null")
TAKEN = {
    ("references-jsonl", "question_id"): ("number",),
    ("trec-support", "run_id"): ("number",),
    ("trec-support", "topic_id"): ("number",),
    ("trec-assignments", "run_id"): ("number",),
    ("trec-assignments", "qid"): ("number",),
    ("trec-nuggets", "qid"): ("number",),
    ("trec-biogen", "topic_id"): ("number",),
    ("trec-biogen", "references"): NO_LIST,
    ("trec-rag", "topic_id"): ("number",),
    ("trec-rag", "references"): NO_LIST,
    ("alce-questions", "docs"): NO_LIST,
    ("answers", "text"): ("missing", "null", "blank"),
    ("alce-utility", "utility_score"): ("null",),
    **dict.fromkeys(
        [
            ("alce-questions", "text"), ("questions", "text"), ("attest", "output"),
            ("attest", "text"), ("aqa-ratings", "answer"), ("aqa-predictions", "answer"),
            ("aqa-predictions", "attribution"), ("ragas", "response"), ("llamaindex", "text"),
            ("deepeval", "actual_output"), ("trulens", "output"), ("llamaindex", "response"),
            ("alce", "output"), ("alce-citations", "output"), ("alce-utility", "output"),
        ],
        ("blank",),
    ),
}  # fmt: skip
"""What is no fault: ids that are whole numbers, answers and passages without a word, lists that
need not be there, scores that nobody gave."""

ANSWER = ("item [0]", 'an object with "question"')
NOTHING = ("line 2, field", "nothing")
SAID = {
    **{
        ("answers", "response", how): ANSWER
        for how in ("missing", "null", "number", "truth", "list", "blank")
    },
    **{
        ("references-jsonl", "references", how): ("line 1", "none")
        for how in ("missing", "null", "object")
    },
    **{
        (key, name, "missing"): ("line 1", f'without "{name}"')
        for key, names in (
            ("judgments", ("system", "question_id", "unit", "dimension", "judge")),
            ("references", ("question_id",)),
            ("aqa-ratings", ("system_name", "question", "answer", "human_rating")),
            ("aqa-predictions", ("question", "answer", "attribution")),
        )
        for name in names
    },
    **{
        ("table-judgments", name, "missing"): NOTHING
        for name in ("qid", "model", "unit", "question", "annotator")
    },
    **{
        ("aqa-predictions", "passage", how): ("line 2, field attribution", 'the id "p17" alone')
        for how in ("missing", "blank")
    },
    ("references", "question_id", "blank"): ("question_id", "an empty cell"),
    ("trec-support", "text", "blank"): ("support_eval[0].answer", "The Zugspitze is"),
    ("trec-assignments", "qid", "null"): ("topic_id", "no such field"),
    ("captures", "url", "null"): ("field id", "no such field"),
    ("captures", "text", "null"): ("field contents", "no such field"),
    ("questions", "question", "missing"): ("question", "null"),
    ("questions", "question", "object"): ("question.text", "no such field"),
    ("attest", "question", "missing"): ("question", "null"),
    ("attest", "question", "object"): ("question.text", "no such field"),
    ("trec-rag", "topic_id", "missing"): ("topic_id", "none"),
    ("trec-rag", "topic_id", "null"): ("topic_id", "none"),
    ("trec-rag", "topic_id", "blank"): ("topic_id", "none"),
}
"""Where a field's own words are others: by format, field and fault."""

IN_CSV = {"missing": "", "blank": " ", "nul": "high\0", "long": "x" * 1_001}


def zipped(content: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("a.png", content)
    return held.getvalue()


def of_bytes(key: str) -> Iterator[Bad]:
    """What is no text in UTF-8."""
    example = FORMATS[key].example
    whole = example.encode()
    for name, content, found in (
        ("empty", b"", "an empty file"),
        ("zip", zipped(whole), "a zip archive"),
        ("gzip", gzip.compress(whole), "gzip"),
        ("picture", b"\x89PNG\r\n\x1a\n" + bytes(64), "PNG picture"),
        ("document", b"%PDF-1.7\n" + whole, "PDF document"),
        ("binary", bytes(range(256)) * 9, "binary data"),
        ("utf-16", example.encode("utf-16"), "UTF-16"),
        ("utf-16 without a mark", example.encode("utf-16-be"), "UTF-16"),
        ("utf-32", example.encode("utf-32"), "UTF-32"),
        ("latin-1", whole.rstrip() + b"\n\xe9", "byte 0xE9"),
        ("half a character", whole.rstrip() + b"\n\xc3", "byte 0xC3"),
    ):
        if name == "zip" and FORMATS[key].mapped:
            found = "none of them in it"
        yield Bad(f"all: {name}", key, content, "", "", found)


def of_json(key: str) -> Iterator[Bad]:
    """What is no JSON, or JSON of another shape, in a format that is JSON."""
    example = FORMATS[key].example.strip()
    before, after = example.rsplit('": ', 1)
    for name, content, found in (
        ("null", "null", "null"),
        ("a number", "7", "7"),
        ("a text", '"high"', "high"),
        ("truth", "true", "true"),
        ("a list of lists", "[[]]", ""),
        ("numbers", "[1, 2]", ""),
        ("one word", "high", ""),
        ("deep", "[" * 5_000, ""),
        ("half", example[: len(example) // 2], ""),
        ("without its end", example[:-1], ""),
        ("more behind", example + " ]", ""),
        ("single quotes", example.replace('"', "'"), ""),
        ("no number", f'{before}": NaN, "and": {after}', "NaN"),
        ("a comment", "// high" + chr(10) + example, ""),
        ("a key twice", f'{before}": {{"x": 1, "x": 2}}, "and": {after}', "twice"),
    ):
        yield Bad(f"json: {name}", key, content, "", "", found)


def of_fields(key: str) -> Iterator[Bad]:
    """A field without which the example cannot be read, spoiled."""
    for path in NEEDED.get(key, ()):
        name = next(part for part in reversed(path) if isinstance(part, str))
        for how, (found, value) in SPOILED.items():
            if (_is_csv(key) and how not in IN_CSV) or how in TAKEN.get((key, name), ()):
                continue
            content = _column(key, name, how) if _is_csv(key) else _field(key, path, value)
            where = "" if how == "missing" else name
            where, found = SAID.get((key, name, how), (where, found))
            label = f"{'.'.join(map(str, path))}: {how}"
            yield Bad(label, key, content, where, "", found, options={"limits": SMALL})


def _is_csv(key: str) -> bool:
    return FORMATS[key].extensions[0] == ".csv"


def _field(key: str, path: tuple[str | int, ...], value: Any) -> str:
    """The example with another value at a place, or with none."""
    by_lines = FORMATS[key].extensions[0] == ".jsonl"
    lines = FORMATS[key].example.splitlines() if by_lines else [FORMATS[key].example]
    records = [json.loads(line) for line in lines]
    held = records[0]
    for part in path[:-1]:
        held = held[part]
    if value is ...:
        del held[path[-1]]
    else:
        held[path[-1]] = value
    return "\n".join(map(json.dumps, records))


def _column(key: str, name: str, how: str) -> str:
    """The example with another cell in its first row, or without the column."""
    header, *rows = csv.reader(io.StringIO(FORMATS[key].example))
    place = header.index(name)
    if how == "missing":
        header, *rows = ([*row[:place], *row[place + 1 :]] for row in (header, *rows))
    else:
        rows[0][place] = IN_CSV[how]
    held = io.StringIO()
    csv.writer(held).writerows([header, *rows])
    return held.getvalue()


def of_csv(key: str) -> Iterator[Bad]:
    """What is no CSV, or not with these columns."""
    example = FORMATS[key].example.rstrip()
    header, *rows = example.split("\n")
    first = header.split(",")[0]
    faults = (
        ("one word", "high", ""),
        ("a page", "<!DOCTYPE html>\n<html><body>high</body></html>\n", ""),
        ("json", '{"question": "high"}\n', ""),
        ("no header", "\n".join(rows), ""),
        ("an open quotation mark", example + '\n"high,' + header, ""),
        ("more cells", example + ",high,higher", "columns"),
        ("fewer cells", example + "\nhigh", "columns"),
        (
            "a column twice",
            "\n".join([f"{header},{first}", *(f"{row},x" for row in rows)]),
            "twice",
        ),
        ("semicolons", example.replace(",", ";"), ""),
    )
    for name, content, found in faults[:-1] if FORMATS[key].mapped else faults:
        yield Bad(f"csv: {name}", key, content, "", "", found)


NO_REFERENCE: tuple[tuple[str, Any, str], ...] = (
    ("answer", [1], "a list of 1"),
    ("answer", [["2,962 m"]], "a list of 1"),
    ("claims", {"text": "High."}, 'an object with "text"'),
    ("claims", [None], "a list of 1"),
    ("answers", ["2,962 m"], "a list of 1"),
    ("answers", [[2962]], "a list of 1"),
    ("qa_pairs", {}, "an empty object"),
    ("qa_pairs", [{"short_answers": "2,962 m"}], "a list of 1"),
    ("qa_pairs", ["2,962 m"], "a list of 1"),
    ("annotations", 7, "the number 7"),
    ("annotations", [{"long_answer": None}], "a list of 1"),
    ("annotations", ["High."], "a list of 1"),
)


def of_references(key: str) -> Iterator[Bad]:
    """References of another shape than theirs."""
    for n, (name, value, found) in enumerate(NO_REFERENCE):
        cell = json.dumps(value).replace('"', '""')
        content: Any = f'question_id,{name}\nq1,"{cell}"\n'
        if not _is_csv(key):
            content = {"question_id": "q1", "references": {name: value}}
        yield Bad(f"reference {n}: {name}", key, content, name, "", found)


def _of(key: str) -> Iterator[Bad]:
    yield from of_bytes(key)
    yield from of_fields(key)
    if key in {"references", "references-jsonl"}:
        yield from of_references(key)
    if _is_csv(key) and key != "table":  # whose own faults of this kind stand in bad_tables
        yield from of_csv(key)
    elif not _is_csv(key):
        yield from of_json(key)


EVERYWHERE = [bad for key in FORMATS for bad in _of(key)]
