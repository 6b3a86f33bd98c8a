"""Tables that are wrong in every way we could think of, and what must be said about each."""

import io
import zipfile
from typing import Any

import pyarrow as pa

from annotate.formats import Limits
from tests.formats.tables.making import (
    MAPPING,
    RATED,
    RATING,
    RECORDS,
    as_arrow,
    as_csv,
    as_lines,
    as_parquet,
    as_workbook,
    mapping,
    zipped,
)

ROW = RECORDS[0]
LISTED = mapping(
    ask="question", says="output", ctx="passage", title="passage_title", ids="passage_id",
    ref="reference", by="system",
)  # fmt: skip
LONG = ROW | {"title": None, "ids": None, "ref": None}
JUDGED = {
    "q": "q1", "m": "S", "u": "s1", "d": "citation_recall", "who": "Ada", "v": "yes", "sc": None,
}  # fmt: skip
JUDGING = mapping(
    "judgments", {"judge_kind": "human"}, q="question_id", m="system", u="unit", d="dimension",
    who="judge", v="value", sc="score",
)  # fmt: skip


def bomb() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", b"a,b\n" + b"x" * 30_000_000)
    return held.getvalue()


def parquet_bomb() -> bytes:
    """Little on disk, much in memory."""
    rows = [{"ask": "x" * 30_000_000 if n else "A?", "says": "B"} for n in range(2)]
    return as_parquet(rows, compression="zstd", use_dictionary=False)


def encrypted() -> bytes:
    """A zip whose one file says that it is encrypted."""
    content = bytearray(zipped(a__csv=as_csv(RECORDS)))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def damaged(content: bytes, at: float = 0.4) -> bytes:
    place = int(len(content) * at)
    return content[:place] + bytes(40) + content[place + 40 :]


def two_columns() -> bytes:
    held = io.BytesIO()
    table = pa.table([pa.array(["a"]), pa.array(["b"])], names=["ask", "ask"])
    with pa.ipc.new_stream(held, table.schema) as writer:
        writer.write_table(table)
    return held.getvalue()


def lines(**changes: Any) -> bytes:
    return as_lines([LONG | changes])


def judged(**changes: Any) -> bytes:
    return as_lines([JUDGED | changes])


PARQUET, SHEET, ARROW = as_parquet(RECORDS), as_workbook(RECORDS), as_arrow(RECORDS)
SMALL = Limits(max_field_chars=1_000, max_passages=2, max_records=1)
TINY = Limits(max_bytes=100)
TIGHT = Limits(max_bytes=3_000)

