"""Which judge is spoken of: the primary one, or the best of those that judged enough."""

from dataclasses import replace

import numpy as np
import pytest

from bench.made_up import judge_name
from bench.made_up import study as made
from bench.misleading import report_of, sentence
from evaluation.reports.build import build
from evaluation.reports.filters import FilterError, Filters
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import study

GOOD, BAD, FEW = (f"autoais|m:{name}|thr:0.5|v:1" for name in ("good", "bad", "few"))


def drawn(wrong, *, seed=3, few=0):
    """Judges that are wrong so often; `FEW` is right on so many units."""
    draw = np.random.default_rng(seed)
    units = [f"{system}/q{n:02}:r" for system in "AB" for n in range(60)]
    truth = draw.random(len(units)) < 0.5
    said = {judge: truth ^ (draw.random(len(units)) < share) for judge, share in wrong.items()}
    word = {True: "yes", False: "no"}
    automatic = {
        unit: {judge: word[bool(given[n])] for judge, given in said.items()}
        | ({FEW: word[bool(truth[n])]} if n < few else {})
        for n, unit in enumerate(units)
    }
    votes = {unit: word[bool(value)] for unit, value in zip(units, truth, strict=True)}
    data = study(votes={"attributable": votes}, automatic={"attributable": automatic})
    return data, truth, said


def found_in(data, **filters):
    report = build(data, Filters(resamples=200, **filters))
    found = report["leading"]
    assert found is not None
    names = {judge["id"]: judge["name"] for judge in report["judges"]}
    return {**found, "judge": names[found["judge"]], "other": names.get(found["other"] or "")}


def test_the_primary_judge_is_spoken_of_though_another_is_better():
    data, _, _ = drawn({GOOD: 0.1, BAD: 0.4})
    found = found_in(data, primary=BAD)
    assert (found["judge"], found["other"], found["primary"]) == (BAD, GOOD, True)
    assert found["difference"]["value"] < 0
    assert found["clear"]
    with pytest.raises(FilterError, match="primary: expected an automatic judge"):
        select(data, Filters(primary="nobody"))


def test_the_studys_primary_judge_is_that_of_the_report_unless_a_filter_names_another():
    data, _, _ = drawn({GOOD: 0.1, BAD: 0.4})
    of_study = replace(data, study=replace(data.study, primary=BAD))
    found = found_in(of_study)
    assert (found["judge"], found["primary"]) == (BAD, True)
    found = found_in(of_study, primary=GOOD)
    assert (found["judge"], found["primary"]) == (GOOD, True)
    report = build(of_study, Filters(resamples=20))
    assert report["study"]["primary"] == BAD
    [note] = [one["text"] for one in report["method"] if one["key"] == "leading"]
    assert note.startswith("The judge that the study's settings name primary: “AutoAIS”")
    [said] = [one["text"] for one in report["headline"] if one["key"] == "judges"]
    assert said.startswith("It is the judge that the study names primary; ")


def test_the_best_judge_is_that_of_the_tables():
    """One that judged the easier units has the higher kappa on its own, and is not the better."""
    units = [f"A/q{n:02}:r" for n in range(100)]
    truth = ["yes" if n % 2 else "no" for n in range(100)]
    turned = {"yes": "no", "no": "yes"}
    votes = dict(zip(units, truth, strict=True))
    said: dict[str, dict[str, str]] = {unit: {} for unit in units}
    for n, unit in enumerate(units):
        # Of the easy ones (the first 60) BAD errs in 9 and GOOD in none; of the others, GOOD in 20.
        said[unit][GOOD] = turned[truth[n]] if n >= 80 else truth[n]
        if n < 60:
            said[unit][BAD] = turned[truth[n]] if n % 7 == 0 else truth[n]
    report = build(
        study(votes={"attributable": votes}, automatic={"attributable": said}),
        Filters(resamples=200),
    )
    names = {judge["name"]: judge["id"] for judge in report["judges"]}
    own = {row["judge"]: row["kappa"]["value"] or 0 for row in report["agreement"]}
    assert own[names[BAD]] > own[names[GOOD]]
    found = report["leading"]
    assert found
    assert found["difference"]
    assert (found["judge"], found["other"]) == (names[GOOD], names[BAD])
    [pair] = report["judge_pairs"][0]["numbers"][0]["pairs"]
    value, paired = found["difference"]["value"], pair["difference"]["value"]
    assert pair["p_holm"] is not None
    assert abs(value or 0) == abs(paired or 0) > 0
    assert found["clear"] == (pair["p_holm"] < 0.05)


def test_a_judge_that_only_knows_the_data_set_is_not_the_best():
    draw = np.random.default_rng(3)
    sets = ["asqa"] * 60 + ["eli5"] * 60
    is_asqa = np.repeat(np.array(sets) == "asqa", 4).reshape(120, 4)
    truth = draw.random((120, 4)) < np.where(is_asqa, 0.9, 0.1)
    judges = {"only-set": is_asqa, "real": truth ^ (draw.random((120, 4)) < 0.15)}
    report = report_of(made(truth[..., None], judges, data_sets=sets))
    titles = {judge["id"]: judge["name"] for judge in report["judges"]}
    kappas = {titles[row["judge"]]: row["kappa"]["value"] or 0 for row in report["agreement"]}
    assert kappas[judge_name("only-set")] > kappas[judge_name("real")]
    led = report["leading"]
    assert led
    assert titles[led["judge"]] == judge_name("real")
    said = sentence(report, "judges")
    assert said.startswith("Of 2 judges it agrees most with people within one data set; it agrees ")
    assert ": kappa within one data set is higher by" in said
