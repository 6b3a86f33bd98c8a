"""Pages that a model names are looked up in the corpus, not searched for by their words."""

from annotate.models import Response
from tests.evaluation.asking.fake import serving
from tests.evaluation.corpora import a_corpus, a_file, lines
from tests.evaluation.runs.test_generations import State, bench, lab, made, worked

__all__ = ["bench", "lab"]


def test_a_page_is_looked_up_in_a_corpus_by_its_name(bench, alice, lab, settings, tmp_path):
    settings.ATTEST_CORPORA_DIR = tmp_path
    others = [{"id": f"o{n}", "title": "The the", "text": "The peak is high."} for n in range(9)]
    wanted = {"id": "p", "title": "The The", "text": "A peak."}
    a_corpus(bench, alice, a_file(lines([*others, wanted])))
    with serving(lambda told, schema: "Answer: 2,962 m\nPage: The The") as server:
        lab(server)
        given = {"system": "llm_as_retriever", "corpus": "Animals", "options": {"k": "20"}}
        row = worked(made(bench, **given))
    assert row.state == State.DONE, row.error
    one = Response.objects.get(system__name="New", question__external_id="q4")
    assert one.sources.get().passage.title.casefold() == "the the"
    assert "page_found" not in one.metadata
