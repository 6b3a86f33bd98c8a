"""Files that are wrong in every way we could think of, and what must be said about each."""

import gzip
import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import Any

from annotate.formats import JUDGMENT_COLUMNS, Limits
from tests.formats.tables import bad_tables

DOC = {"title": "T", "text": "Text."}
ITEM = {"question": "How high?", "output": "High [1].", "docs": [DOC]}
LINE = {
    "question": {"id": "q1", "text": "How high?"},
    "system": "S",
    "output": "High [1].",
    "passages": [{"n": 1, **DOC}],
}
SENTENCE = {"text": "High [1].", "citations": [{**DOC, "citation_precision_score": 2}]}
EVALUATED = {"id": "q1", "question": "How high?", "output": "High.", "sentences": [SENTENCE]}
RATINGS = "system_name,question,answer,attribution,passage,human_rating,auto_ais,nli_score\n"
PREDICTIONS = "question,answer,attribution,passage\n"
JUDGED = {
    "system": "S",
    "question_id": "q1",
    "unit": "s1",
    "dimension": "citation_recall",
    "judge": "rater-1",
    "judge_kind": "human",
    "value": "yes",
}
WHOLE = json.dumps({"args": {"seed": 1}, "data": [ITEM, {**ITEM, "question": "Where?"}]})
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
SCORE = "sentences[0].citations[0].citation_precision_score"


def zipped() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("outputs.json", WHOLE)
    return held.getvalue()


def alce(**changes: Any) -> list:
    return [ITEM | {"question": "Fine?"}, {**ITEM, **changes}]


def without(record: dict, name: str) -> dict:
    return {key: value for key, value in record.items() if key != name}


def human(**changes: Any) -> dict:
    return {"asqa": {"m.json": {"7": {**EVALUATED, **changes}}}}


def scored(score: Any) -> dict:
    cited = {**DOC, "citation_precision_score": score}
    return human(sentences=[{"text": "High [1].", "citations": [cited]}])


def judged(**changes: Any) -> str:
    row = dict.fromkeys(JUDGMENT_COLUMNS, "") | JUDGED | changes
    return ",".join(JUDGMENT_COLUMNS) + "\n" + ",".join(row.values()) + "\n"


def raw(question: str) -> str:
    """A bare list whose question is written as given, escapes and all."""
    return f'[{{"question": {question}, "output": "", "docs": []}}]'


@dataclass(frozen=True)
class Bad:
    """A bad file, and what the first problem must say."""

    name: str
    format: str
    content: Any
    where: str
    expected: str
    found: str
    advice: str = ""
    options: dict = field(default_factory=dict)


SMALL = {"limits": Limits(max_field_chars=1_000)}

