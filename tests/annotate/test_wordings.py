"""A study's own questions: made, changed, taken from files; and what the database holds of them."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from annotate import uploads
from annotate.content.judgments import record_judgment
from annotate.exchange.streams import judgments_csv
from annotate.models import Judgment, PastJudgment, Study, Wording
from annotate.protocol.answers import Choice
from annotate.protocol.dimensions import Condition, Dimension, UnitKind
from annotate.protocol.protocol import Protocol
from annotate.protocol.shipped import PROTOCOLS, SHIPPED
from annotate.protocol.study import form_digest, own_fields, protocol_from
from annotate.protocol.written import NotAProtocol, read, write
from annotate.studies.wordings import (
    import_file,
    plan_import,
    protocol_file_of,
    save_dimension,
    set_active,
)
from annotate.web.errors import Refused
from tests.annotate.constrained import World
from tests.annotate.loading import check, load_peaks
from tests.shared_rows import shared_rows

FLUENCY = Dimension(
    key="fluency",
    unit_kind=UnitKind.RESPONSE,
    title="Fluency",
    question="Does the answer read well?",
    choices=(Choice("good", "Good"), Choice("fair", "Fair"), Choice("poor", "Poor")),
    low_to_high=("poor", "fair", "good"),
    positive=frozenset({"good"}),
    scale="ordinal",
    sight="nothing",
    asked_of=("people",),
)
OTHER_WORDS = replace(FLUENCY, question="Is the answer easy to read?")
OTHER_ANSWERS = replace(
    FLUENCY,
    choices=(Choice("good", "Good"), Choice("poor", "Poor")),
    low_to_high=("poor", "good"),
)


@shared_rows
def world(peaks):
    return World(peaks)


@shared_rows
def fluent(world):
    save_dimension(world.study, FLUENCY)
    return world


def say(world, value, dimension="fluency"):
    return record_judgment(
        judge=world.judge, unit=world.units["r"], dimension=dimension, value=value
    )


def test_a_new_question_belongs_to_its_study_and_saving_it_again_changes_nothing(fluent, elsewhere):
    assert fluent.study.protocol["fluency"] == FLUENCY
    assert "fluency" in fluent.study.dimensions
    assert Study.objects.get(pk=fluent.study.pk).protocol["fluency"] == FLUENCY
    assert "fluency" not in elsewhere.protocol
    assert "fluency" not in SHIPPED
    assert save_dimension(fluent.study, FLUENCY, replaces="fluency") == FLUENCY
    assert fluent.study.wordings.count() == 1


def test_a_shipped_question_is_neither_changed_nor_hidden(world):
    with pytest.raises(Refused, match="not a dimension of this study's own"):
        save_dimension(world.study, SHIPPED["utility"], replaces="utility")
    with pytest.raises(Refused, match="with the key “utility” already"):
        save_dimension(world.study, replace(FLUENCY, key="utility"))


def test_another_wording_is_counted_with_the_one_before(fluent):
    first = say(fluent, "fair")
    kept = save_dimension(fluent.study, OTHER_WORDS, replaces="fluency")
    assert (kept.key, kept.version) == ("fluency", 2)
    fluent.judge.study = fluent.study
    second = say(fluent, "good")
    assert second.pk == first.pk
    [past] = PastJudgment.objects.filter(judgment=first)
    study = fluent.study.pk
    assert (past.wording, second.wording) == (f"{study}/fluency:1", f"{study}/fluency:2")
    assert Wording.objects.get(pk=past.wording).as_dimension.question == FLUENCY.question


def test_other_answers_are_another_question(fluent):
    say(fluent, "fair")
    place = fluent.study.dimensions.index("fluency")
    kept = save_dimension(fluent.study, OTHER_ANSWERS, replaces="fluency")
    assert kept.key == "fluency@2"
    assert fluent.study.dimensions[place] == "fluency@2"
    assert "fluency" not in fluent.study.dimensions
    assert fluent.study.protocol["fluency"] == FLUENCY
    assert Judgment.objects.get(dimension="fluency").value == "fair"
    again = replace(OTHER_ANSWERS, positive=frozenset({"poor"}))
    assert save_dimension(fluent.study, again, replaces="fluency@2").key == "fluency@3"


def refused(write):
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        write()
    return str(caught.value)


def test_the_database_holds_answers_to_their_wording(fluent, elsewhere):
    save_dimension(elsewhere, OTHER_ANSWERS)
    own, foreign = (f"{study.pk}/fluency:1" for study in (fluent.study, elsewhere))

    def write(**other):
        fields = {
            "judge": fluent.judge,
            "unit": fluent.units["r"],
            "dimension": "fluency",
            "value": "fair",
            "wording": own,
        }
        return Judgment.objects.create(**fields | other)

    for wrong in (
        {"value": "fine"},
        {"value": "good|fair"},
        {"unit": fluent.units["s1"]},
        {"wording": ""},
        {"wording": "utility:1"},
        {"wording": foreign, "value": "good"},
        {"wording": f"{fluent.study.pk}/fluency:2"},
        {"dimension": "utility"},
    ):
        assert "judgment_fits_its_wording" in refused(lambda wrong=wrong: write(**wrong)), wrong
    made = write()
    for wrong in ({"value": "fine"}, {"wording": ""}, {"dimension": "utility"}):
        rows = Judgment.objects.filter(pk=made.pk)
        assert "judgment_fits_its_wording" in refused(lambda rows=rows, w=wrong: rows.update(**w))


def test_a_wording_never_changes(fluent):
    rows = Wording.objects.filter(study=fluent.study)
    assert "wording_is_append_only" in refused(lambda: rows.update(values="|good|"))


def test_forms_of_releases_before_are_known(fluent):
    save_dimension(fluent.study, OTHER_WORDS, replaces="fluency")
    study = Study.objects.get(pk=fluent.study.pk)
    before = form_digest(study.protocol.own.values(), study.derived)
    assert before != study.form
    Study.objects.filter(pk=study.pk).update(form=before)
    first, again = (Study.objects.get(pk=study.pk).protocol for _ in range(2))
    assert first is again
    assert [*first.earlier] == [FLUENCY]


def test_order_is_the_studys_with_parents_first(fluent):
    study = fluent.study
    set_active(study, ["fluency", *(key for key in study.dimensions if key != "fluency")])
    assert study.dimension_list[0].key == "fluency"
    assert next(iter(study.protocol)) == "fluency"
    with pytest.raises(Refused, match="no dimension “quote” that people"):
        set_active(study, ["quote"])
    hanging = replace(
        OTHER_WORDS, key="style", shown_when=(Condition("fluency", ("good", "fair")),)
    )
    save_dimension(fluent.study, hanging)
    order = ["style", *(key for key in fluent.study.dimensions if key != "style")]
    with pytest.raises(Refused, match="a dimension that stands before this one"):
        set_active(fluent.study, order)
    with pytest.raises(Refused, match="expected one of"):
        set_active(fluent.study, [key for key in fluent.study.dimensions if key != "fluency"])


def test_a_file_says_after_which_other_one_it_is_made(fluent, elsewhere):
    first = protocol_file_of(fluent.study)
    assert (first.name, first.source) == (f"{first.key} 1", "")
    import_file(elsewhere, replace(first, version=3))
    taken = protocol_file_of(elsewhere)
    assert (taken.version, taken.source) == (1, f"After {first.key} 3")
    import_file(fluent.study, replace(first, version=3))
    assert protocol_file_of(fluent.study).version == 3
    save_dimension(fluent.study, OTHER_WORDS, replaces="fluency")
    changed = protocol_file_of(fluent.study)
    assert (changed.version, changed.source) == (4, f"After {first.key} 3, changed")


def test_a_newer_file_brings_the_next_version(fluent, elsewhere):
    """Where it says itself that the study's words are its earlier ones; answers keep theirs."""
    import_file(elsewhere, read(write(protocol_file_of(fluent.study))))
    save_dimension(fluent.study, OTHER_WORDS, replaces="fluency")
    newer = read(write(protocol_file_of(fluent.study)))
    assert [one.version for one in plan_import(elsewhere, newer).new] == [2]
    say(fluent, "good")
    import_file(elsewhere, newer)
    assert elsewhere.protocol["fluency"].question == OTHER_WORDS.question
    assert [*elsewhere.protocol.earlier] == [FLUENCY]
    assert import_file(elsewhere, newer) == []
    older = replace(newer, protocol=Protocol([FLUENCY]), earlier=())
    with pytest.raises(
        Refused, match=r"in other words \(version 2\)\. Change its words on the page"
    ):
        import_file(elsewhere, older)


