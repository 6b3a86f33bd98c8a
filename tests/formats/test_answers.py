"""Answers of providers: what they say, on which sources, between which places."""

import json

import pytest

from annotate.formats import recognise
from annotate.formats.division import divide_record
from annotate.text import Division, Span
from tests.cases import each
from tests.formats.reading import outcome

Q = "How high is it?"
TEXT = "Ünter Bergen 🏔 ist er hoch. Er ist kalt."
HIGH, COLD = TEXT[:27], TEXT[28:]
A, B = "https://example.org/a", "https://example.org/b"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.json"


def one(path, record, **options):
    found = outcome(path, record, "answers", **options)
    assert recognise(path) == "answers"
    assert not found.problems, list(map(str, found.problems))
    (response,) = found.responses
    return response


def sources(record):
    return [(p.n, p.external_id, p.title, p.text, p.url) for p in record.passages]


def cited(record):
    return [(record.output[s.start : s.end], s.passages, s.quote) for s in record.citations]


def openai(*annotations, **changes):
    part = {"type": "output_text", "text": TEXT, "annotations": list(annotations)}
    said = {"type": "message", "role": "assistant", "content": [part]}
    return {
        "id": "resp_1",
        "object": "response",
        "model": "example-5",
        "output": [{"type": "reasoning", "summary": []}, {"type": "web_search_call"}, said],
        "usage": {"output_tokens": 9},
        **changes,
    }


PAGE = {"type": "url_citation", "start_index": 0, "end_index": 27, "url": A, "title": "Peaks"}


def test_openai_responses(path):
    asked = {"model": "example", "input": [{"role": "user", "content": Q}]}
    record = one(path, {"request": asked, "response": openai(PAGE)})
    assert (record.question.text, record.output) == (Q, TEXT)
    assert record.system == "example-5"
    assert sources(record) == [(1, "", "Peaks", "", A)]
    assert cited(record) == [(HIGH, (1,), "")]
    assert record.metadata["usage"] == {"output_tokens": 9}


def test_openai_searched_files_bring_their_texts(path):
    note = {"type": "file_citation", "file_id": "f1", "filename": "p.pdf", "index": 27}
    found = {"file_id": "f1", "filename": "p.pdf", "text": "Very high.", "score": 0.9}
    answer = openai(note)
    answer["output"].insert(0, {"type": "file_search_call", "results": [found]})
    record = one(path, {"question": Q, "response": answer})
    assert sources(record) == [(1, "f1", "p.pdf", "Very high.", "")]
    assert cited(record) == [(".", (1,), "")]
    statements = divide_record(record, Division(lines="all")).statements
    assert [len(each.citations) for each in statements] == [1, 0]


def test_openai_a_batch_line(path):
    line = {"id": "batch_req_1", "custom_id": "q7", "error": None}
    answer = {"status_code": 200, "request_id": "r", "body": openai(PAGE)}
    record = one(path, json.dumps({**line, "response": answer}))
    assert (record.question.external_id, record.question.text) == ("q7", "")
    assert cited(record) == [(HIGH, (1,), "")]


def chat(content=TEXT, **message):
    return {
        "object": "chat.completion",
        "model": "example-search",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content, **message}}],
    }


@each(
    ("inside", "beside", "marked"),
    [
        ({"start_index": 28, "end_index": 40}, {}, COLD),
        ({}, {"text": "[x]", "start_index": 28, "end_index": 40}, COLD),
        ({"index": 27}, {}, "."),
        ({}, {"index": 27}, "."),
    ],
)
def test_openai_chat_cites_files(path, inside, beside, marked):
    file = {"file_id": "f1", "filename": "p.pdf", **inside}
    note = {"type": "file_citation", "file_citation": file, **beside}
    record = one(path, {"question": Q, "response": chat(annotations=[note])})
    assert sources(record) == [(1, "f1", "p.pdf", "", "")]
    assert cited(record) == [(marked, (1,), "")]


@each("inside", [{"file_citation": {"index": 3}}, {"index": 3}])
def test_openai_a_citation_of_nothing_is_a_problem(path, inside):
    note = {"type": "file_citation", **inside}
    found = outcome(path, {"question": Q, "response": chat(annotations=[note])}, "answers")
    [problem] = found.problems
    assert problem.expected == "the file or page that is cited"
    assert "annotations[0]" in str(problem.where)