FILES = [
    # What is no text at all
    Bad("empty", "alce", b"", "the file", "UTF-8 text", "an empty file"),
    Bad("empty csv", "aqa-ratings", b"", "the file", "UTF-8 text", "an empty file"),
    Bad("white space", "alce", b" \n\t\r\n", "line 3", "an object", "the end"),
    Bad("white space lines", "attest", b" \n\n  \n", "the file", "at least one record", "none"),
    Bad("white space csv", "judgments", b"\n\n", "line 1", "a header", "no header"),
    Bad("mark only", "alce", b"\xef\xbb\xbf", "line 1", "an object", "the end"),
    Bad("zip", "alce", zipped(), "the file", "UTF-8", "a zip archive", "Unpack"),
    Bad("zip csv", "aqa-ratings", zipped(), "the file", "UTF-8", "a zip archive", "Unpack"),
    Bad("gzip", "attest", gzip.compress(b"{}"), "the file", "UTF-8", "a gzip archive", "Unpack"),
    Bad("png", "alce", PNG, "the file", "UTF-8 text", "a PNG picture", "Choose the file"),
    Bad("pdf", "judgments", b"%PDF-1.7\n", "the file", "UTF-8 text", "a PDF document"),
    Bad("random", "alce", bytes(range(256)) * 9, "the file", "UTF-8 text", "binary data"),
    # Encodings
    Bad("utf-16", "alce", WHOLE.encode("utf-16"), "the file", "UTF-8", "UTF-16 text", "Save"),
    Bad("utf-16 bare", "alce", WHOLE.encode("utf-16-le"), "the file", "UTF-8", "UTF-16 text"),
    Bad("utf-16 csv", "aqa-ratings", RATINGS.encode("utf-16-be"), "the file", "UTF-8", "UTF-16"),
    Bad("utf-32", "alce", WHOLE.encode("utf-32"), "the file", "UTF-8 text", "UTF-32 text"),
    Bad(
        "latin-1",
        "alce",
        '[{"question":\n "caf\u00e9"}]'.encode("latin-1"),
        "line 2",
        "UTF-8 text",
        "byte 0xE9 at offset 19",
        "Save the file as UTF-8",
    ),
    Bad(
        "latin-1 csv",
        "aqa-predictions",
        (PREDICTIONS + "Q,A,,\nQ2,caf\u00e9,,\n").encode("latin-1"),
        "line 3",
        "UTF-8 text",
        "byte 0xE9 at offset 48",
    ),
    Bad(
        "windows-1252 lines",
        "attest",
        (json.dumps(LINE) + "\n“").encode("cp1252"),
        "line 2",
        "UTF-8 text",
        "byte 0x93",
    ),
    Bad("half a character", "alce", b'[{"question": "\xc3', "line 1", "UTF-8 text", "byte 0xC3"),
    # Truncated and broken JSON
    Bad("cut in a text", "alce", WHOLE[:60], "item data[0]", "valid JSON", "closing quotation"),
    Bad("cut after a key", "alce", '{"data": [{"question"', "data[0]", "valid JSON", "the end"),
    Bad("cut in a list", "alce", '[{"question": "Q", "docs": [', "item [0]", "valid", "the end"),
    Bad("cut between", "alce", json.dumps([ITEM])[:-1], "line 1", "a comma or a", "the end"),
    Bad("cut at the end", "alce", WHOLE[:-1], "line 1", "a comma or a closing brace", "the end"),
    Bad("cut in a number", "alce", '[{"question": -', "item [0]", "valid JSON", '"-"'),
    Bad("cut line", "attest", json.dumps(LINE)[:-9], "line 1", "JSON", "closing quotation"),
    Bad("cut nesting", "alce-citations", '{"asqa": {"m": {', "asqa/m", "a key", "the end"),
    Bad("no comma", "alce", '[\n{"question" "Q"}]', "line 2, item [0]", "valid JSON", '"'),
    Bad("trailing comma", "alce", json.dumps([ITEM])[:-1] + ",]", "[1]", "valid JSON", '"]"'),
    Bad("more after it", "alce", json.dumps([ITEM]) + "\n[]", "line 2", "nothing after", '"[]"'),
    Bad("two on a line", "attest", json.dumps(LINE) * 2, "line 1", "one JSON object", '"{'),
    Bad("single quotes", "alce", "[{'question': 'Q'}]", "item [0]", "valid JSON", "'question'"),
    Bad("no json", "alce", "hello", "line 1", "an object", '"hello"'),
    Bad("bad escape", "alce", raw('"\\x"'), "item [0]", "valid JSON", "invalid escape"),
    Bad("bare tab", "alce", raw('"a\tb"'), "item [0]", "valid JSON", "U+0009", "\\u0009"),
    Bad("bare nul", "attest", b'{"question": "a\0b"}', "line 1", "one JSON object", "U+0000"),
    # What JSON lets pass and a database does not
    Bad("NaN", "alce", raw("NaN"), "item [0], field question", "a finite number", "NaN"),
    Bad("Infinity", "attest", '{"x": [-Infinity]}', "line 1, field x[0]", "finite", "Infinity"),
    Bad("1e999", "alce", '[{"docs": [{"score": 1e999}]}]', "docs[0].score", "finite", "Infinity"),
    Bad("huge", "alce", raw("9" * 5_000), "field question", "a finite number", "too large"),
    Bad("nul", "alce", raw('"a\\u0000b"'), "field question", "NUL", "at character 2", "Remove"),
    Bad("nul key", "attest", '{"a\\u0000": 1}', "line 1", "keys", "the key"),
    Bad("nul deep", "alce", '[{"x": [{"y": "\\u0000"}]}]', "field x[0].y", "NUL", "U+0000"),
    Bad("surrogate", "alce", raw('"a\\ud800b"'), "field question", "whole", "U+D800"),
    Bad("low surrogate", "attest", '{"output": "\\udfff"}', "field output", "whole", "U+DFFF"),
    Bad("surrogate name", "alce-utility", '{"a": {"\\ud800": {}}}', "a/", "whole", "U+D800"),
    Bad("nested", "alce", "[" * 100_000, "[0]", "at most 64 levels", "deeper"),
    Bad("nested braces", "attest", '{"a":' * 100_000, "line 1", "at most 64 levels", "deeper"),
    Bad("nested 70", "attest", '{"a":' * 70 + "1" + "}" * 70, "line 1", "64 levels", "deeper"),
    # Too much
    Bad(
        "10 MB field",
        "alce",
        alce(output="x" * 10_000_000),
        "item [1], field output",
        "at most 1,000,000 characters",
        "10,000,000 characters",
        "ATTEST_MAX_FIELD_CHARS",
    ),
    Bad(
        "10 MB csv field",
        "aqa-ratings",
        RATINGS + "S,Q," + "x" * 10_000_000 + ",,,,,\n",
        "line 2, field answer",
        "at most 1,000,000 characters",
        "10,000,000 characters",
        "ATTEST_MAX_FIELD_CHARS",
    ),
    Bad(
        "10 MB deep",
        "attest",
        {**LINE, "metadata": {"a": ["x" * 10_000_000]}},
        "line 1, field metadata.a[0]",
        "at most 1,000,000",
        "10,000,000 characters",
    ),
    Bad(
        "endless text",
        "alce",
        '[{"question": "' + "x" * 3_000_000,
        "line 1, item [0]",
        "a record of at most 16,000 characters",
        "longer",
        "ATTEST_MAX_FIELD_CHARS",
        SMALL,
    ),
    Bad(
        "endless line",
        "attest",
        json.dumps(LINE) + "\n" + "x" * 100_000,
        "line 2",
        "a record of at most 16,000",
        "longer",
        "ATTEST_MAX_FIELD_CHARS",
        SMALL,
    ),
    Bad(
        "endless row",
        "aqa-ratings",
        RATINGS + 'S,Q,A,,,,,\nR,Q,"' + "x\n" * 20_000,
        "line 3",
        "a record of at most 16,000",
        "a closing quotation mark",
        "",
        SMALL,
    ),
    Bad(
        "too many bytes",
        "alce",
        WHOLE,
        "the file",
        "at most 100 bytes",
        f"{len(WHOLE)} bytes",
        "ATTEST_MAX_UPLOAD_BYTES",
        {"limits": Limits(max_bytes=100)},
    ),
    Bad(
        "too many records",
        "alce",
        WHOLE,
        "item data[1]",
        "at most 1 records",
        "more",
        "ATTEST_MAX_RECORDS",
        {"limits": Limits(max_records=1)},
    ),
    Bad(
        "too many passages",
        "alce",
        alce(docs=[DOC] * 3),
        "item [1], field docs",
        "at most 2 passages",
        "3",
        "ATTEST_MAX_PASSAGES",
        {"limits": Limits(max_passages=2)},
    ),
    # ALCE result files: the wrong shape
    Bad("no data", "alce", {"args": {}, "rows": []}, "the file", "the key data", '"rows"'),
    Bad("data object", "alce", {"data": {}}, "item data", "a list", '"{}'),
    Bad("no items", "alce", {"data": []}, "the file", "at least one record", "none"),
    Bad("args list", "alce", {"args": [], "data": [ITEM]}, "field args", "an object", "a list"),
    Bad("item text", "alce", ["x"], "item [0]", "an object", 'the text "x"'),
    Bad("item null", "alce", [None], "item [0]", "an object", "null"),
    Bad("no question", "alce", [without(ITEM, "question")], "question", "a text", "no such field"),
    Bad("blank question", "alce", alce(question=" \n"), "question", "not blank", '" \\n"'),
    Bad("question list", "alce", alce(question=["Q"]), "[1], field question", "text", "a list"),
    Bad("output number", "alce", alce(output=3), "field output", "a text", "the number 3"),
    Bad("output null", "alce", alce(output=None), "field output", "a text", "null"),
    Bad("no samples", "alce", alce(output=[]), "field output", "at least one", "an empty list"),
    Bad("sample", "alce", alce(output=["a", 1]), "field output[1]", "a text", "the number 1"),
    Bad("no docs", "alce", [without(ITEM, "docs")], "field docs", "a list", "no such field"),
    Bad("docs object", "alce", alce(docs=DOC), "field docs", "a list", "an object with"),
    Bad("doc text", "alce", alce(docs=[DOC, "x"]), "field docs[1]", "an object", 'text "x"'),
    Bad("title null", "alce", alce(docs=[{**DOC, "title": None}]), "docs[0].title", "text", "null"),
    Bad("no title", "alce", alce(docs=[{"text": ""}]), "docs[0].title", "a text", "no such field"),
    Bad("no text", "alce", alce(docs=[{"title": ""}]), "docs[0].text", "a text", "no such field"),
    Bad("sent", "alce", alce(docs=[{**DOC, "sent": 1}]), "docs[0].sent", "a text", "number 1"),
    Bad("doc id", "alce", alce(docs=[{**DOC, "id": {}}]), "docs[0].id", "a text", "an empty obj"),
    Bad("id bool", "alce", alce(id=True), "field id", "a whole number", "true"),
    Bad("id long", "alce", alce(id="x" * 201), "field id", "at most 200", "201 characters"),
    Bad("id float", "alce", alce(id=1.5), "field id", "a whole number", "the number 1.5"),
    Bad("qa_pairs", "alce", alce(qa_pairs={}), "qa_pairs", "short_answers", "an empty object"),
    Bad("aliases", "alce", alce(qa_pairs=[{"short_answers": "a"}]), "qa_pairs", "short", "list"),
    Bad("answers", "alce", alce(answers=["a"]), "field answers", "lists of aliases", "a list"),
    Bad("claims", "alce", alce(claims=[1]), "field claims", "a list of texts", "a list of 1"),
    Bad("annotations", "alce", alce(annotations=[{}]), "annotations", "long_answer", "a list"),
    Bad("answer", "alce", alce(answer=5), "field answer", "a text", "the number 5"),
    # Said twice
    Bad("key twice", "alce", raw('"Q", "question": "R"'), "field question", "once", "twice"),
    Bad(
        "question twice",
        "alce",
        alce(question="Fine?"),
        "item [1]",
        "one response for each question",
        "the first is at item [0]",
    ),
    Bad(
        "id of two texts",
        "alce",
        [{**ITEM, "id": "q1"}, {**ITEM, "id": "q1", "question": "Where?"}],
        "item [1]",
        "one text for each question id",
        "'q1'",
    ),
    Bad(
        "line twice",
        "attest",
        json.dumps(LINE) + "\n\n" + json.dumps(LINE),
        "line 3",
        "one response",
        "the first is at line 1",
    ),
    Bad(
        "question id twice",
        "alce-citations",
        f'{{"asqa": {{"m": {{"7": {json.dumps(EVALUATED)}, "7": {json.dumps(EVALUATED)}}}}}}}',
        "item asqa/m/7",
        "each question id once",
        "twice",
    ),
    Bad("model twice", "alce-utility", '{"a": {"m": {}, "m": {}}}', "a/m", "once", '"m" twice'),
    Bad("data set twice", "alce-utility", '{"a": {}, "a": {}}', "item a", "once", '"a" twice'),
    # Published human evaluations
    Bad("score 3", "alce-citations", scored(3), f"asqa/m.json/7, field {SCORE}", "0, 1 or 2", "3"),
    Bad("score yes", "alce-citations", scored("yes"), SCORE, "0, 1 or 2", 'the text "yes"'),
    Bad("score 0.5", "alce-citations", scored(0.5), SCORE, "0, 1 or 2", "the number 0.5"),
    Bad("score true", "alce-citations", scored(True), SCORE, "0, 1 or 2", "true"),
    Bad("a list", "alce-citations", [EVALUATED], "line 1", "an object", '"['),
    Bad("flat", "alce-citations", {"asqa": [1]}, "item asqa", "an object", '"[1]'),
    Bad("item", "alce-citations", {"asqa": {"m": {"7": 1}}}, "asqa/m/7", "an object", "number 1"),
    Bad("sentences", "alce-citations", human(sentences="x"), "sentences", "a list", 'text "x"'),
    Bad("citation", "alce-citations", human(sentences=[{"text": "A."}]), "citations", "list", "no"),
    Bad(
        "scores",
        "alce-citations",
        human(automatic_recall_scores=[1, 0]),
        "automatic_recall_scores",
        "1 scores",
        "2",
    ),
    Bad("utility 6", "alce-utility", human(utility_score=6), "utility_score", "1, 2, 3, 4 or", "6"),
    Bad("utility", "alce-utility", human(utility_score="4"), "utility_score", "or 5", '"4"'),
    # CSV
    Bad("no column", "aqa-ratings", "question,answer\nQ,A\n", "line 1", "system_name", "without"),
    Bad("no header", "aqa-predictions", "Q,A,p1,Text\n", "line 1", "a header", '"Q", "A"'),
    Bad("semicolons", "aqa-predictions", "question;answer;x\n", "line 1", "a header", "", "comma"),
    Bad("column twice", "aqa-predictions", "question,answer,question\n", "line 1", "a", "twice"),
    Bad("header only", "aqa-ratings", RATINGS, "the file", "at least one record", "none"),
    Bad("few", "aqa-predictions", PREDICTIONS + "Q,A,\n", "line 2", "4 columns", "3", "comma"),
    Bad("many", "aqa-predictions", PREDICTIONS + "Q,A,,,\n", "line 2", "4 columns", "5 columns"),
    Bad(
        "stray", "aqa-predictions", PREDICTIONS + 'Q,"A"b,,\n', "line 2", "CSV", "a stray", "twice"
    ),
    Bad("open", "aqa-ratings", RATINGS + '\nS,"Q,A\n\n', "line 3", "valid CSV", "never closed"),
    Bad("returns", "aqa-predictions", "question,answer\rQ,A\r", "line 1", "CSV", "carriage return"),
    Bad(
        "csv nul", "aqa-predictions", PREDICTIONS + "Q,a\0,,\n", "line 2, field answer", "NUL", "U+"
    ),
    Bad(
        "blank", "aqa-predictions", PREDICTIONS + " ,A,,\n", "line 2, field question", "blank", '"'
    ),
    Bad(
        "passages",
        "aqa-predictions",
        PREDICTIONS + "Q,A,p1,\n",
        "attribution",
        "text",
        '"p1"',
        "give",
    ),
    Bad("maybe", "aqa-ratings", RATINGS + "S,Q,A,p,T,maybe,Y,1\n", "human_rating", "Y, N", "maybe"),
    Bad("lower", "aqa-ratings", RATINGS + "S,Q,A,p,T,Y,y,1\n", "auto_ais", "Y, N or", '"y"'),
    Bad("abc", "aqa-ratings", RATINGS + "S,Q,A,p,T,Y,Y,abc\n", "nli_score", "from 0 to 1", "abc"),
    Bad("over 1", "aqa-ratings", RATINGS + "S,Q,A,p,T,Y,Y,1.01\n", "nli_score", "to 1", "1.01"),
    Bad("no system", "aqa-ratings", RATINGS + ",Q,A,p,T,Y,Y,1\n", "system_name", "a name", '""'),
    # Attest's own
    Bad("question text", "attest", {**LINE, "question": "Q"}, "question", "an object", '"Q"'),
    Bad("no system", "attest", without(LINE, "system"), "field system", "a text", "no such field"),
    Bad("no passages", "attest", without(LINE, "passages"), "passages", "a list", "no such field"),
    Bad("n 0", "attest", {**LINE, "passages": [{**DOC, "n": 0}]}, "passages[0].n", "from 1", "0"),
    Bad("run", "attest", {**LINE, "run": [1]}, "field run", "a text of at most 100", "a list"),
    Bad(
        "script address",
        "attest",
        {**LINE, "passages": [{"n": 1, **DOC, "url": "javascript:alert(1)"}]},
        "passages[0].url",
        "http:// or https://",
        "javascript",
    ),
    Bad("metadata", "attest", {**LINE, "metadata": []}, "metadata", "an object", "a list of 0"),
    # Judgments
    Bad("missing column", "judgments", "study,system\n", "line 1", "question_id", "without"),
    Bad(
        "more columns",
        "judgments",
        ",".join((*JUDGMENT_COLUMNS, "extra")) + "\n",
        "line 1",
        "a header",
        'with "extra" as well',
    ),
    Bad("seconds", "judgments", judged(seconds="-1"), "line 2, field seconds", "from 0", '"-1"'),
    Bad("score", "judgments", judged(score="1,5"), "line 2", "14 columns", "15 columns"),
    Bad("score 2", "judgments", judged(score="2"), "field score", "from 0 to 1", '"2"'),
    Bad("dimension", "judgments", judged(dimension="beauty"), "dimension", "utility", '"beauty"'),
    Bad("unit kind", "judgments", judged(unit="s1.c1"), "unit", "key of a statement", '"s1.c1"'),
    Bad("unit", "judgments", judged(unit="sentence 1"), "unit", "s1.a1.c2", '"sentence 1"'),
    Bad("both", "judgments", judged(skipped_reason="x"), "skipped_reason", "nothing", '"x"'),
    Bad("neither", "judgments", judged(value=""), "field value", "a reason", "nothing"),
    Bad("value", "judgments", judged(value="maybe"), "field value", "yes, no", '"maybe"'),
    Bad("kind", "judgments", judged(judge_kind="robot"), "judge_kind", "human, sim", '"robot"'),
    Bad("created", "judgments", judged(created="1.5.2024"), "created", "a date", '"1.5.2024"'),
    Bad(
        "no question",
        "references-jsonl",
        {"references": {"answer": "A"}},
        "question_id",
        "a text",
        "no such field",
    ),
    Bad("no references", "references-jsonl", {"question_id": "q"}, "line 1", "references", "none"),
    Bad(
        "a wrong shape",
        "references-jsonl",
        {"question_id": "q", "references": {"claims": "A"}},
        "references.claims",
        "a list of texts",
        '"A"',
    ),
    Bad(
        "more keys",
        "references-jsonl",
        {"question_id": "q", "references": {"answer": "A"}, "x": 1},
        "line 1",
        "the keys",
        '"x" as well',
    ),
    Bad("no JSON", "references", "question_id,claims\nq1,high\n", "claims", "JSON", '"high"'),
    Bad("no id", "references", "question_id,answer\n,High\n", "question_id", "the id", "empty"),
    Bad(
        "twice",
        "references",
        "question_id,answer\nq,A\nq,B\n",
        "line 3",
        "each question once",
        "at line 2",
    ),
    Bad("no reference", "references", "question_id,answer\nq1,\n", "line 2", "references", "none"),
    Bad("a column more", "references", "question_id,answer,x\nq,A,1\n", "line 1", "columns", '"x"'),
    Bad("number", "judgments-jsonl", {**JUDGED, "value": 1}, "line 1, field value", "text", "1"),
    Bad("seconds text", "judgments-jsonl", {**JUDGED, "seconds": "3"}, "seconds", "number", '"3"'),
    Bad("score bool", "judgments-jsonl", {**JUDGED, "score": True}, "score", "0 to 1", "true"),
    Bad("more keys", "judgments-jsonl", {**JUDGED, "x": 1}, "line 1", "the keys", '"x" as well'),
    Bad(
        "no judge", "judgments-jsonl", without(JUDGED, "judge"), "judge", "a text", "no such field"
    ),
]


def _of_tables(key: str, variants: list[tuple[Any, ...]]) -> list[Bad]:
    found = []
    for name, content, mapping, where, expected, said, *more in variants:
        advice, limits = more[0] if more else "", more[1] if len(more) > 1 else None
        options = {"mapping": mapping, **({"limits": limits} if limits else {})}
        found.append(Bad(name, key, content, where, expected, said, advice, options))
    return found


FILES += _of_tables("table", bad_tables.VARIANTS)
FILES += _of_tables("table-judgments", bad_tables.JUDGMENTS)
