"""Gemini: candidates with grounding, and ranges counted in bytes.

https://ai.google.dev/api/generate-content#GroundingMetadata
"""

from collections.abc import Mapping
from typing import Any

from annotate.formats.fields import Fields, whole_number
from annotate.formats.problems import shown
from annotate.formats.providers.draft import Draft, any_has, cited_range, last_user_text

KINDS = ("web", "retrievedContext", "retrieved_context", "maps")


def is_answer(answer: Mapping[str, Any]) -> bool:
    candidates = answer.get("candidates")
    return candidates == [] or any_has(candidates, "content", "finishReason", "finish_reason")


def read(answer: Fields, request: Mapping[str, Any], draft: Draft) -> None:
    """Read the first candidate with its grounding chunks."""
    draft.model = answer.name(_either(answer, "modelVersion", "model_version"))
    draft.model = draft.model or str(request.get("model") or "")[:200]
    draft.question = last_user_text(request.get("contents"), "text")
    candidates = list(answer.objects("candidates"))
    if not candidates:
        answer.complain("candidates", "at least one candidate", "none")
        return
    said = candidates[0].inside("content")
    parts = list(said.objects("parts", required=False))
    texts = ["" if part.take("thought") else part.optional_text("text") for part in parts]
    draft.text = "".join(texts)
    grounding = candidates[0].inside(
        _either(candidates[0], "groundingMetadata", "grounding_metadata")
    )
    chunks = grounding.objects(
        _either(grounding, "groundingChunks", "grounding_chunks"), required=False
    )
    numbers = [_chunk(chunk, draft) for chunk in chunks]
    supports = _either(grounding, "groundingSupports", "grounding_supports")
    for support in grounding.objects(supports, required=False):
        _supported(support, texts, numbers, draft)


def _either(fields: Fields, name: str, other: str) -> str:
    """Return the field's name in the REST API, or else in the Python library."""
    return other if fields.has(other) else name


def _chunk(chunk: Fields, draft: Draft) -> int:
    kind = next((kind for kind in KINDS if chunk.has(kind)), "")
    if not kind:
        chunk.complain("", "a chunk of the web or of a retrieved text", shown(chunk.rest()))
        return 0
    inner = chunk.inside(kind)
    url, title = inner.optional_text("uri"), inner.optional_text("title")
    text = inner.optional_text("text")
    return draft.part(url or f"chunk {len(draft.sources)}", title=title, text=text, url=url)


def _supported(support: Fields, texts: list[str], numbers: list[int], draft: Draft) -> None:
    """Cite the chunks that support a segment of one part."""
    segment = support.inside("segment")
    value = segment.take(_either(segment, "partIndex", "part_index"))
    part = 0 if value is None else whole_number(value)
    if part is None or not 0 <= part < len(texts):
        segment.complain("partIndex", f"the place of one of {len(texts)} parts", shown(value))
        return
    place = cited_range(
        segment,
        texts[part],
        start=_either(segment, "startIndex", "start_index"),
        end=_either(segment, "endIndex", "end_index"),
        text_field="text",
        in_bytes=True,
    )
    base = sum(map(len, texts[:part]))
    name = _either(support, "groundingChunkIndices", "grounding_chunk_indices")
    for index, value in enumerate(support.items(name, required=False)):
        at = whole_number(value)
        if at is None or not 0 <= at < len(numbers):
            expected = f"the place of one of {len(numbers)} chunks, from 0"
            support.complain(f"{name}[{index}]", expected, shown(value))
        elif place is not None and numbers[at]:
            draft.cite(base + place[0], base + place[1], numbers[at])
