"""The form of a dimension of every type of answer."""

import pytest
from django.urls import reverse

from annotate.protocol.dimensions import LABELS, Condition
from annotate.protocol.written import as_fields, read
from tests.annotate.test_dimensions_pages import DRAFT, address, make, text
from tests.evaluation.rubric import EVERY, rubric_study
from tests.shared_rows import shared_rows


@shared_rows
def client(alice, signed_in):
    return signed_in(alice)


@shared_rows
def rubric(alice):
    return rubric_study(alice, questions=1, file=EVERY)


EVERY_TYPE = read(EVERY.read_text(encoding="utf-8")).protocol


def as_typed(dimension):
    """What somebody types who makes a dimension anew."""
    fields = as_fields(dimension)
    typed = {
        "answer": "choice",
        "marks": "text",
        "ties": "low",
        "label": LABELS[dimension.answer][0],
        **fields,
    }
    for name, prefix in (("choices", ""), ("severities", "severities-")):
        for n, one in enumerate(typed.pop(name, [])):
            typed |= {f"{prefix}{part}-{n}": one[part] for part in ("value", "label")}
            if one["value"] in dimension.positive:
                typed[f"{prefix}positive-{n}"] = "on"
            if dimension.low_to_high:
                place = dimension.low_to_high.index(one["value"])
                typed[f"{prefix}degree-{n}"] = str(place + 1)
        typed[f"{prefix}rows"] = "9"
    for name, parts in (("anchors", ["anchor_low", "anchor_high"]),):
        typed |= dict(zip(parts, typed.pop(name, []), strict=False))
    typed["when"] = [
        f"{condition.dimension}={value}"
        for condition in dimension.shown_when
        for value in condition.values
    ]
    return {k: v for k, v in typed.items() if k not in ("shown_when", "low_to_high", "positive")}


def test_every_type_is_made_in_the_form_and_the_file_says_the_same(study, client):
    for key, dimension in EVERY_TYPE.items():
        page = client.post(address("dimension-new"), as_typed(dimension))
        assert page.status_code == 302, (key, text(page))
    study.refresh_from_db()
    assert study.protocol.own == {**EVERY_TYPE}


@pytest.mark.parametrize("key", EVERY_TYPE)
def test_the_form_shows_what_there_is_and_saving_it_changes_nothing(rubric, client, key):
    url = reverse("dimension-edit", args=["rubric", key])
    form = client.get(url).context["form"]
    data = {field.html_name: field.value() or "" for field in form}
    for rows in form.row_lists:
        data[f"{rows.prefix}rows"] = str(len(rows.rows))
        for n, row in enumerate(rows.rows):
            data |= {f"{rows.prefix}{part}-{n}": getattr(row, part) for part in PARTS}
            data |= {f"{rows.prefix}positive-{n}": "on"} if row.positive else {}
    data["when"] = [f"{b.dimension.key}={v}" for b in form.prerequisites for v in b.chosen]
    data = {name: value for name, value in data.items() if value not in ("", False)}
    assert client.post(url, data).status_code == 302
    rubric.refresh_from_db()
    assert rubric.protocol.own == {**EVERY_TYPE}
    assert client.post(url, {**data, "question": "Otherwise?"}).status_code == 302
    rubric.refresh_from_db()
    assert rubric.protocol[key].version == 2


PARTS = ("value", "label", "help", "degree")


OF_TYPES = [
    ({"answer": "number", "low": "", "high": "9"}, "Lowest number", "a text; found nothing"),
    ({"answer": "number", "low": "9", "high": "0"}, "Highest number", "a number above 9; found 0"),
    ({"answer": "number", "low": "a", "high": "9"}, "Lowest number", "a number such as 100"),
    ({"answer": "number", "low": "0", "high": "1", "decimals": "9"}, "Maximum decimals",
     "from 0 to 6"),
    ({"answer": "text", "most": "9999"}, "Maximum", "at most 5,000"),
    ({"answer": "several", "most": "7"}, "Maximum", "at most 2"),
    ({"answer": "spans", "marks": "passages"}, "Passages shown",
     "since words of passages are marked"),
    ({"answer": "spans", "severities-label-0": "Odd", "severities-value-0": "odd"}, "Labels",
     "each value once; found “odd” 2 times"),
    ({"answer": "spans", "severities-label-0": "X", "severities-value-0": "X Y"}, "Labels",
     "found “X Y”"),
    ({"told_units": "odd answers"}, "Name of the units", "three texts, together with “detected”"),
    ({"part_of": "utility", "about": "citation"}, "Citation part of", "Select a valid choice"),
    ({"about": "claim", "writes": "on"}, "Answers", "yes, with which a claim is written"),
]  # fmt: skip


def test_faults_of_every_type_stand_beside_their_fields(subtests, study, client):
    for changes, field, said in OF_TYPES:
        with subtests.test(changes=changes):
            labels = {"number": "mean", "text": ""}.get(changes.get("answer", ""), "majority")
            scale = {"several": "masi"}.get(changes.get("answer", ""), "ordinal")
            marks = {"marks": "text", "severities-rows": "2", "scale": scale, "label": labels}
            page = make(client, **marks | changes)
            assert page.status_code == 422
            shown = text(page)
            assert said in shown
            assert shown.index(field) < shown.index(said)
            assert not study.wordings.exists()


def test_another_type_is_looked_at_before_it_is_saved(study, client):
    """Without script the fields of the type that is chosen are not there yet."""
    page = make(client, answer="text", shown="choice")
    assert page.status_code == 422
    shown = text(page)
    assert "Below are now the fields of a text." in shown
    assert 'name="most"' in shown
    assert 'name="scale"' not in shown
    assert 'id="choices" hidden' in shown
    assert 'value="Quite odd"' in shown, "what was typed is not lost"
    made = make(client, answer="text", shown="text", scale="ordinal", low="4")
    assert made.status_code == 302, "what belongs to another type is left out"
    study.refresh_from_db()
    assert (study.protocol["tone"].answer, study.protocol["tone"].choices) == ("text", ())


def test_conditions_on_several_choices_and_on_marked_words_are_ticked(rubric, client):
    url = reverse("dimension-new", args=["rubric"])
    page = text(client.get(url))
    assert 'value="harms=-"' in page
    assert "none of these" in page
    assert 'value="sure=' not in page
    draft = {**DRAFT, "when": ["harms=advice", "harms=-"]}
    assert client.post(url, draft).status_code == 302
    words = {**DRAFT, "title": "Why", "about": "statement", "when": ["errors=major", "errors=-"]}
    assert client.post(url, words).status_code == 302
    rubric.refresh_from_db()
    found = {key: rubric.protocol[key].shown_when for key in ("tone", "why")}
    assert found == {
        "tone": (Condition("harms", ("advice", "-")),),
        "why": (Condition("errors", ("major", "-")),),
    }
    shown = text(client.get(reverse("dimensions", args=["rubric"])))
    assert "Asked only where “Harms” is Dangerous advice or none of these" in shown
    assert "Asked only where “Errors” is Major or nothing marked" in shown
