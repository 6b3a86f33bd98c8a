"""What a study asks, by a program."""

from django.test import Client

from annotate.authentication import new_token
from annotate.protocol.shipped import PROTOCOLS
from annotate.protocol.written import as_fields, read, write
from tests.annotate.test_wordings import FLUENCY, OTHER_WORDS
from tests.shared_rows import shared_rows

URL = "/api/studies/peaks/dimensions/"


@shared_rows
def program(bob):
    return Client(headers={"authorization": f"Bearer {new_token(bob, 'script')}"})


def post(program, **data):
    return program.post(URL, data, content_type="application/json")


def test_dimensions_are_kept_ordered_and_read(study, program):
    first = program.get(URL).json()
    assert first["asked"] == ["utility", "citation_recall", "citation_support"]
    made = post(program, dimension=as_fields(FLUENCY)).json()
    assert made["asked"][-1] == "fluency"
    [shown] = [one for one in made["dimensions"] if one["own"]]
    assert shown == {**as_fields(FLUENCY), "version": 1, "own": True}
    post(program, dimension=as_fields(OTHER_WORDS), replaces="fluency")
    study.refresh_from_db()
    assert study.protocol["fluency"].version == 2
    assert post(program, asked=["fluency", "utility"]).json()["asked"] == ["fluency", "utility"]
    text = program.get("/api/studies/peaks/protocol.yaml").content.decode()
    assert list(read(text).protocol) == ["fluency", "utility"]


def test_a_file_is_taken_with_its_guidelines_or_without(study, program):
    before = study.current_guidelines.text
    text = write(PROTOCOLS["ais"])
    assert post(program, protocol=text).json()["file"] == {"name": "ais 1", "is_changed": False}
    assert study.current_guidelines.text == before
    post(program, protocol=text, guidelines=True)
    assert study.current_guidelines.text == PROTOCOLS["ais"].guidelines
    assert post(program, asked=["utility"]).json()["file"] == {"name": "ais 1", "is_changed": True}


def test_a_number_is_kept(study, program):
    number = {
        "key": "fine",
        "about": "response",
        "title": "Fine",
        "question": "Is it useful?",
        "formula": "utility is at least 4",
    }
    assert post(program, number=number).json()["derived"] == [number]
    study.refresh_from_db()
    assert study.protocol.derived["fine"].formula == "utility is at least 4"
    assert post(program, number=number).status_code == 409
    other = {**number, "formula": "utility is 5"}
    assert post(program, number=other, replaces="fine").json()["derived"] == [other]
    [fault] = post(program, number={**number, "formula": "x"}).json()["error"]["details"]
    assert fault["field"] == "formula"


def test_what_is_wrong_is_told_by_line_and_field(study, program):
    text = write(PROTOCOLS["ais"]).replace("scale: nominal", "scale: loose", 1)
    answer = post(program, protocol=text)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "invalid"
    line = text.splitlines().index("  scale: loose") + 1
    assert error["details"] == [
        {
            "line": line,
            "field": "dimensions[0].scale",
            "expected": "one of nominal, ordinal",
            "found": "“loose”",
        }
    ]
    wrong = {**as_fields(FLUENCY), "title": ""}
    [fault] = post(program, dimension=wrong).json()["error"]["details"]
    assert (fault["field"], fault["expected"]) == ("title", "a text")
