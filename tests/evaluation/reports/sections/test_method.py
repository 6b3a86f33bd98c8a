"""How the numbers were made, in words."""

from typing import Any

from annotate.protocol.shipped import PROTOCOLS
from evaluation.agreement.majority import rule_of
from evaluation.reports.data import GuidelinesRecord
from evaluation.reports.filters import Filters
from evaluation.reports.sections.method import method
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import ALCE, AUTOAIS, made_study, study


def notes(data, **filters):
    return {one["key"]: one["text"] for one in method(select(data, Filters(**filters)))}


def test_every_note_has_a_title_and_a_text():
    found = method(select(made_study(), Filters()))
    assert len({one["key"] for one in found}) == len(found) > 10
    assert all(one["title"] and one["text"].endswith(".") for one in found)


def test_the_rule_for_ties_and_the_signature_of_the_labels():
    data = made_study()
    asked = [one for one in select(data, Filters()).items() if not one.is_derived]
    rule = rule_of(data.protocol[one.key] for one in asked)
    text = notes(data)["labels"]
    assert rule in text
    assert text.endswith("majority|of:people|rule:tie:low,likert:lower-median|v:1.")
    assert "Dawid and Skene" in notes(made_study(), labels="dawid-skene")["labels"]
    adjudicated = notes(made_study(), labels="adjudicated")["labels"]
    assert "adjudicator's label counts" in adjudicated
    assert rule in adjudicated


def test_filters_in_words():
    assert notes(made_study())["filters"] == "Everything in the study."
    text = notes(
        made_study(),
        systems=("System 1",),
        batch=1,
        dimensions=("attributable",),
        judges=(AUTOAIS,),
        fine_grained=True,
        excluded_in=True,
        outliers=True,
    )["filters"]
    for words in (
        "systems “System 1”",
        "the batch “Every other”",
        "the dimensions “Attributable”",
        "the judges “AutoAIS, ",
        "(9 responses without one left out)",
        "Answers of excluded raters count.",
        "systems that use the metric themselves are shown",
    ):
        assert words in text


def test_what_filters_cannot_change():
    data = study(
        votes={"attributable": {"A/q1:r": {"majority of 5 (published)": "yes"}}},
        kinds={"majority of 5 (published)": "majority"},
    )
    text = notes(data)["filters"]
    assert "“majority of 5 (published)” came with a file, without the votes behind them" in text


def test_exclusions_and_flags_are_counted():
    data = study(
        votes={"utility": {"A/q1:r": "4 5 1", "B/q1:r": "2 - 3"}},
        excluded=["rater-3"],
        flags={
            "A/q1:r": {"rater-1": "broken", "rater-2": "offensive"},
            "B/q1:r": {"rater-1": "broken"},
        },
    )
    found = notes(data)
    assert found["excluded"] == ("Excluded raters: 1. Their 2 answers do not count; they are kept.")
    assert found["flags"].startswith("Raters flagged units (broken: 2; offensive: 1).")
    assert notes(data, excluded_in=True)["excluded"] == "No rater's answers are left out."
    unfinished = [("utility", "A/q1:r", "rater-4"), ("utility", "B/q1:r", "rater-4")]
    data = study(votes={"utility": {"A/q1:r": "4 5"}}, unfinished=unfinished)
    assert notes(data)["excluded"] == (
        "Answers in ratings that are not finished: 2. They do not count; they are kept."
    )


def test_guidelines_by_version():
    """Those of answers that count; the excluded rater's are not among them."""
    data = study(
        votes={"utility": {"A/q1:r": "4 5 1"}},
        excluded=["rater-3"],
        guidelines=(GuidelinesRecord(1, "2024-05-01T12:00:00+00:00", "abcdef0123456789"),),
    )
    assert notes(data)["guidelines"] == (
        "Answers that count: 2 answers under version 1 (2024-05-01, abcdef012345)."
    )


def test_trained_on_and_autoais():
    found = notes(made_study())
    assert "(ALCE, word coverage: 1 unit)" in found["trained_on"]
    assert found["autoais"].startswith("An automatic metric of citations is a part of: “System 4”.")
    assert "are not shown" in found["autoais"]
    assert "shown as outliers" in notes(made_study(), outliers=True)["autoais"]
    plain = notes(study(votes={"utility": {"A/q1:r": "4 5"}}))
    assert "trained_on" not in plain
    assert "autoais" not in plain