def test_a_clash_says_what_to_do(subtests, fluent):
    clashes: list[tuple[dict[str, Any], str]] = [
        ({"question": "Is it good?", "version": 2}, "makes them the next version, and load"),
        ({"positive": frozenset({"fair"})}, "other answers can be given: .* such as “fluency@2”"),
        ({"key": "utility"}, "“utility”, which comes with Attest and stays as it is: give"),
    ]
    for changes, words in clashes:
        with subtests.test(changes=changes):
            file = protocol_file_of(fluent.study)
            clash = replace(file, protocol=Protocol([replace(FLUENCY, **changes)]), earlier=())
            with pytest.raises(Refused, match=words):
                import_file(fluent.study, clash)


def test_a_file_brings_every_wording_and_answers_to_each_can_be_loaded(fluent, elsewhere):
    study = fluent.study
    say(fluent, "good")
    rows = "".join(judgments_csv(study))
    save_dimension(study, OTHER_WORDS, replaces="fluency")
    assert rows == "".join(judgments_csv(study))
    head, *lines = rows.splitlines(keepends=True)
    rows = head + "".join(line for line in lines if ",fluency," in line)
    assert rows.endswith(",1\r\n")
    given = write(protocol_file_of(study))
    assert [(one.key, one.version, one.question) for one in read(given).earlier] == [
        ("fluency", 1, FLUENCY.question)
    ]
    assert write(read(given)) == given
    load_peaks(elsewhere)
    without = replace(read(given), earlier=())
    import_file(elsewhere, without)
    upload = check(elsewhere, "judgments.csv", rows)
    assert "version 2, which this study has" in str(upload.findings)
    import_file(elsewhere, read(given))
    assert [*study.protocol.earlier] == [*elsewhere.protocol.earlier] == [FLUENCY]
    assert elsewhere.protocol["fluency"].version == 2
    upload = check(elsewhere, "judgments.csv", rows)
    assert upload.findings["judgments"] == 1
    uploads.accept(upload)
    uploads.work(upload.pk)
    kept = Judgment.objects.get(judge__study=elsewhere, dimension="fluency")
    assert kept.wording == f"{elsewhere.pk}/fluency:1"
    other = given.replace(FLUENCY.question, "Is it good?")
    with pytest.raises(Refused, match="another version 1 of “Fluency”"):
        import_file(elsewhere, read(other))


def test_what_a_bundle_says_of_a_studys_own_has_every_wording(fluent):
    save_dimension(fluent.study, OTHER_WORDS, replaces="fluency")
    protocol = Study.objects.get(pk=fluent.study.pk).protocol
    said = own_fields(protocol)
    assert [one["question"] for one in said["earlier"]] == [FLUENCY.question]
    again = protocol_from(fluent.study.dimensions, json.loads(json.dumps(said)))
    assert own_fields(again) == said
    said["earlier"][0]["key"] = "another"
    with pytest.raises(NotAProtocol):
        protocol_from(fluent.study.dimensions, said)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_shipped_protocol_is_taken_as_it_is(elsewhere, name):
    file = PROTOCOLS[name]
    assert import_file(elsewhere, read(write(file))) == []
    assert not elsewhere.wordings.exists()
