"""Files of other tools that are wrong, and what must be said about each."""

import json
from typing import Any

from annotate.formats import Limits
from tests.formats.bad_files import Bad, without

SAMPLE = {"user_input": "How high?", "retrieved_contexts": ["Text."], "response": "High."}
CASE = {"input": "How high?", "actual_output": "High.", "retrieval_context": ["Text."]}
QUERIED = {"query": "How high?", "response": "High.", "source_nodes": [{"text": "Text."}]}
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
    Bad("no response", "ragas", [without(SAMPLE, "response")], "response", "a text", "no such"),
    Bad("no input", "ragas", [without(SAMPLE, "user_input")], "user_input", "a text", "no such"),
    Bad("turns", "ragas", [{**SAMPLE, "user_input": [{}]}], "user_input", "several turns", "list"),
    Bad("blank", "ragas", [{**SAMPLE, "user_input": " "}], "user_input", "not blank", '" "'),
    Bad("a text", "ragas", ["x"], "item [0]", "an object", 'the text "x"'),
    Bad("no list", "ragas", {"samples": 3}, "user_input", "a text", "no such field"),
    Bad(
        "contexts object",
        "ragas",
        [SAMPLE, {**SAMPLE, "retrieved_contexts": {}}],
        "item [1], field retrieved_contexts",
        "a list",
        "an empty object",
    ),
    Bad(
        "context number",
        "ragas",
        json.dumps({**SAMPLE, "retrieved_contexts": ["a", 1]}),
        "line 1, field retrieved_contexts[1]",
        "a text",
        "the number 1",
    ),
    Bad(
        "ids",
        "ragas",
        [{**SAMPLE, "retrieved_context_ids": ["a", "b"]}],
        "retrieved_context_ids",
        "1 ids, as many as passages",
        "2",
    ),
    Bad("reference", "ragas", [{**SAMPLE, "reference": [1]}], "reference", "list of texts", "of 1"),
    Bad("cut samples", "ragas", '{"samples": [{"user_input"', "samples[0]", "valid", "the end"),
    Bad("more samples", "ragas", json.dumps([SAMPLE]) + "[]", "line 1", "nothing after", '"[]"'),
    Bad(
        "many contexts",
        "ragas",
        [{**SAMPLE, "retrieved_contexts": ["x"] * 3}],
        "retrieved_contexts",
        "at most 2 passages",
        "3",
        "ATTEST_MAX_PASSAGES",
        {"limits": Limits(max_passages=2)},
    ),
    Bad("no output", "deepeval", [without(CASE, "actual_output")], "actual_output", "text", "no"),
    Bad("null", "deepeval", [{**CASE, "actual_output": None}], "actual_output", "a text", "null"),
    Bad("number", "deepeval", {"testCases": [CASE, 3]}, "testCases[1]", "an object", "number 3"),
    Bad("turns", "deepeval", [{**CASE, "input": []}], "input", "several turns", "a list"),
    Bad("twice", "deepeval", [CASE, CASE], "item [1]", "one response", "is at item [0]"),
    Bad("no query", "llamaindex", [without(QUERIED, "query")], "query", "a text", "no such field"),
    Bad("object", "llamaindex", [{**QUERIED, "response": {}}], "response", "a text", "an empty"),
    Bad(
        "no text in a node",
        "llamaindex",
        [{**QUERIED, "source_nodes": [{"node": {"id_": "n"}}]}],
        "source_nodes[0].text",
        "a text",
        "no such field",
    ),
    Bad("no output", "trulens", [without(RECORDED, "output")], "output", "a text", "no such field"),
    Bad(
        "record as text",
        "trulens",
        [{**RECORDED, "record_json": "{oops"}],
        "record_json",
        "the record as JSON",
        "oops",
    ),
    Bad(
        "nul in the record",
        "trulens",
        [{**RECORDED, "record_json": '{"main_input": "\\u0000"}'}],
        "main_input",
        "NUL",
        "U+0000",
    ),
    Bad("record list", "trulens", [{**RECORDED, "record_json": []}], "record_json", "object", "0"),
    # Runs of TREC
    Bad("no topic", "trec-rag", without(RUN, "topic_id"), "topic_id", "the id of the topic", "no"),
    Bad("no answer", "trec-rag", without(RUN, "answer"), "answer", "a list", "no such field"),
    Bad("one text", "trec-rag", {**RUN, "answer": "High."}, "answer", "a list", '"High."'),
    Bad("sentence", "trec-rag", {**RUN, "answer": ["High."]}, "answer[0]", "an object", '"High."'),
    Bad("no words", "trec-rag", sentence(text="[1]"), "answer[1].text", "words", '"[1]"'),
    Bad("blank", "trec-rag", sentence(text=""), "answer[1].text", "not blank", "an empty text"),
    Bad("place", "trec-rag", sentence(citations=[0, 2]), "answer[1].citations[1]", "0 to 1", "2"),
    Bad("below", "trec-rag", sentence(citations=[-1]), "answer[1].citations[0]", "0 to 1", "-1"),
    Bad("empty id", "trec-rag", sentence(citations=[" "]), "citations[0]", "an id of", '" "'),
    Bad("citation", "trec-rag", sentence(citations=[{}]), "citations[0]", "an id", "an empty"),
    Bad("one place", "trec-rag", sentence(citations=0), "citations", "a list", "the number 0"),
    Bad("reference", "trec-rag", {**RUN, "references": [None]}, "references[0]", "an id", "null"),
    Bad("ids", "trec-rag", {**RUN, "references": {}}, "references", "a list", "an empty object"),
    Bad("no text", "trec-biogen", written(answer=[1]), "answer", "a text", "a list"),
    Bad("no words", "trec-biogen", written(answer=" "), "answer", "not blank", 'the text " "'),
    Bad("no topic", "trec-biogen", written(topic_id=None), "topic_id", "a text of at most", "null"),
    Bad("long", "trec-biogen", {**written(), "run_name": "R" * 201}, "run_name", "200", "201"),
    Bad("nul", "trec-biogen", {**written(), "run_name": "R\0"}, "run_name", "NUL", "U+0000"),
    Bad("run", "trec-biogen", {**written(), "run_name": ["R"]}, "run_name", "a text", "a list"),
    Bad("pmids", "trec-biogen", written(references={}), "references", "a list", "an empty object"),
    Bad("pmid", "trec-biogen", written(references=[[]]), "references[0]", "an id", "a list of 0"),
    Bad("metadata", "trec-rag", {**RUN, "metadata": "x"}, "metadata", "an object", 'the text "x"'),
    Bad(
        "many references",
        "trec-rag",
        {**RUN, "references": ["a", "b", "c"]},
        "references",
        "at most 2 passages",
        "3",
        "ATTEST_MAX_PASSAGES",
        {"limits": Limits(max_passages=2)},
    ),
    Bad(
        "topic twice",
        "trec-rag",
        f"{json.dumps(RUN)}\n{json.dumps(RUN)}",
        "line 2",
        "one response for each question",
        "the first is at line 1",
    ),
    # Answers of providers
    Bad("no answer", "answers", [{"response": {"x": 1}}], "response", "OpenAI, Anthropic", '"x"'),
    Bad(
        "an error",
        "answers",
        json.dumps({"custom_id": "q", "response": {"body": {"error": {"message": "busy"}}}}),
        "line 1, field response.body",
        "an answer of OpenAI",
        "an error",
    ),
    Bad("nothing asked", "answers", {"choices": [{"message": {}}]}, "question", "asked", "nothing"),
    Bad("no choice", "answers", {"question": "Q", "choices": []}, "choices", "one choice", "none"),
    Bad(
        "beyond",
        "answers",
        answered(end_index=6),
        f"item [0], field {ANNOTATION}.end_index",
        "places within the text of 5 characters",
        "null and the number 6",
    ),
    Bad("reversed", "answers", answered(start_index=5, end_index=2), "end_index", "places", "5"),
    Bad("below", "answers", answered(start_index=-1), "end_index", "places within", "number -1"),
    Bad("half", "answers", answered(start_index=0.5), "end_index", "places within", "number 0.5"),
    Bad("address", "answers", answered(url=["x"]), f"{ANNOTATION}.url", "a text", "a list of 1"),
    Bad(
        "document",
        "answers",
        message({"type": "char_location", "cited_text": "H", "document_index": -1}),
        "response.content[0].citations[0].document_index",
        "the place of a document",
        "the number -1",
    ),
    Bad(
        "no place", "answers", message({"cited_text": "H"}), "document_index", "an address", "null"
    ),
    Bad(
        "within a sign",
        "answers",
        grounded({"startIndex": 0, "endIndex": 2}, 0),
        f"{SUPPORT}.segment.endIndex",
        "places within the text of 6 bytes of UTF-8",
        "the number 2",
    ),
    Bad(
        "other words",
        "answers",
        grounded({"endIndex": 6, "text": "Tiefe."}, 0),
        f"{SUPPORT}.segment.text",
        "what stands there",
        "Tiefe",
    ),
    Bad("chunk", "answers", grounded({"endIndex": 6}, 1), "Indices[0]", "one of 1 chunks", "1"),
    Bad("part", "answers", grounded({"partIndex": 1}, 0), "partIndex", "one of 1 parts", "1"),
    Bad(
        "page",
        "answers",
        {"question": "Q", "choices": [{"message": {"content": "A"}}], "citations": [3]},
        "citations[0]",
        "an address",
        "the number 3",
    ),
    Bad("document id", "answers", chatted(document_ids=[1]), "document_ids[0]", "the id", "number"),
    Bad("end", "answers", chatted(start=0, end=9), "citations[0].end", "of 5 characters", "9"),
    # Captured pages
    Bad("no address", "captures", {"text": "T."}, "id", "a text of at most 500", "no such field"),
    Bad("no text", "captures", {"url": "https://example.org/"}, "contents", "a text", "no such"),
    Bad("blank", "captures", [{"url": "a", "text": " "}], "field text", "not blank", '" "'),
    Bad("date", "captures", [{"url": "a", "text": "T", "date": {}}], "date", "a text", "object"),
    Bad("title", "captures", [{"url": "a", "text": "T", "title": 3}], "title", "a text", "3"),
    Bad(
        "address twice",
        "captures",
        json.dumps({"url": "a", "text": "T"}) + "\n" + json.dumps({"url": "a", "text": "U"}),
        "line 2",
        "each id or address once",
        "at line 1",
    ),
    # Questions by themselves
    Bad("no question", "alce-questions", [without(ALONE, "question")], "question", "a text", "no"),
    Bad("docs", "alce-questions", [{**ALONE, "docs": {}}], "docs", "a list", "an empty object"),
    Bad(
        "no text", "alce-questions", [{**ALONE, "docs": [{"title": "T"}]}], "docs[0].text", "", "no"
    ),
    Bad("list", "alce-questions", [3], "item [0]", "an object", "the number 3"),
    Bad(
        "an output",
        "alce-questions",
        [ALONE, {**ALONE, "id": "q2", "output": "High."}],
        "item [1], field output",
        "has no answer",
        'the text "High."',
        "ALCE or ALiiCE result file",
    ),
    Bad("twice", "alce-questions", [ALONE, ALONE], "item [1]", "each question once", "item [0]"),
    Bad(
        "many docs",
        "alce-questions",
        [{**ALONE, "docs": [{}] * 3}],
        "docs",
        "at most 2 passages",
        "3",
        "ATTEST_MAX_PASSAGES",
        {"limits": Limits(max_passages=2)},
    ),
    Bad("a text", "questions", {"question": "How high?"}, "question", "an object", "How high?"),
    Bad(
        "a system",
        "questions",
        {"question": {"text": "How high?"}, "system": "S"},
        "line 1, field system",
        "has no answer",
        'the text "S"',
        "Attest responses",
    ),
    Bad(
        "number twice",
        "questions",
        {"question": {"text": "Q"}, "passages": [{"n": 1, "title": "", "text": "T"}] * 2},
        "passages[1].n",
        "each number once",
        "1 again",
    ),
    Bad(
        "question twice",
        "questions",
        f"{json.dumps(ASKED)}\n{json.dumps(ASKED)}",
        "line 2",
        "each question once",
        "at line 1",
    ),
    # Judgments of TREC
    Bad("no run", "trec-support", without(JUDGED_RUN, "run_id"), "run_id", "a text", "no such"),
    Bad("no labels", "trec-support", RUN, "support_eval", "a list", "no such field"),
    Bad("label", "trec-support", labelled(eval_scores=["XS"]), "eval_scores[0]", "FS, PS, NS", "X"),
    Bad(
        "many", "trec-support", labelled(eval_scores=["FS"] * 3), "scores", "at most 2 labels", "3"
    ),
    Bad("sentence", "trec-support", labelled(answer="Low."), "answer", "a sentence of", "Low."),
    Bad("no topic", "trec-assignments", without(ASSIGNED, "qid"), "topic_id", "a text", "no such"),
    Bad(
        "assignment",
        "trec-assignments",
        {**ASSIGNED, "nuggets": [{**NUGGET, "assignment": "maybe"}]},
        "nuggets[0].assignment",
        "one of support",
        "maybe",
    ),
    Bad(
        "an answer twice",
        "trec-assignments",
        f"{json.dumps(ASSIGNED)}\n{json.dumps(ASSIGNED)}",
        "line 2",
        "one judgment for each",
        "the first is at line 1",
    ),
    Bad(
        "no nuggets", "trec-nuggets", {"qid": "7", "nuggets": []}, "nuggets", "at least one", "none"
    ),
    Bad("no text", "trec-nuggets", {"qid": "7", "nuggets": [{}]}, "nuggets[0].text", "text", "no"),
    Bad("topic", "trec-nuggets", [ASSIGNED, ASSIGNED], "item [1], field qid", "once", "item [0]"),
]