def test_openai_chat(path):
    notes = [{"type": "url_citation", "url_citation": {**PAGE, "start_index": 28, "end_index": 40}}]
    asked = {"messages": [{"role": "system", "content": "Be brief."},
                          {"role": "user", "content": [{"type": "text", "text": Q}]}]}  # fmt: skip
    record = one(path, {"request": asked, "response": chat(annotations=notes)})
    assert record.question.text == Q
    assert cited(record) == [(COLD, (1,), "")]


def test_openai_several_choices_are_samples(path):
    answer = chat("One.")
    answer["choices"] += chat("Two.")["choices"]
    record = one(path, {"question": Q, "response": answer})
    assert (record.output, record.metadata["samples"]) == ("One.", ["One.", "Two."])


def test_empty_ranges_keep_the_source_without_citation(path):
    answer = openai({**PAGE, "start_index": 0, "end_index": 0})
    record = one(path, {"question": Q, "response": answer})
    assert (len(record.passages), record.citations) == (1, ())


DOCUMENT = {"type": "document", "title": "D", "source": {"type": "text", "data": "Low. High."}}
RESULT = {"type": "search_result", "source": B, "title": "R",
          "content": [{"type": "text", "text": "Cold."}]}  # fmt: skip


def anthropic(*blocks):
    return {"type": "message", "role": "assistant", "model": "opus", "content": list(blocks)}


def said(text, *citations):
    return {"type": "text", "text": text, "citations": list(citations) or None}


def test_anthropic_documents_and_results_that_were_sent(path):
    asked = {"messages": [{"role": "user", "content": [
        DOCUMENT, {"type": "text", "text": Q},
        {"type": "tool_result", "content": [RESULT]}]}]}  # fmt: skip
    place = {"type": "char_location", "cited_text": "High.", "document_index": 0,
             "document_title": "D", "start_char_index": 5, "end_char_index": 10}  # fmt: skip
    result = {"type": "search_result_location", "source": B, "title": "R", "cited_text": "Cold.",
              "search_result_index": 0, "start_block_index": 0, "end_block_index": 1}  # fmt: skip
    answer = anthropic(said("I see: "), said("it is high ", place, result), said("and so on."))
    record = one(path, {"request": asked, "response": answer})
    assert record.output == "I see: it is high and so on."
    assert sources(record) == [(1, "document 0", "D", "Low. High.", ""), (2, "", "R", "Cold.", B)]
    assert cited(record) == [("it is high", (1,), "High."), ("it is high", (2,), "Cold.")]


def test_anthropic_pages_of_the_web(path):
    place = {"type": "web_search_result_location", "url": A, "title": "P", "cited_text": "So.",
             "encrypted_index": "x"}  # fmt: skip
    answer = anthropic(
        said("I look."),
        {"type": "server_tool_use", "id": "t", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "content": [{"url": B, "title": "uncited"}]},
        {"type": "web_fetch_tool_result", "content": {
            "url": A, "content": {"title": "P", "source": {"type": "text", "data": "So."}}}},
        said("It is so.", place),
    )  # fmt: skip
    record = one(path, {"custom_id": "q1", "result": {"type": "succeeded", "message": answer}})
    assert record.output == "I look.\n\nIt is so."
    assert sources(record) == [(1, "", "P", "So.", A)]
    assert cited(record) == [("It is so.", (1,), "So.")]
    assert record.question.external_id == "q1"


def fetched(url, text, title="P"):
    content = {"type": "document", "title": title, "source": {"type": "text", "data": text}}
    return {"type": "web_fetch_tool_result", "content": {"url": url, "content": content}}


def of_document(index, title, quote):
    return {"type": "char_location", "cited_text": quote, "document_index": index,
            "document_title": title, "start_char_index": 0, "end_char_index": 3}  # fmt: skip


def test_anthropic_fetched_pages_are_documents_after_those_that_were_sent(path):
    asked = {"messages": [{"role": "user", "content": [DOCUMENT, {"type": "text", "text": Q}]}]}
    answer = anthropic(
        fetched(A, "So."), fetched(B, "Not so.", "R"),
        said("So it is.", of_document(1, "P", "So.")),
        said("And low.", of_document(0, "D", "Low.")),
        said("Not?", of_document(2, None, "Not")),
    )  # fmt: skip
    record = one(path, {"request": asked, "response": answer})
    assert [text for _, _, _, text, _ in sources(record)] == ["Low. High.", "So.", "Not so."]
    assert [passages for _, passages, _ in cited(record)] == [(2,), (1,), (3,)]


def test_anthropic_a_fetched_page_is_known_by_its_title_where_the_request_is_not(path):
    answer = anthropic(fetched(A, "So."), said("So it is.", of_document(1, "P", "So.")))
    record = one(path, {"question": Q, "response": answer})
    assert sources(record) == [(1, "", "P", "So.", A)]
    assert cited(record) == [("So it is.", (1,), "So.")]


