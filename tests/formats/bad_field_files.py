"""Files of other tools that are wrong, and what must be said about each."""

import json
from typing import Any

from tests.formats.bad_files import Bad

SAMPLE = {"user_input": "How high?", "retrieved_contexts": ["Text."], "response": "High."}
RECORDED = {"record_id": "r", "input": "How high?", "output": "High.", "record_json": {}}
SAID = {"text": "High.", "citations": [0]}
RUN = {
    "run_id": "R",
    "topic_id": "7",
    "topic": "How high?",
    "references": ["d1", "d2"],
    "answer": [SAID],
}


def sentence(**changes: Any) -> dict:
    return {**RUN, "answer": [SAID, {**SAID, **changes}]}


def written(**changes: Any) -> dict:
    said = {"topic_id": "7", "answer": "High [11].", "references": ["11"]}
    return {"run_name": "R", "results": [said, {**said, "topic_id": "8", **changes}]}


def answered(**changes: Any) -> list:
    """An answer of OpenAI's with one citation that is changed."""
    note = {"type": "url_citation", "url": "https://example.org/", "end_index": 5, **changes}
    part = {"type": "output_text", "text": "High.", "annotations": [note]}
    answer = {"object": "response", "output": [{"type": "message", "content": [part]}]}
    return [{"question": "How high?", "response": answer}]


def message(*citations: dict) -> dict:
    text = {"type": "text", "text": "High.", "citations": list(citations)}
    return {"question": "Q", "response": {"role": "assistant", "content": [text]}}


def grounded(segment: dict, *chunks: int) -> dict:
    meta = {
        "groundingChunks": [{"web": {"uri": "https://example.org/"}}],
        "groundingSupports": [{"segment": segment, "groundingChunkIndices": list(chunks)}],
    }
    candidate = {"content": {"parts": [{"text": "Höhe."}]}, "groundingMetadata": meta}
    return {"question": "Q", "response": {"candidates": [candidate]}}


def chatted(**citation: Any) -> dict:
    answer = {"text": "High.", "generation_id": "g", "citations": [citation]}
    return {"question": "Q", "response": answer}


ALONE = {"id": "q1", "question": "How high?", "docs": [{"title": "T", "text": "2,962 m."}]}
ASKED = {"question": {"id": "q1", "text": "How high?"}}
ENTRY = {"answer": "High.", "citations": [0, 1], "eval_scores": ["FS", None]}
JUDGED_RUN = {**RUN, "support_eval": [ENTRY]}
NUGGET = {"text": "It is high", "importance": "vital", "assignment": "support"}
ASSIGNED = {"qid": "7", "run_id": "R", "nuggets": [NUGGET]}


def labelled(**changes: Any) -> dict:
    return {**JUDGED_RUN, "support_eval": [{**ENTRY, **changes}]}


ANNOTATION = "response.output[0].content[0].annotations[0]"
SUPPORT = "response.candidates[0].groundingMetadata.groundingSupports[0]"

