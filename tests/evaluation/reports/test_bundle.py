"""The bundle: the same report from its files alone, and an error for all that is not as it was."""

import json
import re
import zipfile
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO

import pytest
from django.utils import timezone

from annotate.content.judgments import record_judgment
from annotate.management.demo.loading import DEMO_STUDIES, load_demo
from annotate.models import Flag, Judge, Judgment, Study, Unit
from annotate.studies.lifecycle import create_study
from evaluation.models import Measure, TrainedOn, TrainedScorer
from evaluation.report_pages.bundle import write_bundle
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.bundle import BundleError, read_bundle
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.evaluation.reports.studies import differences
from tests.shared_rows import shared_rows

FEW = Filters(resamples=20)


def bundle_of(study: Study, filters: Filters = FEW, **options) -> bytes:
    out = BytesIO()
    write_bundle(study, filters, out, **options)
    return out.getvalue()


def files_of(bundle: bytes) -> dict[str, str]:
    with zipfile.ZipFile(BytesIO(bundle)) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}


def table(bundle: bytes, name: str) -> list[str]:
    """The lines of a table without its header, where no cell holds a line end."""
    return files_of(bundle)[name].split("\r\n")[1:-1]


def zipped(files: dict[str, str], *, sealed: bool = True) -> BytesIO:
    """A bundle of these files; `sealed`: with a manifest that fits them."""
    files = dict(files)
    if sealed:
        manifest = json.loads(files["manifest.json"])
        manifest["files"] = {
            name: {"sha256": sha256(text.encode()).hexdigest(), "bytes": len(text.encode())}
            for name, text in files.items()
            if name != "manifest.json"
        }
        files["manifest.json"] = json.dumps(manifest)
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    out.seek(0)
    return out


def fill(study: Study) -> Study:
    """A study with everything that a bundle has a table for."""
    outputs = [
        response(text, system=system, question=f"What, “{question}”?", question_id=question)
        for system in ("Amber", 'Blue, "light"')
        for question, text in (("q1", "High [1]. A peak [1][2]."), ("q2", "=1+1 [9]."))
    ]
    load(study, outputs)
    study.systems.filter(name="Amber").update(display_name="The amber one")
    load_judgments(
        study,
        [
            judgment(unit, dimension, value, system=system, question_id=question, judge=rater)
            for system in ("Amber", 'Blue, "light"')
            for question in ("q1", "q2")
            for unit, dimension, value in (
                ("r", "utility", "4"), ("s1", "citation_recall", "yes"),
            )
            for rater in ("Ada Example", "Bert Example", "rater-1")
        ],
    )  # fmt: skip
    ada = study.judges.get(name="Ada Example")
    study.judges.filter(name="Bert Example").update(standing="excluded")
    unit = Unit.objects.get(
        response__system__name="Amber", response__question__external_id="q1", key="s1"
    )
    record_judgment(judge=ada, unit=unit, dimension="citation_recall", value="no", note="I, Ada")
    Flag.objects.create(judge=ada, unit=unit, reason="broken", note="line one\r\nline two")
    name = "alce|trained:own|weights:0123456789abcdef|thr:0.5|v:1"
    judge = Judge.objects.create(study=study, name=name, kind="automatic")
    for one in Unit.objects.filter(response__study=study, kind="statement"):
        Judgment.objects.create(
            judge=judge, unit=one, dimension="citation_recall", value="yes", score=0.1 + 0.2
        )
    for one in Unit.objects.filter(response__study=study, kind="citation"):
        Judgment.objects.create(
            judge=judge, unit=one, dimension="citation_support", skipped_reason="no passage"
        )
    Measure.objects.create(judge=judge, response=unit.response, name="cvcp", value=1 / 3)
    scorer = TrainedScorer.objects.create(
        study=study, fingerprint="0123456789abcdef", folder="x", seed=1, agreement={}
    )
    TrainedOn.objects.create(scorer=scorer, unit=unit)
    for number, when in ((1, 2), (2, 1)):
        decided = Judge.objects.create(study=study, name=f"decided-{number}", kind="adjudicated")
        Judgment.objects.create(
            judge=decided,
            unit=unit,
            dimension="citation_recall",
            value=("yes", "no")[number % 2],
            created_at=datetime(2024, 5, when, tzinfo=UTC),
        )
    batch = study.batches.create(
        name="Half", dimensions=["utility"], raters_per_item=1, lease_minutes=5
    )
    whole = Unit.objects.get(response=unit.response, key="r")
    item = batch.items.create(response=unit.response, unit=whole, shuffle=1, question_shuffle=1)
    batch.assignments.create(item=item, judge=ada, lease_until=timezone.now())
    study.guidelines.create(number=2, text="Read twice.\nThen judge.")
    return study


@shared_rows
def full(alice) -> Study:
    return fill(create_study(name="Füll", slug="full", preset="alce", owner=alice))


