"""The quote check: verdicts on citations, shares of responses, and what becomes of them."""

import json
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from evaluation.judges import summarise
from evaluation.judges.quotes import BESIDE, NO_QUOTE, Quotes
from evaluation.judges.support import NO_PASSAGE
from tests.annotate.loading import PASSAGES, load, response
from tests.evaluation.judges.items import item
from tests.shared_rows import shared_rows

PEAK = "At 2,962 m the Zugspitze is the highest peak of Germany."
SKY = "Air scatters short waves of light more than long ones."
WORD_FOR_WORD = "the highest peak of Germany"
NEARLY = "the hihgest peak of Germany"
INVENTED = "the second peak of all Europe"


def quoting(output, *quotes, key="1", passages=(PEAK, SKY)):
    """An item whose citations quote these, in the order written; an empty text: nothing."""
    made, given = item(output, passages, key=key), iter(quotes)
    statements = tuple(
        replace(s, citations=tuple(replace(c, quote=next(given)) for c in s.citations))
        for s in made.statements
    )
    return replace(made, statements=statements)


def judged(*made):
    verdicts = Quotes().judge(made)
    said = {(v.item, v.unit): v.value or v.reason for v in verdicts if v.dimension == "quote"}
    return said, summarise("quotes", made, verdicts, variant="released")


def values(figures):
    return [round(figure.value, 4) for figure in figures.values()]


def test_each_citation_with_a_quote_has_its_verdict():
    one = quoting(
        "High [1]. Higher [1]. Highest [1]. Blue [2].", WORD_FOR_WORD, NEARLY, INVENTED, ""
    )
    said, summary = judged(one)
    assert said == {("1", "s1.c1"): "found", ("1", "s2.c1"): "nearly", ("1", "s3.c1"): "none"}
    assert values(summary.per_item[0]) == [0.3333, 0.3333, 0.3333, 1.0]


def test_a_quote_from_several_passages_is_found_where_one_has_it():
    said, summary = judged(quoting("High [1][2].", WORD_FOR_WORD, WORD_FOR_WORD))
    assert said == {("1", "s1.c1"): "found", ("1", "s1.c2"): BESIDE}
    assert values(summary.per_item[0]) == [1, 0, 0, 0]
    said, summary = judged(quoting("High [1][2].", INVENTED, INVENTED))
    assert set(said.values()) == {"none"}
    assert values(summary.per_item[0]) == [0, 0, 1, 1], "one quote"


def test_a_system_is_the_mean_over_its_responses_with_quotes():
    """(1 + 0.5) / 2 found, (0 + 0.5) / 2 not found; one response of two has an invented quote."""
    _, summary = judged(
        quoting("High [1].", WORD_FOR_WORD, key="1"),
        quoting("High [1]. Blue [2].", WORD_FOR_WORD, INVENTED, key="2"),
        quoting("High [1].", "", key="3"),
    )
    assert values(summary.aggregate) == [0.75, 0, 0.25, 0.5]
    assert summary.judged("quote_found") == 2
    assert {f.reason for f in summary.per_item[2].values()} == {NO_QUOTE}


def test_a_passage_that_is_not_there():
    said, summary = judged(quoting("High [7].", WORD_FOR_WORD))
    assert said == {("1", "s1.c1"): NO_PASSAGE}
    assert {f.reason for f in summary.aggregate.values()} == {NO_PASSAGE}


def test_a_file_is_scored_without_a_study(tmp_path):
    path = tmp_path / "quotes.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    out = StringIO()
    call_command("evaluate", str(path), "--judge", "quotes", "--json", stdout=out)
    found = json.loads(out.getvalue())
    assert found["aggregate"] == {
        "quote_found": 0.5,
        "quote_nearly": 0.0,
        "quote_not_found": 0.5,
        "quote_fabricated": 0.5,
    }
    assert found["per_item"][2]["reasons"]["quote_found"] == NO_QUOTE


def cites(words, quote):
    """The first words of an output cite passage 1, and quote from it."""
    return [{"start": 0, "end": len(words), "passages": [1], "quote": quote}]


LINES = [
    response("High. Blue [2].", citations=cites("High.", WORD_FOR_WORD)),
    response("Two.", system="Quokka", citations=cites("Two.", INVENTED)),
    response("Three [1].", system="Umber"),
]


@shared_rows
def quoted(study):
    """A study with quotes, which the judge has judged."""
    load(study, LINES)
    out = StringIO()
    call_command("run_judge", study.slug, "quotes", stdout=out)
    assert "Judge: quotes|nearly:0.9|variant:released|v:1" in out.getvalue()
    return study


@pytest.mark.django_db
def test_the_response_page_shows_quote_and_verdict(quoted, client, alice):
    client.force_login(alice)
    pages = [
        client.get(reverse("response", args=["peaks", pk])).content.decode()
        for pk in quoted.responses.order_by("pk").values_list("pk", flat=True)
    ]
    start = PASSAGES[0][1].index(WORD_FOR_WORD)
    assert f'<mark id="p1-{start}">{WORD_FOR_WORD}</mark>' in pages[0]
    assert f'<a href="#p1-{start}">found word for word</a>' in pages[0]
    quoted = f'quotes “<bdi dir="auto" lang="">{INVENTED}</bdi>”'
    assert f"{quoted} — <strong>not found in this passage</strong>" in pages[1]
    assert "<mark" not in pages[1]
    assert "Quote check" in pages[1]
    assert "Not found" in pages[1]


@pytest.mark.django_db
def test_people_are_not_asked_about_quotes(study, client, alice):
    client.force_login(alice)
    page = " ".join(client.get(reverse("dimensions", args=["peaks"])).content.decode().split())
    assert 'name="stop" value="citation_support"' in page
    assert 'name="ask" value="claim_support"' in page
    assert 'value="quote"' not in page