FIELD_FILES = [
    # Samples of tools that score answers
    Bad("contexts object", "ragas", [SAMPLE, {**SAMPLE, "retrieved_contexts": {}}],
        "item [1], field retrieved_contexts", "a list", "an empty object"),
    Bad("context number", "ragas", json.dumps({**SAMPLE, "retrieved_contexts": ["a", 1]}),
        "line 1, field retrieved_contexts[1]", "a text", "the number 1"),
    Bad("ids", "ragas", [{**SAMPLE, "retrieved_context_ids": ["a", "b"]}], "retrieved_context_ids",
        "1 ids, as many as passages", "2"),
    Bad("reference", "ragas", [{**SAMPLE, "reference": [1]}], "reference", "list of texts", "of 1"),
    Bad("record as text", "trulens", [{**RECORDED, "record_json": "{oops"}], "record_json",
        "the record as JSON", "oops"),
    Bad("record list", "trulens", [{**RECORDED, "record_json": []}], "record_json", "object", "0"),
    # Runs of TREC
    Bad("sentence", "trec-rag", {**RUN, "answer": ["High."]}, "answer[0]", "an object", '"High."'),
    Bad("no words", "trec-rag", sentence(text="[1]"), "answer[1].text", "words", '"[1]"'),
    Bad("blank", "trec-rag", sentence(text=""), "answer[1].text", "not blank", "an empty text"),
    Bad("place", "trec-rag", sentence(citations=[0, 2]), "answer[1].citations[1]", "0 to 1", "2"),
    Bad("below", "trec-rag", sentence(citations=[-1]), "answer[1].citations[0]", "0 to 1", "-1"),
    Bad("empty id", "trec-rag", sentence(citations=[" "]), "citations[0]", "an id of", '" "'),
    Bad("citation", "trec-rag", sentence(citations=[{}]), "citations[0]", "an id", "an empty"),
    Bad("one place", "trec-rag", sentence(citations=0), "citations", "a list", "the number 0"),
    Bad("reference", "trec-rag", {**RUN, "references": [None]}, "references[0]", "an id", "null"),
    Bad("long", "trec-biogen", {**written(), "run_name": "R" * 201}, "run_name", "200", "201"),
    Bad("run", "trec-biogen", {**written(), "run_name": ["R"]}, "run_name", "a text", "a list"),
    Bad("metadata", "trec-rag", {**RUN, "metadata": "x"}, "metadata", "an object", 'the text "x"'),
    # Answers of providers
    Bad("an error", "answers",
        json.dumps({"custom_id": "q", "response": {"body": {"error": {"message": "busy"}}}}),
        "line 1, field response.body", "an answer of OpenAI", "an error"),
    Bad("no request", "answers", {"choices": [{"message": {}}]}, "question", "request", "nothing"),
    Bad("no choice", "answers", {"question": "Q", "choices": []}, "choices", "one choice", "none"),
    Bad("beyond", "answers", answered(end_index=6), f"item [0], field {ANNOTATION}.end_index",
        "places within the text of 5 characters", "null and the number 6"),
    Bad("reversed", "answers", answered(start_index=5, end_index=2), "end_index", "places", "5"),
    Bad("below", "answers", answered(start_index=-1), "end_index", "places within", "number -1"),
    Bad("address", "answers", answered(url=["x"]), f"{ANNOTATION}.url", "a text", "a list of 1"),
    Bad("document", "answers",
        message({"type": "char_location", "cited_text": "H", "document_index": -1}),
        "response.content[0].citations[0].document_index", "the place of a document",
        "the number -1"),
    Bad("no place", "answers", message({"cited_text": "H"}), "document_index", "an address",
        "null"),
    Bad("within a sign", "answers", grounded({"startIndex": 0, "endIndex": 2}, 0),
        f"{SUPPORT}.segment.endIndex", "places within the text of 6 bytes of UTF-8",
        "the number 2"),
    Bad("chunk", "answers", grounded({"endIndex": 6}, 1), "Indices[0]", "one of 1 chunks", "1"),
    Bad("part", "answers", grounded({"partIndex": 1}, 0), "partIndex", "one of 1 parts", "1"),
    Bad("page", "answers",
        {"question": "Q", "choices": [{"message": {"content": "A"}}], "citations": [3]},
        "citations[0]", "an address", "the number 3"),
    Bad("document id", "answers", chatted(document_ids=[1]), "document_ids[0]", "the id", "number"),
    Bad("end", "answers", chatted(start=0, end=9), "citations[0].end", "of 5 characters", "9"),
    # Captured pages
    Bad("date", "captures", [{"url": "a", "text": "T", "date": {}}], "date", "a text", "object"),
    Bad("address twice", "captures",
        json.dumps({"url": "a", "text": "T"}) + "\n" + json.dumps({"url": "a", "text": "U"}),
        "line 2", "each id or address once", "at line 1"),
    # Questions by themselves
    Bad("an output", "alce-questions", [ALONE, {**ALONE, "id": "q2", "output": "High."}],
        "item [1], field output", "has no answer", 'the text "High."',
        "ALCE or ALiiCE result file"),
    Bad("twice", "alce-questions", [ALONE, ALONE], "item [1]", "each question once", "item [0]"),
    Bad("a system", "questions", {"question": {"text": "How high?"}, "system": "S"},
        "line 1, field system", "has no answer", 'the text "S"', "Attest responses"),
    Bad("number twice", "questions",
        {"question": {"text": "Q"}, "passages": [{"n": 1, "title": "", "text": "T"}] * 2},
        "passages[1].n", "each number once", "1 again"),
    Bad("question twice", "questions", f"{json.dumps(ASKED)}\n{json.dumps(ASKED)}", "line 2",
        "each question once", "at line 1"),
    # Judgments of TREC
    Bad("label", "trec-support", labelled(eval_scores=["XS"]), "eval_scores[0]", "FS, PS, NS", "X"),
    Bad("many", "trec-support", labelled(eval_scores=["FS"] * 3), "scores", "at most 2 labels",
        "3"),
    Bad("assignment", "trec-assignments",
        {**ASSIGNED, "nuggets": [{**NUGGET, "assignment": "maybe"}]}, "nuggets[0].assignment",
        "one of support", "maybe"),
    Bad("an answer twice", "trec-assignments", f"{json.dumps(ASSIGNED)}\n{json.dumps(ASSIGNED)}",
        "line 2", "one judgment for each", "the first is at line 1"),
    Bad("no nuggets", "trec-nuggets", {"qid": "7", "nuggets": []}, "nuggets", "at least one",
        "none"),
    Bad("topic", "trec-nuggets", [ASSIGNED, ASSIGNED], "item [1], field qid", "once", "item [0]"),
]  # fmt: skip