# name, content, mapping, where, expected, found, advice, limits
VARIANTS: list[tuple[Any, ...]] = [
    # Files that cannot be read
    ("no mapping", as_csv(RECORDS), None, "the file", "a mapping", '"id", "ask", "says"', "Say so"),
    ("too large", as_csv(RECORDS), MAPPING, "the file", "at most 100 bytes", "bytes", "ATTEST_MAX",
     TINY),
    ("cut Parquet", PARQUET[:-20], MAPPING, "the file", "a Parquet file", "cannot be read", "cut"),
    ("damaged Parquet", damaged(PARQUET, 0.9), MAPPING, "the file", "a Parquet file", "cannot be"),
    ("cut Arrow", ARROW[:200], MAPPING, "the file", "an Arrow file", "cannot be read", "cut off"),
    ("same column", two_columns(), MAPPING, "the file", "each column once", "“ask” twice"),
    ("cut sheet", SHEET[:-30], MAPPING, "the file", "a zip archive", "cannot be read"),
    ("damaged sheet", zipped(xl___workbook__xml=b"<a"), MAPPING, "the file", "an Excel", "cannot"),
    ("names twice", as_workbook([{1: "a", "1": "b"}]), MAPPING, "row 1", "each column once",
     '"1" twice'),
    ("beyond the names", as_workbook([{"ask": "A?", None: "b"}]), MAPPING, "row 2", "1 columns",
     "beyond"),
    ("latin-1", as_csv(RECORDS).decode().encode("latin-1"), MAPPING, "line 3", "UTF-8", "0xDC"),
    ("no object", as_lines([ROW]) + b"[1]\n", MAPPING, "line 2", "an object", "a list of 1"),
    ("item", b'[{"ask": "A", "says": "B"}, 7]', MAPPING, "item [1]", "an object", "the number 7"),
    # Zips
    ("zip bomb", bomb(), MAPPING, "a.csv", "at most 500 times", "times as large"),
    ("Parquet bomb", parquet_bomb(), MAPPING, "the file", "at most 500 times", "times as large"),
    ("zip too large", zipped(a__csv=as_csv(RECORDS) + b"q,w,e,r,t\n" * 2_000), MAPPING, "the file",
     "at most 12,000 bytes unpacked", "bytes", "ATTEST_MAX_UPLOAD", TIGHT),
    ("encrypted", encrypted(), MAPPING, "a.csv", "a file of the zip", "encrypted"),
    ("damaged zip", damaged(zipped(a__csv=as_csv(RECORDS * 50)), 0.5), MAPPING, "a.csv",
     "a file of the zip", "cannot be unpacked"),
    ("zip in a zip", zipped(a__csv=zipped(b__csv=as_csv(RECORDS))), MAPPING, "a.csv", "a table",
     "another file", "Unpack the zip"),
    ("ALCE in it", zipped(a__json=b'[{"question": "A?", "output": "B", "docs": []}]'), MAPPING,
     "a.json", "a table", "ALCE or ALiiCE result file", "Unpack the zip"),
    ("no table in it", zipped(a__json=b'{"args": 1}'), MAPPING, "a.json", "a table", "another"),
    ("cut in a zip", zipped(a__parquet=PARQUET[:-9]), MAPPING, "a.parquet", "a Parquet", "cannot"),
    # Rows
    ("other columns", as_csv([{"a": "1", "b": "2"}]), MAPPING, "line 2, field ask", "not blank",
     "an empty text"),
    ("blank question", as_csv([ROW | {"ask": " "}]), MAPPING, "line 2, field ask", "not blank",
     '" "'),
    ("list as output", as_lines([ROW | {"says": [1]}]), MAPPING, "line 1, field says", "a text",
     "a list of 1"),
    ("truth as output", as_parquet([ROW | {"says": True}]), MAPPING, "row 1, field says", "a text",
     "true"),
    ("long id", as_csv([ROW | {"id": "x" * 201}]), MAPPING, "field id", "at most 200", "201"),
    ("twice", as_parquet([ROW, ROW]), MAPPING, "row 2", "one response", "the first is at row 1"),
    ("too many passages", lines(ctx=["a", "b", "c"]), LISTED, "line 1, field ", "at most 2", "3",
     "ATTEST_MAX_PASSAGES", SMALL),
    ("passage without text", lines(ctx=[{"title": "T"}]), LISTED, "line 1, field ctx[0]",
     "a passage with a text", 'an object with "title"'),
    ("few titles", lines(ctx=["a", "b"], title=["T"]), LISTED, "line 1, field title",
     "2, as many as passages", "1"),
    ("no id", lines(ctx=None, ids=["p1", [2]]), LISTED, "line 1, field ids[1]", "the id or address",
     "a list of 1"),
    ("reference", lines(ref={"a": 1}), LISTED, "line 1, field ref", "a text or a list", '"a"'),
    ("language", as_lines([ROW]), mapping(ask="question", says="output", id="language",
     by="system", ctx=""), "line 1, field id", "the code of a language", '"q1"'),
    ("a missing column", as_lines([{"ask": "A?", "says": "B", "by": "S"}]), MAPPING, "the file",
     '"ctx", "id"', "none of them", "Map the columns"),
]  # fmt: skip

JUDGMENTS: list[tuple[Any, ...]] = [
    ("no mapping", as_lines([JUDGED]), None, "the file", "a mapping", '"q", "m"', "Say so"),
    ("value", judged(v="maybe"), JUDGING, "line 1, field v", "yes, no", '"maybe"'),
    ("value of another kind", judged(v=["yes"]), JUDGING, "line 1, field v", "a text", "a list"),
    ("score", judged(sc=7), JUDGING, "line 1, field sc", "a number from 0 to 1", "the number 7"),
    ("score in words", judged(sc="high"), JUDGING, "field sc", "from 0 to 1", '"high"'),
    ("twice", judged() * 2, JUDGING, "line 2", "one judgment for each", "the first is at line 1"),
    ("one of several values", as_lines([RATED[0] | {"utility": 9}]), RATING,
     "line 1, field utility", "one of 1, 2", '"9"'),
    ("the judge of one of several", as_lines([RATED[0] | {"m": " "}]), RATING, "line 1, field m",
     "not blank", '" "'),
]  # fmt: skip