def test_anthropic_results_of_one_source_are_distinct(path):
    results = [{**RESULT, "content": [{"type": "text", "text": text}]} for text in ("1.", "2.")]
    asked = {"messages": [{"role": "user", "content": [*results, {"type": "text", "text": Q}]}]}
    place = {"type": "search_result_location", "source": B, "title": "R", "cited_text": "2.",
             "search_result_index": 1}  # fmt: skip
    record = one(path, {"request": asked, "response": anthropic(said("Two.", place))})
    assert [(text, url) for _, _, _, text, url in sources(record)] == [("1.", B), ("2.", B)]
    assert cited(record) == [("Two.", (2,), "2.")]


def test_anthropic_documents_that_the_file_does_not_have(path):
    place = {"type": "page_location", "cited_text": "High.", "document_index": 2,
             "document_title": "D", "start_page_number": 3, "end_page_number": 4}  # fmt: skip
    record = one(path, {"question": Q, "response": anthropic(said("High.", place))})
    assert sources(record) == [(1, "document 2", "D", "", "")]


def in_bytes(start, end):
    return len(TEXT[:start].encode()), len(TEXT[:end].encode())


def gemini(segment, snake=False, **chunk):
    chunks = [{"web": {"uri": A, "title": "a"}}, {"retrievedContext": {"uri": B, "text": "Cold."}}]
    if snake:
        chunks[1] = {"retrieved_context": {"uri": B, "text": "Cold."}}
    supports, indices = "groundingSupports", "groundingChunkIndices"
    meta, model = "groundingMetadata", "modelVersion"
    known = "groundingChunks"
    if snake:
        supports, indices, meta, model, known = (
            "grounding_supports", "grounding_chunk_indices", "grounding_metadata",
            "model_version", "grounding_chunks")  # fmt: skip
    parts = [{"text": "Hm.", "thought": True}, {"text": TEXT}]
    support = {"segment": segment, indices: [1, 0], "confidenceScores": [0.5, 0.5]}
    candidate = {"content": {"role": "model", "parts": parts},
                 meta: {known: chunks, supports: [support]}}  # fmt: skip
    return {"candidates": [candidate], model: "gemini-x"}


@each("snake", [False, True])
def test_gemini_counts_bytes(path, snake):
    start, end = in_bytes(28, 40)
    names = ("part_index", "start_index", "end_index")
    names = names if snake else ("partIndex", "startIndex", "endIndex")
    segment = {**dict(zip(names, (1, start, end), strict=True)), "text": COLD}
    asked = {"contents": [{"role": "user", "parts": [{"text": Q}]}]}
    record = one(path, {"request": asked, "response": gemini(segment, snake)})
    assert (record.question.text, record.output, record.system) == (Q, TEXT, "gemini-x")
    assert cited(record) == [(COLD, (2,), ""), (COLD, (1,), "")]
    assert sources(record) == [(1, "", "a", "", A), (2, "", "", "Cold.", B)]


def test_gemini_chunks_of_one_address_are_distinct(path, tmp_path):
    _, end = in_bytes(0, 27)
    answer = gemini({"partIndex": 1, "endIndex": end})
    chunks = [{"retrievedContext": {"uri": A, "title": "a", "text": t}} for t in ("1.", "2.", "1.")]
    grounding = answer["candidates"][0]["groundingMetadata"]
    grounding["groundingChunks"] = chunks
    grounding["groundingSupports"][0]["groundingChunkIndices"] = [1, 2]
    record = one(path, {"question": Q, "response": answer})
    assert [(n, text, url) for n, _, _, text, url in sources(record)] == [
        (1, "1.", A),
        (2, "2.", A),
    ]
    assert cited(record) == [(HIGH, (2,), ""), (HIGH, (1,), "")]
    beside = tmp_path / "pages.jsonl"
    beside.write_text(json.dumps({"url": A, "text": "1. 2."}))
    record = one(path, {"question": Q, "response": answer}, passages_path=beside)
    assert [each.text for each in record.passages] == ["1. 2."]


def test_gemini_the_words_count_where_the_places_are_wrong(path):
    segment = {"partIndex": 1, "startIndex": 3, "endIndex": 9, "text": COLD}
    record = one(path, {"question": Q, "response": gemini(segment)})
    assert cited(record)[0][0] == COLD