def test_a_judge_that_learned_from_labels_that_nobody_here_knows():
    learned = ALCE.replace("alce|", "alce|chosen:0123456789abcdef|of:citation_recall|")
    given: dict[str, Any] = {
        "votes": {"citation_recall": {"A/q1:s1": "yes yes", "A/q2:s1": "no no"}},
        "automatic": {"citation_recall": {"A/q1:s1": {learned: "yes"}, "A/q2:s1": {ALCE: "no"}}},
    }
    said = "From which labels these judges learned is not known in this study: ALCE, word coverage."
    assert said in notes(study(**given))["trained_on"]
    known = notes(study(**given, trained_on={learned: ["A/q1:s1"]}))["trained_on"]
    assert "(ALCE, word coverage: 1 unit)" in known
    assert "is not known" not in known


def test_judges_by_signature_and_variant():
    text = notes(made_study())["judges"]
    assert f"j1 {ALCE}; j2 {AUTOAIS}" in text
    assert "“variant:released” are counted as the published code counts them" in text
    assert "variant:paper" not in text


def test_seed_and_resamples():
    text = notes(made_study(), resamples=300, seed=12)["resampling"]
    assert "300 resamples of the 12 questions (seed 12)" in text


def test_words_for_agreement_have_their_source(subtests):
    for words in ["Landis and Koch (1977", "conventions"]:
        with subtests.test(words=words):
            assert words in notes(made_study())["agreement"]


def test_only_what_the_study_asks_is_spoken_of():
    """A form of one question of its own: no word of utility, statements or claims."""
    data = study(
        votes={"interpretable": {"A/q1:r": "yes no", "B/q1:r": "yes yes"}},
        dimensions=("interpretable",),
    )
    found = notes(data)
    assert found["systems"] == (
        "A system's number is the mean over its responses. A response with a positive label counts "
        "1, one with another label 0. People's numbers are about the responses that people rated."
    )
    said = " ".join(found.values())
    for word in ("tility", "ttributable", "useful", "laims", "support", "judge"):
        assert word not in said
    asked = notes(study(votes={"utility": {"A/q1:r": "4 5"}}))
    assert "“Utility” is the mean of the raters' degrees from 1 to 5." in asked["systems"]
    assert "share of its" not in asked["systems"]
    assert "“Utility” the median counts" in asked["labels"]
    assert "nterpretable" not in asked["labels"]


def test_pairs_alone_have_no_number_of_a_system():
    protocol = PROTOCOLS["pairwise"].protocol
    data = study(
        votes={"better_answer": {"A/q1:vs1": "tie"}}, protocol=protocol, dimensions=(*protocol,)
    )
    found = notes(data)
    assert not {"systems", "comparisons", "correlation", "powered"} & found.keys()
    assert "no label where two are given equally often" in found["labels"]


def test_questions_name_the_file_that_they_are_of():
    votes = {"utility": {"A/q1:r": "4 5"}}
    found = {
        keys: notes(study(votes=votes, dimensions=keys))["questions"]
        for keys in (tuple(PROTOCOLS["alce"].protocol.asked), ("utility",), ("utility", "stance"))
    }
    whole, part, several = found.values()
    assert whole == f"They are those of “{PROTOCOLS['alce'].title}” (alce 1)."
    assert part.startswith("They are some of “")
    assert "“Utility”: of “" in several
    assert f"of “{PROTOCOLS['sources'].title}” (sources 1)." in several


def test_a_number_by_a_formula_says_it():
    protocol = PROTOCOLS["sources"].protocol
    votes = {"stance": {"A/q1:s1": "supported"}, "source_reliability": {"A/q1:s1.c1": "reliable"}}
    found = notes(study(votes=votes, protocol=protocol, dimensions=(*protocol,)))
    formula = protocol.derived["not_contradicted"].formula
    assert (
        f"“{protocol.derived['not_contradicted'].title}” is yes where {formula}."
        in (found["formulas"])
    )
    of_papers = {"citation_recall": {"A/q1:s1": "yes"}, "citation_support": {"A/q1:s1.c1": "full"}}
    assert "formulas" not in notes(study(votes=of_papers))