@shared_rows
def bundle(full) -> bytes:
    return bundle_of(full)


@pytest.mark.parametrize("labels", ["majority", "adjudicated"])
def test_a_bundle_gives_the_same_report_to_the_byte(full, labels):
    filters = Filters(resamples=20, labels=labels, judges=(), seed=4)
    here = dumps(build(gather(full), filters))
    bundle = bundle_of(full, filters)
    assert dumps(build(*read_bundle(BytesIO(bundle)))) == here
    assert files_of(bundle)["report.json"] == here
    assert files_of(bundle_of(full, report="given"))["report.json"] == "given"


def test_the_demo_comes_back(db, tmp_path):
    load_demo()
    for study in Study.objects.filter(slug__in=[demo.slug for demo in DEMO_STUDIES]):
        path = tmp_path / f"{study.slug}.zip"
        path.write_bytes(bundle_of(study))
        data, filters = read_bundle(path)
        assert not differences(gather(study), data)
        report = files_of(path.read_bytes())["report.json"]
        assert dumps(build(data, filters)) == report
        assert len(json.loads(report)["systems"]["rows"]) == len(data.systems) > 2


def test_raters_by_number(full):
    bundle = bundle_of(full, anonymous=True, report="names Ada Example")
    files = files_of(bundle)
    for name, text in files.items():
        assert "Ada" not in text, name
        assert "Bert" not in text, name
        assert "line one" not in text, name
    data, filters = read_bundle(BytesIO(bundle))
    people = [judge for judge in data.judges if judge.is_person]
    assert [judge.name for judge in people] == ["rater-1", "rater-2", "rater-3"]
    assert sum(judge.excluded for judge in people) == 1
    assert [j.name for j in data.judges if j.kind == "adjudicated"] == [
        "adjudicated-1", "adjudicated-2",
    ]  # fmt: skip
    assert data.study.anonymous
    assert dumps(build(data, filters)) == files["report.json"]
    assert "Raters go by numbers" in files["README.md"]
    assert len(data.judgments) == len(gather(full).judgments)


def test_people_whom_a_file_brought_as_reference_go_by_numbers_too(full):
    load_judgments(
        full,
        [judgment("s1", "citation_recall", "yes", system="Amber", judge="Carla Example",
                  judge_kind="reference")],
    )  # fmt: skip
    bundle = bundle_of(full, anonymous=True)
    assert all("Carla" not in text for text in files_of(bundle).values())
    data, filters = read_bundle(BytesIO(bundle))
    assert dumps(build(data, filters)) == files_of(bundle)["report.json"]


def test_no_user_name_is_in_it(full, alice):
    text = "\n".join(files_of(bundle_of(full)).values())
    assert alice.email not in text
    assert alice.username not in text


# What cannot be read -----------------------------------------------------------------------------


def refused(files, *, sealed=True) -> str:
    with pytest.raises(BundleError) as error:
        read_bundle(zipped(files, sealed=sealed))
    return str(error.value)


def test_how_a_system_is_shown_comes_along_and_bundles_of_before_lack_it(bundle):
    data, _ = read_bundle(BytesIO(bundle))
    assert [system.title for system in data.systems] == ["The amber one", 'Blue, "light"']
    files = files_of(bundle)
    files["systems.csv"] = files["systems.csv"].replace(",display_name", "")
    files["systems.csv"] = re.sub("(,The amber one|,)\r\n", "\r\n", files["systems.csv"])
    data, _ = read_bundle(zipped(files))
    assert [system.title for system in data.systems] == ["Amber", 'Blue, "light"']


def test_what_is_no_bundle():
    with pytest.raises(BundleError, match="the bundle: expected a zip"):
        read_bundle(BytesIO(b"no zip at all"))
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as opened:
        opened.writestr("../../etc/passwd", "x")
    with pytest.raises(BundleError, match="files of a bundle alone, found a file called"):
        read_bundle(out)
    out = BytesIO()
    zipfile.ZipFile(out, "w").close()
    with pytest.raises(BundleError, match=r"manifest.json: expected a bundle of Attest"):
        read_bundle(out)


def test_a_changed_file_is_found(bundle):
    files = files_of(bundle)
    files["judgments.csv"] = files["judgments.csv"].replace(",no,", ",on,", 1)
    said = refused(files, sealed=False)
    assert said.startswith("judgments.csv: expected the digest")
    files["judgments.csv"] += "x"
    assert refused(files, sealed=False).startswith("judgments.csv: expected the number")


def test_a_file_that_is_not_there_or_listed(bundle):
    files = files_of(bundle)
    del files["history.csv"]
    assert "history.csv: expected this file in the zip" in refused(files, sealed=False)
    assert 'manifest.json, field files: expected an entry for "history.csv"' in refused(files)