def test_perplexity_marks_count_the_pages(path):
    results = [{"title": "Peaks", "url": A, "date": "2024-05-01", "snippet": "It is high."}]
    answer = {**chat("High [1]. Cold [2]."), "citations": [A, B], "search_results": results}
    record = one(path, {"messages": [{"role": "user", "content": Q}], **answer})
    assert record.question.text == Q
    assert sources(record) == [(1, "", "Peaks", "It is high.", A), (2, "", "", "", B)]
    assert record.passages[0].published == "2024-05-01"
    statements = divide_record(record).statements
    assert [[c.number for c in each.citations] for each in statements] == [[1], [2]]


@each("kind", ["THINKING_CONTENT", "PLAN"])
def test_cohere_citations_of_thoughts_are_passed_over(path, kind):
    source = {"type": "document", "id": "d1", "document": {"text": "Very high."}}
    citation = {"start": 0, "end": 27, "text": HIGH, "sources": [source], "type": "TEXT_CONTENT",
                "content_index": 1}  # fmt: skip
    thought = {"start": 3, "end": 9, "text": "it was", "sources": [source], "type": kind}
    content = [{"type": "thinking", "thinking": "So it was."}, {"type": "text", "text": TEXT}]
    message = {"role": "assistant", "content": content, "citations": [thought, citation]}
    record = one(path, {"question": Q, "response": {"message": message}})
    assert cited(record) == [(HIGH, (1,), "")]


def test_cohere_of_version_two(path):
    source = {"type": "document", "id": "d1", "document": {"id": "d1", "text": "Very high."}}
    citation = {"start": 0, "end": 27, "text": HIGH, "sources": [source], "type": "TEXT_CONTENT"}
    message = {"role": "assistant", "content": [{"type": "text", "text": TEXT}],
               "citations": [citation]}  # fmt: skip
    asked = {"model": "command", "messages": [{"role": "user", "content": Q}],
             "documents": [{"id": "d0", "data": {"title": "T", "text": "Low."}},
                           "Bare."]}  # fmt: skip
    record = one(path, {"request": asked, "response": {"id": "x", "message": message}})
    assert (record.question.text, record.system) == (Q, "command")
    assert sources(record) == [
        (1, "d0", "T", "Low.", ""), (2, "doc:1", "", "Bare.", ""), (3, "d1", "", "Very high.", ""),
    ]  # fmt: skip
    assert cited(record) == [(HIGH, (3,), "")]


def test_cohere_of_version_one(path):
    answer = {
        "text": TEXT,
        "generation_id": "g",
        "citations": [{"start": 28, "end": 40, "text": COLD, "document_ids": ["doc_0", "doc_1"]}],
        "documents": [{"id": "doc_0", "title": "T", "snippet": "Cold.", "url": A}],
    }
    record = one(path, {"request": {"message": Q, "model": "command"}, "response": answer})
    assert sources(record) == [(1, "doc_0", "T", "Cold.", A), (2, "doc_1", "", "", "")]
    assert cited(record) == [(COLD, (1,), ""), (COLD, (2,), "")]


def test_another_spelling_of_the_address_is_found_and_the_very_one_first(path, tmp_path):
    beside = tmp_path / "pages.jsonl"
    spelt = A.replace("https://", "HTTPS://") + "#part"
    rows = [{"url": spelt, "text": "A part."}, {"url": f"{A}#other", "text": "Another."}]
    beside.write_text("".join(json.dumps(row) + "\n" for row in rows))
    record = one(path, {"question": Q, "response": openai(PAGE)}, passages_path=beside)
    assert [(each.text, each.url) for each in record.passages] == [("A part.", A)]
    beside.write_text(
        "".join(json.dumps(row) + "\n" for row in [*rows, {"url": A, "text": "All."}])
    )
    record = one(path, {"question": Q, "response": openai(PAGE)}, passages_path=beside)
    assert [each.text for each in record.passages] == ["All."]


def test_texts_come_from_the_passages_file_by_address(path, tmp_path):
    beside = tmp_path / "pages.jsonl"
    beside.write_text(json.dumps({"url": A, "text": "The whole page.", "captured": "2024-05-02"}))
    record = one(path, {"question": Q, "response": openai(PAGE)}, passages_path=beside)
    (passage,) = record.passages
    assert (passage.text, passage.url, passage.retrieved) == ("The whole page.", A, "2024-05-02")
    assert record.citations == (Span(0, 27, (1,)),)


def test_a_request_longer_than_the_head_is_recognised():
    asked = {"messages": [{"role": "user", "content": "word " * 20_000}]}
    content = json.dumps([{"request": asked, "response": chat()}]).encode()
    assert recognise(content) == "answers"
