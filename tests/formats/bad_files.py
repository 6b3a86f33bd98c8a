"""Files that are wrong in every way we could think of, and what must be said about each."""

import json
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
    Bad("white space", "alce", b" \n\t\r\n", "line 3", "an object", "the end"),
    Bad("white space lines", "attest", b" \n\n  \n", "the file", "at least one record", "none"),
    Bad("white space csv", "judgments", b"\n\n", "line 1", "a header", "no header"),
    Bad("png", "alce", PNG, "the file", "UTF-8 text", "a PNG picture", "Choose the file"),
    # Encodings
    Bad("windows-1252 lines", "attest", (json.dumps(LINE) + "\n“").encode("cp1252"), "line 2",
        "UTF-8 text", "byte 0x93"),
    # Truncated and broken JSON
    Bad("cut nesting", "alce-citations", '{"asqa": {"m": {', "asqa/m", "a key", "the end"),
    Bad("no comma", "alce", '[\n{"question" "Q"}]', "line 2, item [0]", "valid JSON", '"'),
    Bad("two on a line", "attest", json.dumps(LINE) * 2, "line 1", "one JSON object", '"{'),
    Bad("bad escape", "alce", raw('"\\x"'), "item [0]", "valid JSON", "invalid escape"),
    Bad("bare tab", "alce", raw('"a\tb"'), "item [0]", "valid JSON", "U+0009", "\\u0009"),
    Bad("bare nul", "attest", b'{"question": "a\0b"}', "line 1", "one JSON object", "U+0000"),
    # What JSON lets pass and a database does not
    Bad("Infinity", "attest", '{"x": [-Infinity]}', "line 1, field x[0]", "finite", "Infinity"),
    Bad("nul key", "attest", '{"a\\u0000": 1}', "line 1", "keys", "the key"),
    Bad("low surrogate", "attest", '{"output": "\\udfff"}', "field output", "whole", "U+DFFF"),
    Bad("nested 70", "attest", '{"a":' * 70 + "1" + "}" * 70, "line 1", "64 levels", "deeper"),
    # Too much
    Bad("10 MB field", "alce", alce(output="x" * 10_000_000), "item [1], field output",
        "at most 1,000,000 characters", "10,000,000 characters", "ATTEST_MAX_FIELD_CHARS"),
    Bad("endless text", "alce", '[{"question": "' + "x" * 3_000_000, "line 1, item [0]",
        "a record of at most 16,000 characters", "longer", "ATTEST_MAX_FIELD_CHARS", SMALL),
    Bad("endless line", "attest", json.dumps(LINE) + "\n" + "x" * 100_000, "line 2",
        "a record of at most 16,000", "longer", "ATTEST_MAX_FIELD_CHARS", SMALL),
    Bad("endless row", "aqa-ratings", RATINGS + 'S,Q,A,,,,,\nR,Q,"' + "x\n" * 20_000, "line 3",
        "a record of at most 16,000", "a closing quotation mark", "", SMALL),
    Bad("too many bytes", "alce", WHOLE, "the file", "at most 100 bytes", f"{len(WHOLE)} bytes",
        "ATTEST_MAX_UPLOAD_BYTES", {"limits": Limits(max_bytes=100)}),
    Bad("too many records", "alce", WHOLE, "item data[1]", "at most 1 records", "more",
        "ATTEST_MAX_RECORDS", {"limits": Limits(max_records=1)}),
    Bad("too many passages", "alce", alce(docs=[DOC] * 3), "item [1], field docs",
        "at most 2 passages", "3", "ATTEST_MAX_PASSAGES", {"limits": Limits(max_passages=2)}),
    # ALCE result files: the wrong shape
    Bad("no data", "alce", {"args": {}, "rows": []}, "the file", "the key data", '"rows"'),
    Bad("data object", "alce", {"data": {}}, "item data", "a list", '"{}'),
    Bad("args list", "alce", {"args": [], "data": [ITEM]}, "field args", "an object", "a list"),
    Bad("item text", "alce", ["x"], "item [0]", "an object", 'the text "x"'),
    Bad("item null", "alce", [None], "item [0]", "an object", "null"),
    Bad("no samples", "alce", alce(output=[]), "field output", "at least one", "an empty list"),
    Bad("sample", "alce", alce(output=["a", 1]), "field output[1]", "a text", "the number 1"),
    Bad("docs object", "alce", alce(docs=DOC), "field docs", "a list", "an object with"),
    Bad("doc text", "alce", alce(docs=[DOC, "x"]), "field docs[1]", "an object", 'text "x"'),
    Bad("title null", "alce", alce(docs=[{**DOC, "title": None}]), "docs[0].title", "text", "null"),
    Bad("no title", "alce", alce(docs=[{"text": ""}]), "docs[0].title", "a text", "no such field"),
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
    Bad("question twice", "alce", alce(question="Fine?"), "item [1]",
        "one response for each question", "the first is at item [0]"),
    Bad("id of two texts", "alce",
        [{**ITEM, "id": "q1"}, {**ITEM, "id": "q1", "question": "Where?"}], "item [1]",
        "one text for each question id", "'q1'"),
    Bad("question id twice", "alce-citations",
        f'{{"asqa": {{"m": {{"7": {json.dumps(EVALUATED)}, "7": {json.dumps(EVALUATED)}}}}}}}',
        "item asqa/m/7", "each question id once", "twice"),
    Bad("model twice", "alce-utility", '{"a": {"m": {}, "m": {}}}', "a/m", "once", '"m" twice'),
    Bad("data set twice", "alce-utility", '{"a": {}, "a": {}}', "item a", "once", '"a" twice'),
    # Published human evaluations
    Bad("score 3", "alce-citations", scored(3), f"asqa/m.json/7, field {SCORE}", "0, 1 or 2", "3"),
    Bad("score yes", "alce-citations", scored("yes"), SCORE, "0, 1 or 2", 'the text "yes"'),
    Bad("score true", "alce-citations", scored(True), SCORE, "0, 1 or 2", "true"),
    Bad("a list", "alce-citations", [EVALUATED], "line 1", "an object", '"['),
    Bad("item", "alce-citations", {"asqa": {"m": {"7": 1}}}, "asqa/m/7", "an object", "number 1"),
    Bad("scores", "alce-citations", human(automatic_recall_scores=[1, 0]),
        "automatic_recall_scores", "1 scores", "2"),
    # CSV
    Bad("no column", "aqa-ratings", "question,answer\nQ,A\n", "line 1", "system_name", "without"),
    Bad("stray", "aqa-predictions", PREDICTIONS + 'Q,"A"b,,\n', "line 2", "CSV", "a stray",
        "twice"),
    Bad("returns", "aqa-predictions", "question,answer\rQ,A\r", "line 1", "CSV", "carriage return"),
    Bad("lower", "aqa-ratings", RATINGS + "S,Q,A,p,T,Y,y,1\n", "auto_ais", "Y, N or", '"y"'),
    Bad("abc", "aqa-ratings", RATINGS + "S,Q,A,p,T,Y,Y,abc\n", "nli_score", "from 0 to 1", "abc"),
    # Attest's own
    Bad("no system", "attest", without(LINE, "system"), "field system", "a text", "no such field"),
    Bad("n 0", "attest", {**LINE, "passages": [{**DOC, "n": 0}]}, "passages[0].n", "from 1", "0"),
    Bad("run", "attest", {**LINE, "run": [1]}, "field run", "a text of at most 100", "a list"),
    Bad("script address", "attest",
        {**LINE, "passages": [{"n": 1, **DOC, "url": "javascript:alert(1)"}]}, "passages[0].url",
        "http:// or https://", "javascript"),
    Bad("metadata", "attest", {**LINE, "metadata": []}, "metadata", "an object", "a list of 0"),
    # Judgments
    Bad("seconds", "judgments", judged(seconds="-1"), "line 2, field seconds", "from 0", '"-1"'),
    Bad("score 2", "judgments", judged(score="2"), "field score", "from 0 to 1", '"2"'),
    Bad("unit kind", "judgments", judged(unit="s1.c1"), "unit", "key of a statement", '"s1.c1"'),
    Bad("both", "judgments", judged(skipped_reason="x"), "skipped_reason", "nothing", '"x"'),
    Bad("neither", "judgments", judged(value=""), "field value", "a reason", "nothing"),
    Bad("value", "judgments", judged(value="maybe"), "field value", "yes, no", '"maybe"'),
    Bad("kind", "judgments", judged(judge_kind="robot"), "judge_kind", "human, sim", '"robot"'),
    Bad("created", "judgments", judged(created="1.5.2024"), "created", "a date", '"1.5.2024"'),
    Bad("a wrong shape", "references-jsonl", {"question_id": "q", "references": {"claims": "A"}},
        "references.claims", "a list of texts", '"A"'),
    Bad("more keys", "references-jsonl",
        {"question_id": "q", "references": {"answer": "A"}, "x": 1}, "line 1", "the keys",
        '"x" as well'),
    Bad("no JSON", "references", "question_id,claims\nq1,high\n", "claims", "JSON", '"high"'),
    Bad("twice", "references", "question_id,answer\nq,A\nq,B\n", "line 3", "each question once",
        "at line 2"),
    Bad("no reference", "references", "question_id,answer\nq1,\n", "line 2", "references", "none"),
    Bad("a column more", "references", "question_id,answer,x\nq,A,1\n", "line 1", "columns", '"x"'),
    Bad("number", "judgments-jsonl", {**JUDGED, "value": 1}, "line 1, field value", "text", "1"),
    Bad("seconds text", "judgments-jsonl", {**JUDGED, "seconds": "3"}, "seconds", "number", '"3"'),
    Bad("score bool", "judgments-jsonl", {**JUDGED, "score": True}, "score", "0 to 1", "true"),
    Bad("more keys", "judgments-jsonl", {**JUDGED, "x": 1}, "line 1", "the keys", '"x" as well'),
]  # fmt: skip


def _of_tables(key: str, variants: list[tuple[Any, ...]]) -> list[Bad]:
    found = []
    for name, content, mapping, where, expected, said, *more in variants:
        advice, limits = more[0] if more else "", more[1] if len(more) > 1 else None
        options = {"mapping": mapping, **({"limits": limits} if limits else {})}
        found.append(Bad(name, key, content, where, expected, said, advice, options))
    return found


FILES += _of_tables("table", bad_tables.VARIANTS)
FILES += _of_tables("table-judgments", bad_tables.JUDGMENTS)