def test_a_second_file_of_the_same_name(bundle):
    out = BytesIO(bundle)
    with zipfile.ZipFile(out, "a") as opened, pytest.warns(UserWarning, match="Duplicate"):
        opened.writestr("systems.csv", "x")
    with pytest.raises(BundleError, match=r"systems.csv: expected this file once"):
        read_bundle(out)


def test_a_bomb_is_not_unpacked(bundle):
    files = files_of(bundle)
    files["history.csv"] = "0" * 20_000_000
    assert refused(files).startswith("history.csv: expected at most 500 bytes of each packed one")


def test_a_broken_stream_is_told(bundle):
    with zipfile.ZipFile(BytesIO(bundle)) as opened:
        at = opened.getinfo("units.csv").header_offset + 80
    broken = bundle[:at] + bytes(40) + bundle[at + 40 :]
    with pytest.raises(BundleError, match=r"units.csv: expected"):
        read_bundle(BytesIO(broken))


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("manifest.json", '"version": 1', '"version": 2', "field version: expected 1"),
        ("manifest.json", "attest-bundle", "other", "field format: expected the text"),
        ("systems.csv", "Amber,no", "Amber,maybe",
         'systems.csv, line 2, field uses_autoais: expected one of yes, no, found "maybe"'),
        ("systems.csv", "uses_autoais", "uses", "systems.csv, line 1: expected a header"),
        ("systems.csv", "Amber,no,", "Amber,no", "systems.csv, line 2: expected 4 columns"),
        ("judges.csv", "Ada Example,simulated", "Ada Example,trainee",
         "judges.csv, line 2, field kind: expected one of human"),
        ("judges.csv", "Bert Example", "Ada Example",
         "judges.csv, line 3, field judge: expected a row for each alone"),
        ("responses.csv", "Amber,,q2", "Amber,,q1", "line 3, field question_id"),
        ("responses.csv", "Amber,,q2,no,1", "Amber,,q2,no,99999999999999999999",
         "line 3, field statements: expected a whole number"),
        ("responses.csv", "Amber,,q2,no,1", "Amber,,q2,no,-1", "field statements: expected"),
        ("units.csv", "q1,s2,statement,r", "q1,s2,statement,s1", "field parent: expected r"),
        ("units.csv", "q1,s2,statement,r", "q1,s2,claim,r", "field kind: expected statement"),
        ("units.csv", "q1,s2,statement,r", "q1,z2,statement,r", "field unit: expected a unit's"),
        ("units.csv", "Amber,,q1,s1,", "Amber,,q1,s3,", "field parent: expected the key of a unit"),
        ("judgments.csv", "full,Amber", "other,Amber", "field study: expected full"),
        ("judgments.csv", "q1,r,utility", "q3,r,utility",
         "judgments.csv, line 2, field question_id: expected system, run and question of a row"),
        ("judgments.csv", "q1,r,utility", "q1,s9,utility", "field unit: expected the key of a"),
        ("judgments.csv", "q1,r,utility", "q1,r,fun", "field dimension: expected one of utility"),
        ("judgments.csv", "q1,r,utility", "q1,s1,utility", "expected the key of a response"),
        ("judgments.csv", "Ada Example,simulated", "Eve,simulated", "field judge: expected one"),
        ("judgments.csv", "Ada Example,simulated", "Ada Example,human", "field judge_kind"),
        ("judgments.csv", "simulated,4", "simulated,6", "field value: expected one of 1, 2, 3"),
        ("judgments.csv", "simulated,4", "simulated,", "field value: expected either"),
        ("judgments.csv", "0.30000000000000004", "nan", "field score: expected a number from 0"),
        ("judgments.csv", "0.30000000000000004", "1.5", "field score: expected a number from 0"),
        ("judgments.csv", "Bert Example,simulated,4", "Ada Example,simulated,4",
         "judgments.csv, line 3: expected one row about each, found a second one; the first is "
         "at line 2"),
        ("measures.csv", "0.3333333333333333", "1e999", "field value: expected a number"),
        ("batches.csv", "utility,", "fun,", "field dimensions: expected some of"),
        ("tasks.csv", "Ada Example", "Eve", "tasks.csv, line 2, field judge"),
        ("filters.json", '"resamples": 20', '"resamples": 0', "filters.json, field resamples"),
        ("filters.json", "{", "[", "filters.json: expected valid JSON"),
        ("study.json", '"seed": ', '"seed": 1e999, "old": ', "study.json, field"),
        ("study.json", '"name": ', '"name": 3, "name": ', "a key twice in one object"),
        ("study.json", '"not_needed"', '"superfluous"', "field protocol.citation_support"),
        ("study.json", '"version": 2', '"version": 7', "guidelines/version-7.md: expected"),
        ("guidelines/version-2.md", "twice", "once", "guidelines/version-2.md: expected the text"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be(bundle, name, old, new, message):
    files = files_of(bundle)
    assert old in files[name]
    files[name] = files[name].replace(old, new, 1)
    assert message in refused(files)
