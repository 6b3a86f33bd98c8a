"""The page of what a study asks: order, the form of one dimension, its preview, protocol files."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.models import AuditEntry, Study, Unit
from annotate.protocol.shipped import PROTOCOLS
from annotate.protocol.written import read, write
from annotate.studies.lifecycle import create_study
from annotate.studies.wordings import save_dimension
from tests.annotate.loading import load, response
from tests.annotate.test_wordings import FLUENCY
from tests.shared_rows import shared_rows

DRAFT = {
    "title": "Tone",
    "key": "",
    "about": "response",
    "answer": "choice",
    "question": "Is the tone fitting?",
    "help": "",
    "sight": "nothing",
    "scale": "ordinal",
    "label": "majority",
    "asked_of": ["people"],
    "unasked": "",
    "rows": "4",
    "label-0": "Fitting",
    "value-0": "",
    "positive-0": "on",
    "degree-0": "2",
    "label-1": "Quite odd",
    "value-1": "odd",
    "degree-1": "1",
}


@shared_rows
def client(alice, signed_in):
    return signed_in(alice)


def address(name, *more):
    return reverse(name, args=["peaks", *more])


def text(page):
    return " ".join(page.content.decode().split())


def asked(study):
    study.refresh_from_db()
    return study.dimensions


def arrange(client, **button):
    return client.post(address("dimensions-arrange"), button, follow=True)


def make(client, query="", **changes):
    data = {k: v for k, v in {**DRAFT, **changes}.items() if v is not None}
    return client.post(address("dimension-new") + query, data)


# The list ----------------------------------------------------------------------------------------


def test_the_order_changes_by_buttons(peaks, client):
    save_dimension(peaks, FLUENCY)
    assert asked(peaks)[-1] == "fluency"
    arrange(client, up="fluency")
    assert [one.key for one in peaks.dimension_list][:2] != ["utility", "fluency"]
    peaks.refresh_from_db()
    assert peaks.dimension_list[0].key == "fluency"
    arrange(client, up="fluency")
    arrange(client, down="fluency")
    assert Study.objects.get(pk=peaks.pk).dimension_list[0].key == "utility"
    assert AuditEntry.objects.filter(act="dimensions-changed").count() == 3


def test_dimensions_are_reordered_stopped_and_asked_again(peaks, client):
    arrange(client, stop="citation_support")
    assert asked(peaks) == ["utility", "citation_recall"]
    arrange(client, ask="citation_support")
    assert asked(peaks) == ["utility", "citation_recall", "citation_support"]
    page = text(arrange(client, ask="quote"))
    assert "no dimension “quote” that people can be asked" in page
    arrange(client, protocol="ais")
    assert {*PROTOCOLS["ais"].protocol.asked, "utility"} <= {*asked(peaks)}


def test_parents_come_along_and_the_last_dimension_stays(study, client):
    arrange(client, ask="attributable")
    assert {"interpretable", "attributable"} <= {*asked(study)}
    page = text(arrange(client, stop="interpretable"))
    assert "“Attributable” is asked only after certain answers to this one." in page
    assert "interpretable" in asked(study)
    for key in ("citation_support", "citation_recall", "attributable", "interpretable"):
        arrange(client, stop=key)
    assert "asks at least one dimension" in text(arrange(client, stop="utility"))
    assert asked(study) == ["utility"]


def test_undivided_responses_get_no_questions_about_statements(alice, client):
    study = create_study(name="Peaks", slug="peaks", preset="ais", owner=alice)
    load(study, [response("2,962 m [1]. Yes.")])
    assert [unit.key for unit in Unit.objects.all()] == ["r"]
    assert "loaded without dividing them" in text(arrange(client, ask="citation_recall"))
    assert asked(study) == ["interpretable", "attributable"]


def test_answers_are_counted_only_where_that_is_asked_for(
    peaks, client, django_assert_max_num_queries
):
    save_dimension(peaks, FLUENCY)
    with django_assert_max_num_queries(30) as asked_for:
        client.get(address("dimensions"))
    assert not [one for one in asked_for if "annotate_judgment" in one["sql"]]


# The form ----------------------------------------------------------------------------------------


def test_other_words_are_a_version_and_other_answers_a_key(study, client):
    make(client)
    page = text(client.get(address("dimension-edit", "tone")))
    assert 'value="fitting"' in page
    assert 'name="key"' not in page
    url = address("dimension-edit", "tone")
    data = {**DRAFT, "value-0": "fitting"}
    client.post(url, {**data, "question": "Is it apt?"})
    study.refresh_from_db()
    assert study.protocol["tone"].version == 2
    client.post(
        url, {**data, "label-2": "Awful", "degree-1": "2", "degree-2": "1", "degree-0": "3"}
    )
    assert "tone@2" in asked(study)
    assert "tone" not in study.dimensions


def test_a_copy_of_a_shipped_one(study, client):
    query = "?copy=citation_support"
    page = text(client.get(address("dimension-new") + query))
    assert 'value="citation_support_2"' in page
    data = {"title": "Support", "key": "mine", "about": "citation", "sight": "cited"}
    assert 'value="citation_recall" selected' in page
    made = make(client, query=query, part_of="citation_recall", **data)
    assert made.status_code == 302
    study.refresh_from_db()
    assert study.protocol["mine"].part_of == "citation_recall"
    assert client.get(address("dimension-edit", "utility")).status_code == 404
    assert client.get(address("dimension-new") + "?copy=beauty").status_code == 404


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"title": ""}, "Expected a text; found nothing."),
    ({"question": " "}, "Expected a text; found nothing."),
    ({"key": "Tone!"}, "Expected a-z, then at most 23 of a-z, 0-9 and _; found “Tone!”."),
    ({"key": "utility"}, "There is a dimension with the key “utility” already."),
    ({"label-0": "", "value-0": "fitting"}, "Label: expected a text; found nothing."),
    ({"value-0": "odd"}, "Expected each value once; found “odd” 2 times."),
    ({"key-0": "b", "key-1": "b"}, "Expected each key once; found “b” 2 times."),
    ({"key-0": "g"}, "Expected keys that are one of 1 2 3"),
    ({"about": "pair", "key-0": "b"}, "no keys, since the two answers change places"),
    ({"value-0": "Fit ting"}, "Expected values of at most 20 of a-z, 0-9 and _"),
    ({"label-1": "", "value-1": "", "degree-1": ""}, "at least two choices"),
    ({"degree-0": "1"}, "Degrees: expected 1 to 2, each once, or none; found 1, 1."),
    ({"positive-1": "on"}, "but not all; found"),
    ({"label": "median"}, "a median needs an ordinal scale of whole numbers"),
    ({"asked_of": []}, "Choose at least one."),
    ({"unasked": "odd"}, "only where the dimension hangs on one answer about the same unit"),
    ({"about": "citation", "comes_last": "on"}, "only with a dimension of the response"),
    ({"about": "statement", "when": ["citation_support=full"]}, "It cannot hang on"),
    ({"about": "moon"}, "not one of the available choices"),
]


def test_faults_stand_beside_their_fields(subtests, study, client):
    for changes, said in FAULTS:
        with subtests.test(changes=changes):
            page = make(client, **changes)
            assert page.status_code == 422
            assert said in text(page)
            assert not study.wordings.exists()


def test_conditions_must_be_met_by_the_answers_that_exist(study, client):
    make(client, title="First", when=["utility=1"])
    page = make(client, title="Second", when=["first=odd", "utility=5"])
    assert "Expected answers that one judge can give; found utility both" in text(page)
    make(client)
    make(client, title="Style", when=["tone=odd"])
    data = {**DRAFT, "value-0": "fitting", "value-1": "queer", "label-1": "Queer"}
    page = client.post(address("dimension-edit", "tone"), data)
    assert "“Style” hangs on it and would not fit any more" in text(page)


def test_rows_are_moved_without_script_and_nothing_is_saved(study, client):
    page = text(make(client, row="down-0"))
    assert page.index('value="Quite odd"') < page.index('value="Fitting"')
    assert 'name="rows" value="7"' in text(make(client, row="more"))
    assert 'value="Fitting"' not in text(make(client, row="remove-0"))
    assert not study.wordings.exists()


# The preview -------------------------------------------------------------------------------------


def show(client, **changes):
    data = {**DRAFT, **changes}
    return client.post(address("dimension-preview"), data, headers={"HX-Request": "true"})


def test_preview_shows_parts_faults_and_what_saving_would_do(peaks, client):
    for about, title in (("statement", "Statement 1"), ("citation", "citation 1 · Tone")):
        assert title in text(show(client, about=about, sight="cited"))
    page = text(show(client, about="claim"))
    assert "The study has no response for this question" in page
    page = text(show(client, title=""))
    assert "Title: Expected a text; found nothing." in page
    assert "srcdoc" not in page
    save_dimension(peaks, FLUENCY)
    page = text(show(client, replaces="fluency"))
    assert "another dimension, <code>fluency@2</code>" in page


# Files -------------------------------------------------------------------------------------------


def brought(client, content, **more):
    name = SimpleUploadedFile("mine.yaml", content.encode())
    return client.post(address("dimensions-take"), {"file": name, **more})


def test_a_file_goes_out_and_comes_in(peaks, elsewhere, client, oscar, signed_in):
    save_dimension(peaks, FLUENCY)
    answer = client.get(address("dimensions-download"))
    assert answer["Content-Disposition"] == 'attachment; filename="protocol.yaml"'
    given = answer.content.decode()
    assert "fluency" in read(given).protocol
    theirs = signed_in(oscar)
    url = reverse("dimensions-take", args=["elsewhere"])
    page = theirs.post(url, {"file": SimpleUploadedFile("p.yaml", given.encode())})
    assert "Fluency <code>fluency</code>" in text(page)
    assert not elsewhere.wordings.exists(), "nothing before it is confirmed"
    assert theirs.post(url, {"text": given, "confirm": "1"}).status_code == 302
    elsewhere.refresh_from_db()
    assert elsewhere.protocol["fluency"] == FLUENCY


def test_all_that_is_wrong_with_a_file_is_told(study, client):
    content = (
        write(PROTOCOLS["ais"])
        .replace("sight: nothing", "sight: none")
        .replace("scale: nominal", "scale: loose")
    )
    page = brought(client, content)
    assert page.status_code == 422
    assert text(page).count("expected one of nothing, cited, all, reference; found “none”") >= 1
    assert text(page).count("expected one of nominal, ordinal; found “loose”") == 2
    assert asked(study) == ["utility", "citation_recall", "citation_support"]


def test_a_file_with_another_question_of_the_same_key(study, client):
    save_dimension(study, FLUENCY)
    content = client.get(address("dimensions-download")).content.decode()
    page = brought(client, content.replace("read well", "flow"))
    assert "another dimension with the key “fluency”" in text(page)
    latin = client.post(
        address("dimensions-take"), {"file": SimpleUploadedFile("x.yaml", b"a: \xff\xfe")}
    )
    assert "Expected text in UTF-8" in text(latin)
    assert "Choose a file." in text(client.post(address("dimensions-take"), {}))


def test_a_study_is_made_of_a_file(study, alice, client):
    save_dimension(study, FLUENCY)
    content = client.get(address("dimensions-download")).content.decode()
    content = content.replace("raters: 3", "raters: 7\ncitations: 2")
    data = {"name": "Second", "preset": "alce", "description": ""}
    page = client.post(
        reverse("study-new"), {**data, "file": SimpleUploadedFile("p.yaml", content.encode())}
    )
    assert page.status_code == 302
    made = Study.objects.get(name="Second")
    assert made.protocol["fluency"] == FLUENCY
    assert (made.raters_per_unit, made.citation_cap, made.preset) == (7, 2, "custom")
    assert made.dimensions == [*study.dimensions]
    broken = SimpleUploadedFile("p.yaml", b"protocol: x")
    page = client.post(reverse("study-new"), {**data, "file": broken})
    assert "Line 1, dimensions: expected a list; found nothing." in text(page)
