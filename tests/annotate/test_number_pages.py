"""The form of a study's own number that is made of answers."""

from tests.annotate.test_dimensions_pages import address, arrange, make, text
from tests.shared_rows import shared_rows


@shared_rows
def client(alice, signed_in):
    return signed_in(alice)


NUMBER = {
    "title": "Useful", "key": "", "about": "response", "question": "Is it useful?",
    "made_by": "formula", "formula": "utility is at least 4",
}  # fmt: skip
WEIGHED = {
    "title": "Weighted support", "key": "weighted", "about": "citation", "question": "How much?",
    "made_by": "weights", "of": "citation_support", "weight-full": "1", "weight-partial": "0.5",
}  # fmt: skip


def number(client, **data):
    return client.post(address("number-new"), data)


def test_a_number_is_made_of_a_formula_changed_and_removed(peaks, client):
    assert number(client, **NUMBER, of_judges="on").status_code == 302
    peaks.refresh_from_db()
    made = peaks.protocol.derived["useful"]
    assert (made.formula, made.of_judges) == ("utility is at least 4", True)
    page = text(client.get(address("dimensions")))
    assert "<code>utility is at least 4</code>" in page
    assert "citation_precision" in page, "those of the library, of what is asked"
    url = address("number-edit", "useful")
    assert "utility is at least 4</textarea>" in text(client.get(url))
    client.post(url, {**NUMBER, "formula": "utility is 5", "decides_early": "on"})
    peaks.refresh_from_db()
    made = peaks.protocol.derived["useful"]
    assert (made.formula, made.of_judges, made.decides_early) == ("utility is 5", False, True)
    arrange(client, stop="utility")
    assert "Not on the form: utility" in text(client.get(address("dimensions")))
    arrange(client, drop="useful")
    peaks.refresh_from_db()
    assert "useful" not in peaks.protocol.derived
    assert "is not a number of this study" in text(arrange(client, drop="citation_precision"))
    assert client.get(address("number-edit", "citation_precision")).status_code == 404


def test_a_number_is_made_of_weights(peaks, client):
    page = text(client.get(address("number-new")))
    assert 'name="formula"' in page
    page = text(number(client, **{**WEIGHED, "about": "statement", "of": ""}, again="1"))
    assert 'name="weight-yes"' in page
    assert 'name="uncited"' in page
    assert number(client, **WEIGHED).status_code == 302
    peaks.refresh_from_db()
    made = peaks.protocol.derived["weighted"]
    assert made.weights == (("none", 0.0), ("partial", 0.5), ("full", 1.0))
    page = text(client.get(address("number-edit", "weighted")))
    assert 'value="0.5"' in page
    none, partial, full = map(peaks.protocol["citation_support"].label, dict(made.weights))
    assert f"{none} 0, {partial} 0.5, {full} 1" in text(client.get(address("dimensions")))


NUMBER_FAULTS = [
    ({**NUMBER, "title": ""}, "title", "Expected a text; found nothing."),
    ({**NUMBER, "key": "utility"}, "key", "There is a dimension with the key “utility” already."),
    ({**NUMBER, "key": "citation_precision"}, "key", "There is a number with the key"),
    ({**NUMBER, "key": "A"}, "key", "then at most 23 of a-z, 0-9 and _; found “A”"),
    ({**NUMBER, "formula": ""}, "formula", "Expected a text; found nothing."),
    ({**NUMBER, "formula": "beauty is 5"}, "formula", "found “beauty”"),
    ({**NUMBER, "formula": "utility is 9"}, "formula", "Expected one of"),
    ({**NUMBER, "about": "citation"}, "formula", "a dimension of the unit, a citation"),
    ({**NUMBER, "told_units": "odd"}, "told_units", "three texts, together with “detected”"),
    ({**WEIGHED, "weight-full": "2"}, "weight-full", "a number from 0 to 1"),
    ({**WEIGHED, "of": "utility"}, "of", "Select a valid choice"),
    ({**NUMBER, "about": "moon"}, "about", "not one of the available choices"),
]  # fmt: skip


def test_what_is_wrong_with_a_number_stands_beside_its_field(subtests, study, client):
    for data, field, said in NUMBER_FAULTS:
        with subtests.test(data=data):
            page = number(client, **data)
            assert page.status_code == 422
            assert said in " ".join(page.context["form"].errors[field])
            study.refresh_from_db()
            assert study.derived == []


def test_no_question_has_the_key_of_a_number(study, client):
    number(client, **NUMBER)
    page = make(client, key="useful")
    assert "There is a number with the key “useful” already." in text(page)
    assert make(client, title="Useful").status_code == 302
    study.refresh_from_db()
    assert "useful_2" in study.protocol.own
