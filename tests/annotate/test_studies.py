"""Making, changing and deleting studies, and their first pages."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.content import counts, overview
from annotate.content.counts import sums
from annotate.content.judgments import judge_of, record_judgment
from annotate.models import (
    Assignment,
    AuditEntry,
    Batch,
    BatchItem,
    Judge,
    Judgment,
    Membership,
    Role,
    Study,
    Unit,
)
from annotate.protocol.presets import PRESETS
from annotate.protocol.shipped import SHIPPED
from annotate.rating.batches import create_batch, open_batch
from annotate.studies import lifecycle as studies
from annotate.web.errors import Refused
from tests.annotate.desk import do_next, rater
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.annotate.pages import visible


def create(client, name="Peaks", preset="alce", **more):
    return client.post(reverse("study-new"), {"name": name, "preset": preset, **more})


@pytest.mark.parametrize(
    ("preset", "raters", "dimensions"),
    [
        ("ais", 5, ["interpretable", "attributable"]),
        ("alce", 3, ["utility", "citation_recall", "citation_support"]),
        (
            "aliice",
            3,
            ["utility", "claim_words", "claim_recall", "claim_support", "pf_utility"],
        ),
    ],
)
def test_a_preset_decides_how_a_study_begins(alice, signed_in, preset, raters, dimensions):
    answer = create(signed_in(alice), preset=preset, description="What for.")
    study = Study.objects.get()
    assert answer.url == reverse("study", args=[study.slug])
    assert (study.preset, study.raters_per_unit) == (preset, raters)
    assert sorted(study.dimensions) == sorted(dimensions)
    assert [d.key for d in study.dimension_list] == [k for k in SHIPPED.asked if k in dimensions]
    assert (study.reading, study.citation_cap, study.description) == ("repaired", 3, "What for.")
    first = study.current_guidelines
    assert (first.number, first.created_by) == (1, alice)
    assert first.text == PRESETS[preset].guidelines
    assert len(first.text) > 500
    member = Membership.objects.get()
    assert (member.user, member.role) == (alice, Role.OWNER)


def test_a_custom_study_asks_the_chosen_dimensions_and_their_parents(alice, signed_in):
    answer = create(signed_in(alice), preset="custom")
    assert "Choose at least one." in answer.content.decode()
    assert not Study.objects.exists()
    client = signed_in(alice)
    assert "Dimensions asked" in client.get(reverse("study-new")).content.decode()
    create(client, preset="custom", dimensions=["attributable", "citation_recall"])
    study = Study.objects.get()
    assert study.dimensions == ["interpretable", "attributable", "citation_recall"]


def test_invalid_study_or_rater_creates_nothing(alice, rita, signed_in):
    for data in ({"name": ""}, {"name": "x" * 201}, {"preset": "mine"}, {"preset": ""}):
        assert create(signed_in(alice), **data).status_code == 200, data
    assert create(signed_in(rita)).status_code == 403
    assert not Study.objects.exists()


def test_address_is_made_from_the_name_and_numbered_when_taken(alice, signed_in):
    client = signed_in(alice)
    for name, slug in (
        ("Peaks & Skies, 2024!", "peaks-skies-2024"),
        ("山の高さ", "study"),
        ("New", "new-2"),
        ("x" * 200, "x" * 50),
        ("<script>alert(1)</script>", "scriptalert1script"),
        ("Peaks", "peaks"),
        ("Peaks", "peaks-2"),
        ("Peaks", "peaks-3"),
    ):
        answer = create(client, name)
        assert answer.url == f"/studies/{slug}/"
        assert client.get(answer.url).context["access"].study.name == name


def test_taken_address_and_unfit_dimensions_are_refused(study, alice):
    for wrong, complaint in (
        ({"slug": "peaks"}, "Choose another"),
        ({"slug": "new"}, "Choose another"),
        ({"dimensions": []}, "at least one"),
        ({"dimensions": ["beauty"]}, "Unknown dimension: beauty"),
        ({"dimensions": ["attributable"]}, "“Attributable” is only asked after “Interpretable”"),
    ):
        preset = "custom" if "dimensions" in wrong else "ais"
        with pytest.raises(Refused, match=complaint):
            studies.create_study(name="Other", preset=preset, owner=alice, **wrong)
    assert Study.objects.count() == 1


def test_the_overview_leads_from_a_file_to_ratings(subtests, study, alice, signed_in):
    client = signed_in(alice)

    def road():
        return visible(client.get(reverse("study", args=[study.slug])).content.decode())

    with subtests.test("nothing is loaded: a file can be dropped"):
        assert "Drop a file here" in road()
        assert "Start a batch" not in road()
    names = [("q1", "A"), ("q1", "B"), ("q2", "A"), ("q2", "B")]
    load(study, [response("It is so [1].", question_id=q, system=name) for q, name in names])
    with subtests.test("loaded"):
        assert "2 questions × 2 systems: 4 answers" in road()
        assert "Start a batch" in road()
    batch = create_batch(study, name="First", raters_per_item=2)
    with subtests.test("raters do not see the batch yet"):
        assert "No batch is open: raters see nothing." in road()
        assert "Open “First”" in road()
    open_batch(batch)
    with subtests.test("ratings are wanted"):
        assert "0 of 8 ratings in 1 batch; 1 rater in the study." in road()
    with subtests.test("raters are invited by a link that is copied here"):
        address = reverse("invite", args=[study.slug])
        sent = client.post(address, {"role": "rater", "overview": "1"}, follow=True)
        assert "Copy link for raters" in sent.content.decode()
        assert study.invitations.get().role == Role.RATER
        assert "Create link for raters" not in road()
    ann = rater(study, "ann")
    for _ in range(4):
        do_next(batch, ann)
    with subtests.test("half of them are done"):
        assert "4 of 8 ratings in 1 batch, done " in road()
    Assignment.objects.update(done_at=timezone.now() - timedelta(days=2))
    ends = timezone.localtime(timezone.now() + timedelta(days=2))
    with subtests.test("the other half takes as long"):
        assert f"done {ends:%A}, {ends.day} {ends:%B} {ends:%Y} at this pace" in road()
    with subtests.test("a date far away is not a promise"):
        Batch.objects.update(raters_per_item=1000)
        assert "done in more than a year at this pace" in road()
    for why, rows, change, back in (
        ("gold", BatchItem.objects.all(), {"is_gold": True}, {"is_gold": False}),
        ("a rater left out", Judge.objects.all(), {"standing": "excluded"}, {"standing": "active"}),
    ):
        with subtests.test("does not count for the pace", why=why):
            rows.update(**change)
            assert "at this pace" not in road()
        rows.update(**back)
    with subtests.test("a draft is left out of the date"):
        assert "at this pace;" in road()
        load(study, [response("So [1].", question_id="q3", system=name) for name in "AB"])
        create_batch(study, name="Second")
        assert "at this pace (not counting 1 batch that is not open);" in road()
    with subtests.test("a batch that is not open has no end"):
        Batch.objects.update(state=Batch.State.CLOSED)
        assert "at this pace" not in road()


def test_a_protocol_chosen_among_the_folded_ones_is_seen_after_an_error(alice, signed_in):
    for preset, is_open in (("alce", False), ("custom", True)):
        page = create(signed_in(alice), name="", preset=preset).content.decode()
        assert ('<details class="other-protocols" open>' in page) == is_open


def test_the_list_shows_ones_own_studies_only(peaks, elsewhere, alice, rita, oscar, signed_in):
    page = signed_in(alice).get(reverse("studies")).content.decode()
    assert "Peaks and skies" in page
    assert "4 responses · 1 rater" in page
    assert "Elsewhere" not in page
    assert "4 responses" not in signed_in(rita).get(reverse("studies")).content.decode()
    assert "Peaks and skies" not in signed_in(oscar).get(reverse("studies")).content.decode()


def rows(study):
    return {row.dimension.key: row for row in overview.progress(study)}


def test_progress_counts_units_and_judgments(peaks, rita):
    found = rows(peaks)
    assert set(found) == {"utility", "citation_recall", "citation_support"}
    recall = found["citation_recall"]
    assert (recall.units, recall.judged, recall.by_people, recall.by_others) == (5, 1, 1, 1)
    assert recall.per_unit == 1.0
    # Eight citations; one has no passage, and one stands beyond the three that count.
    assert found["citation_support"].units == 6
    assert found["utility"].units == 4
    assert found["utility"].per_unit is None
    load_judgments(peaks, [judgment("r", "attributable", "yes")])
    assert rows(peaks)["attributable"].by_people == 1
    unit = Unit.objects.filter(kind="response")[0]
    record_judgment(
        judge=judge_of(peaks, rita), unit=unit, dimension="utility", skipped_reason="broken"
    )
    assert rows(peaks)["utility"].not_judged == 1
    judge = judge_of(peaks, rita)
    for unit in Unit.objects.filter(kind="citation"):
        record_judgment(judge=judge, unit=unit, dimension="citation_support", value="none")
    row = rows(peaks)["citation_support"]
    assert (row.units, row.judged) == (6, 6)


def test_an_answer_that_was_taken_back_is_no_progress(subtests, peaks, rita):
    for reason in ["not asked", "withdrawn"]:
        with subtests.test(reason=reason):
            unit = Unit.objects.filter(kind="response")[0]
            record_judgment(
                judge=judge_of(peaks, rita), unit=unit, dimension="utility", skipped_reason=reason
            )
            row = rows(peaks)["utility"]
            assert (row.judged, row.by_people, row.by_others, row.not_judged) == (0, 0, 0, 0)


def test_practice_is_no_progress(peaks):
    kinds = {"trainee": 0, "reference": 1, "adjudicated": 1, "automatic": 1}
    for kind, counted in kinds.items():
        before = rows(peaks)["citation_recall"]
        load_judgments(
            peaks, [judgment("s2", "citation_recall", "no", judge=kind, judge_kind=kind)]
        )
        after = rows(peaks)["citation_recall"]
        assert after.by_others - before.by_others == counted, kind
        assert after.by_people == before.by_people


SETTINGS = {
    "name": "Renamed",
    "description": "",
    "raters_per_unit": "4",
    "citation_cap": "2",
    "lines": "all",
    "reading": "repaired",
    "language": "",
    "splitter": "rules",
}


def change(client, **data):
    return client.post(reverse("study-settings", args=["peaks"]), SETTINGS | data)


def test_settings_are_changed(study, bob, signed_in):
    client = signed_in(bob)
    for given, kept in (({"shared_words": "on"}, True), ({}, False)):
        assert change(client, reading="strict", **given).status_code == 302
        study.refresh_from_db()
        assert study.shared_words is kept
    assert (study.name, study.raters_per_unit, study.citation_cap) == ("Renamed", 4, 2)
    assert study.reading == "strict"


def test_researchers_name_the_primary_judge(study, bob, signed_in):
    name = "autoais|coverage:2|thr:0.5|v:2"
    study.judges.create(kind="automatic", name=name)
    client = signed_in(bob)
    page = client.get(reverse("study-settings", args=["peaks"]))
    offered = dict(page.context["form"].fields["primary_judge"].choices)
    assert offered == {"": "none", name: study.judges.get(name=name).title}
    assert change(client, primary_judge=name).status_code == 302
    study.refresh_from_db()
    assert study.primary_judge == name
    entry = AuditEntry.objects.filter(act="study-changed").latest("pk")
    assert entry.details["primary_judge"] == name
    assert client.get("/api/studies/peaks/").json()["primary_judge"] == name
    assert change(client, primary_judge="").status_code == 302
    study.refresh_from_db()
    assert study.primary_judge == ""


def test_settings_that_do_not_go(subtests, study, alice, signed_in):
    for data, complaint in [
        ({"primary_judge": "nobody"}, "not one of the available choices"),
        ({"name": ""}, "required"),
        ({"raters_per_unit": "0"}, "greater than or equal to 1"),
        ({"raters_per_unit": "-1"}, "greater than or equal to"),
        ({"raters_per_unit": "99999999999999999999"}, "less than or equal to 100"),
        ({"raters_per_unit": "101"}, "less than or equal to 100"),
        ({"citation_cap": "0"}, "greater than or equal to 1"),
        ({"citation_cap": "99999999999999999999"}, "less than or equal to 100"),
        ({"citation_cap": ""}, "required"),
        ({"reading": "loose"}, "valid choice"),
        ({"splitter": "coin"}, "valid choice"),
        ({"lines": "some"}, "valid choice"),
        ({"language": "Klingon language"}, "Give the code of a language"),
    ]:
        with subtests.test(data=data):
            page = change(signed_in(alice), **data)
            assert page.status_code == 200
            assert complaint in page.content.decode()
            assert "study_some" not in page.content.decode()
            study.refresh_from_db()
            assert (study.name, study.raters_per_unit, study.citation_cap) == (
                "Peaks and skies",
                3,
                3,
            )


def test_other_division_is_an_upload_once_something_is_loaded(study, alice, signed_in):
    assert studies.read_strictly(study).reading == "strict"
    client = signed_in(alice)
    load(study, [response("One. [1] Two.")])
    assert studies.read_strictly(study).reading == "strict"
    answer = change(client, reading="repaired")
    upload = study.uploads.latest("pk")
    assert answer["Location"] == reverse("upload", args=["peaks", upload.pk])
    assert upload.chosen_division.reading == "repaired"
    study.refresh_from_db()
    assert (study.reading, study.name) == ("strict", "Renamed")
    page = change(client, reading="repaired", name="Once more").content.decode()
    assert "waits to divide this study" in page
    study.refresh_from_db()
    assert study.name == "Renamed"


def test_reading_strictly_is_refused_once_something_is_loaded(peaks):
    with pytest.raises(Refused, match="cannot change so any more"):
        studies.read_strictly(peaks)


def test_owner_deletes_a_study_by_typing_its_address(peaks, elsewhere, alice, bob, signed_in):
    address = reverse("study-delete", args=["peaks"])
    researcher, client = signed_in(bob), signed_in(alice)
    assert researcher.post(address, {"slug": "peaks"}).status_code == 403
    html = researcher.get(reverse("study-settings", args=["peaks"])).content.decode()
    assert address not in html
    for typed in ("", "Peaks", "peaks-2", "peaks and skies"):
        client.post(address, {"slug": typed})
    assert Study.objects.filter(slug="peaks").exists()
    assert "4 responses of 2 systems" in client.get(address).content.decode()
    page = client.post(address, {"slug": "peaks"}, follow=True)
    assert "“Peaks and skies” is deleted." in page.content.decode()
    assert list(Study.objects.all()) == [elsewhere]
    assert Judgment.objects.filter(judge__study=elsewhere).count() == 3


def test_the_list_is_searched_by_studies_and_systems(subtests, signed_in, alice, peaks, elsewhere):
    for asked, found in [
        ("", ["Elsewhere", "Peaks and skies"]),
        ("PEAKS", ["Peaks and skies"]),
        ("skies peaks", ["Peaks and skies"]),
        ("peaks elsewhere", []),
        ("far away", ["Elsewhere"]),
        ("vermil", ["Elsewhere", "Peaks and skies"]),
        ("scarlet", ["Peaks and skies"]),
        ("SCATTERS sky", ["Elsewhere", "Peaks and skies"]),
        ("scatters nowhere", []),
    ]:
        with subtests.test(asked=asked):
            Membership.objects.get_or_create(study=elsewhere, user=alice, role=Role.VIEWER)
            Study.objects.filter(pk=elsewhere.pk).update(description="Far away.")
            peaks.systems.filter(name="Vermilion").update(display_name="Scarlet")
            answer = signed_in(alice).get("/studies/", {"q": asked})
            assert [row.study.name for row in answer.context["rows"]] == found


def test_rater_finds_no_study_by_its_contents(signed_in, alice, rita, peaks):
    for who, asked, count in (
        (rita, "vermilion", 0),
        (rita, "peaks", 1),
        (rita, "scatters", 0),
        (alice, "scatters", 1),
        (alice, "nowhere", 0),
    ):
        client = signed_in(who)
        assert len(client.get("/studies/", {"q": asked}).context["rows"]) == count
        assert len(client.get("/api/studies/", {"q": asked}).json()["studies"]) == count


def test_studies_that_are_not_counted_yet_are_named(signed_in, alice, peaks, monkeypatch):
    client = signed_in(alice)
    monkeypatch.setattr(sums, "AT_ONCE", 2)
    page = client.get("/studies/", {"q": "zugspitze"}).content.decode()
    assert "still being indexed" in page
    assert "None of your studies" in page
    counts.catch_up(peaks)
    page = client.get("/studies/", {"q": "zugspitze"}).content.decode()
    assert "still being counted" not in page
    assert "2 responses</a>" in page
