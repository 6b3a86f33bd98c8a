"""What filters leave of a study, and what labels and answers are made of it."""

from collections import Counter

import numpy as np
import pytest

from annotate.protocol.answers import NOTHING
from annotate.protocol.written import read
from evaluation.reports.data import BatchRecord
from evaluation.reports.filters import FilterError, Filters
from evaluation.reports.sections.people import people
from evaluation.reports.selection import select
from tests.evaluation.reports.columns import Skip
from tests.evaluation.reports.studies import (
    ALCE,
    AUTOAIS,
    CORRECTNESS,
    judge_place,
    made_study,
    named,
    place,
    study,
)
from tests.evaluation.rubric import EVERY


def votes_of(selected, key):
    """Votes by the names of units and judges."""
    judges = selected.data.judges
    return {
        unit: {judges[judge].name: value for judge, value in said.items()}
        for unit, said in named(selected.data, selected.votes(key)).items()
    }


def labels_of(selected, key):
    return named(selected.data, selected.labels(key))


def item_keys(selected):
    return [item.key for item in selected.items()]


# People ------------------------------------------------------------------------------------------


def test_votes_and_their_majority():
    data = study(
        votes={
            "citation_recall": {"A/q1:s1": "yes no -", "A/q1:s2": "yes yes no"},
            "utility": {"A/q1:r": "1 4 5 5"},
            "citation_support": {"A/q1:s1.c1": "full partial partial", "A/q1:s2.c1": "full none"},
        }
    )
    selected = select(data, Filters())
    assert votes_of(selected, "citation_recall") == {
        "A/q1:s1": {"rater-1": "yes", "rater-2": "no"},
        "A/q1:s2": {"rater-1": "yes", "rater-2": "yes", "rater-3": "no"},
    }
    assert labels_of(selected, "citation_recall") == {"A/q1:s1": "no", "A/q1:s2": "yes"}
    assert labels_of(selected, "utility") == {"A/q1:r": "4"}  # the lower one of 4 and 5
    assert labels_of(selected, "citation_support") == {
        "A/q1:s1.c1": "partial", "A/q1:s2.c1": "none",
    }  # fmt: skip
    assert [data.judges[rater].name for rater in selected.raters] == [
        "rater-1", "rater-2", "rater-3", "rater-4",
    ]  # fmt: skip


def test_who_finds_it_not_interpretable_says_not_attributable():
    data = study(
        votes={
            "interpretable": {"A/q1:r": "yes no no", "B/q1:r": "no"},
            "attributable": {"A/q1:r": "yes - yes"},
        }
    )
    found = votes_of(select(data, Filters()), "attributable")
    # rater-3 was asked all the same, and that answer counts.
    assert found == {
        "A/q1:r": {"rater-1": "yes", "rater-2": "no", "rater-3": "yes"},
        "B/q1:r": {"rater-1": "no"},
    }
    alone = select(data, Filters(dimensions=("attributable",)))
    assert votes_of(alone, "attributable") == found
    assert item_keys(alone) == ["attributable"]


def test_what_was_never_asked_gets_no_votes():
    data = study(
        votes={"interpretable": {"A/q1:r": "no", "B/q1:r": "no yes"},
               "attributable": {"B/q1:r": "- no"}},
        dimensions=("interpretable",),
    )  # fmt: skip
    assert votes_of(select(data, Filters()), "attributable") == {
        "B/q1:r": {"rater-1": "no", "rater-2": "no"}
    }


def test_excluded_raters_count_only_where_asked_for():
    data = study(
        votes={"citation_recall": {"A/q1:s1": "yes no no"}, "utility": {"A/q1:r": "- 3 -"}},
        excluded=["rater-2", "rater-3"],
    )
    without, within = select(data, Filters()), select(data, Filters(excluded_in=True))
    assert labels_of(without, "citation_recall") == {"A/q1:s1": "yes"}
    assert labels_of(within, "citation_recall") == {"A/q1:s1": "no"}
    assert item_keys(without) == ["citation_recall"]
    assert (without.left_out.excluded_raters, without.left_out.excluded_answers) == (2, 3)
    assert (within.left_out.excluded_raters, within.left_out.excluded_answers) == (0, 0)
    assert len(within.raters) == 3
    assert len(without.raters) == 1


# Labels ------------------------------------------------------------------------------------------


def test_adjudicated_labels_take_the_place_of_the_majority():
    data = study(
        votes={
            "citation_recall": {
                "A/q1:s1": {"r1": "yes", "r2": "yes", "first": "no", "second": "yes"},
                "A/q1:s2": {"r1": "yes"},
                "A/q1:s3": {"first": "no"},
            }
        },
        kinds={"first": "adjudicated", "second": "adjudicated"},
        overruled=[("citation_recall", "A/q1:s1", "second")],
    )
    assert labels_of(select(data, Filters()), "citation_recall") == {
        "A/q1:s1": "yes", "A/q1:s2": "yes",
    }  # fmt: skip
    assert labels_of(select(data, Filters(labels="adjudicated")), "citation_recall") == {
        "A/q1:s1": "no", "A/q1:s2": "yes", "A/q1:s3": "no",
    }  # fmt: skip


def test_a_published_majority_counts_where_nobody_voted():
    data = study(
        votes={
            "attributable": {
                "A/q1:r": {"r1": "no", "published": "yes"},
                "A/q2:r": {"published": "yes"},
            }
        },
        kinds={"published": "majority"},
    )
    selected = select(data, Filters())
    assert labels_of(selected, "attributable") == {"A/q1:r": "no", "A/q2:r": "yes"}
    assert votes_of(selected, "attributable") == {"A/q1:r": {"r1": "no"}}
    assert selected.label_sources() == [
        "majority|of:people|rule:tie:low,likert:lower-median|v:1", "published",
    ]  # fmt: skip


def test_better_raters_count_for_more_by_dawid_and_skene():
    # r1, r2 always agree with each other; r3, r4, r5 answer at random, and outvote them once.
    said = {f"A/q{n}:s1": ("yes yes " if n % 2 else "no no ") for n in range(1, 21)}
    noise = ["yes no yes", "no yes no", "no no yes", "yes yes no", "no yes yes"]
    votes = {unit: two + noise[n % 5] for n, (unit, two) in enumerate(said.items())}
    votes["A/q1:s1"] = "yes yes no no no"
    data = study(votes={"citation_recall": votes})
    assert labels_of(select(data, Filters()), "citation_recall")["A/q1:s1"] == "no"
    by_model = select(data, Filters(labels="dawid-skene"))
    assert labels_of(by_model, "citation_recall")["A/q1:s1"] == "yes"
    assert by_model.label_sources() == [by_model.label_name()]
    assert by_model.label_name().startswith("dawid-skene|iterations:")


# Derived items -----------------------------------------------------------------------------------


def test_precision_of_each_rater_and_of_the_labels():
    data = study(
        votes={
            "citation_recall": {"A/q1:s1": "yes no yes"},
            "citation_support": {"A/q1:s1.c1": "none full partial", "A/q1:s1.c2": "partial - full"},
        }
    )
    selected = select(data, Filters())
    assert votes_of(selected, "citation_precision") == {
        "A/q1:s1.c1": {"rater-1": "no", "rater-2": "no", "rater-3": "yes"},
        "A/q1:s1.c2": {"rater-1": "yes", "rater-3": "yes"},
    }
    # Most raters say “no” of c1; but its labels are recall yes and support none, partial or full:
    # each once, so the lowest, none.
    assert labels_of(selected, "citation_precision") == {"A/q1:s1.c1": "no", "A/q1:s1.c2": "yes"}
    assert item_keys(selected) == [
        "citation_recall", "citation_support", "citation_precision", "citation_precision_e",
    ]  # fmt: skip
    only = select(data, Filters(dimensions=("citation_recall",)))
    assert item_keys(only) == ["citation_recall"]


def test_labels_of_precision_are_made_of_labels_not_of_raters_precision():
    """Recall yes (2 of 3), support partial (2 of 3), yet each rater but one says not precise."""
    data = study(
        votes={
            "citation_recall": {"A/q1:s1": "yes yes no"},
            "citation_support": {"A/q1:s1.c1": "partial none partial"},
        }
    )
    selected = select(data, Filters())
    values = list(votes_of(selected, "citation_precision")["A/q1:s1.c1"].values())
    assert Counter(values) == {"yes": 1, "no": 2}
    assert labels_of(selected, "citation_precision") == {"A/q1:s1.c1": "yes"}


def test_appendix_e_looks_at_citations_that_count_alone():
    """A partial support is precise only where no other citation supports fully."""
    votes = {
        "citation_recall": {"A/q1:s1": "yes"},
        "citation_support": {f"A/q1:s1.c{n}": level for n, level in enumerate(
            ["partial", "none", "none", "full"], 1)},
    }  # fmt: skip
    capped = select(study(votes=votes, citation_cap=3), Filters())
    assert labels_of(capped, "citation_precision_e") == {
        "A/q1:s1.c1": "yes", "A/q1:s1.c2": "no", "A/q1:s1.c3": "no",
    }  # fmt: skip
    every = select(study(votes=votes, citation_cap=None), Filters())
    assert labels_of(every, "citation_precision_e") == {
        "A/q1:s1.c1": "no", "A/q1:s1.c2": "no", "A/q1:s1.c3": "no", "A/q1:s1.c4": "yes",
    }  # fmt: skip
    # A citation without a passage was not asked about: nothing waits for its answer.
    outside = select(study(votes=votes, out_of_range=["A/q1:s1.c5"], citation_cap=None), Filters())
    assert labels_of(outside, "citation_precision_e") == labels_of(every, "citation_precision_e")


def test_claims_have_a_precision_of_their_own():
    data = study(
        votes={
            "claim_recall": {"A/q1:s1.a1": "yes", "A/q1:s1.a2": "no"},
            "claim_support": {"A/q1:s1.a1.c1": "full", "A/q1:s1.a2.c1": "full"},
        }
    )
    assert labels_of(select(data, Filters()), "claim_precision") == {
        "A/q1:s1.a1.c1": "yes", "A/q1:s1.a2.c1": "no",
    }  # fmt: skip


# Automatic judges --------------------------------------------------------------------------------


def judged():
    return study(
        votes={"citation_recall": {"A/q1:s1": "yes"}},
        automatic={
            "citation_recall": {
                "A/q1:s1": {ALCE: ("yes", 0.75)},
                "A/q1:s2": {ALCE: ("no", 0.25)},
                "A/q1:s3": {ALCE: "no"},
                "B/q1:s1": {ALCE: ("yes", 0.5)},
            },
            "citation_support": {
                "A/q1:s1.c1": {ALCE: "needed"},
                "A/q1:s1.c2": {ALCE: "not_needed"},
                "A/q1:s2.c1": {ALCE: "not_needed"},
                "A/q1:s3.c1": {ALCE: Skip("no passage with this number")},
                "B/q1:s1.c1": {ALCE: "needed"},
            },
        },
        measures={CORRECTNESS: {"str_em": {"A/q1": 0.5, "B/q1": "no short answers"}}},
        autoais=["B"],
        trained_on={ALCE: ["A/q1:s2"]},
    )


def test_answers_scores_and_reasons_of_a_judge():
    data = judged()
    selected = select(data, Filters())
    judge = judge_place(data, ALCE)
    assert [data.judges[one].name for one in selected.judges] == [ALCE, CORRECTNESS]
    assert [selected.judge_id(one) for one in selected.judges] == ["j1", "j2"]
    recall = named(data, selected.answers(judge, "citation_recall"))
    assert recall == {"A/q1:s1": "yes", "A/q1:s3": "no"}  # not s2: it was trained with it
    assert named(data, selected.scores(judge, "citation_recall")) == {"A/q1:s1": 0.75}
    assert named(data, selected.answers(judge, "citation_precision")) == {
        "A/q1:s1.c1": "yes", "A/q1:s1.c2": "no",
    }  # fmt: skip
    assert selected.answers(judge, "citation_support") == {}
    assert selected.not_judged(judge, "citation_precision") == {"no passage with this number": 1}
    assert selected.answering("citation_precision") == [judge]
    assert selected.answering("attributable") == []
    left = selected.left_out
    assert left.trained_on == {ALCE: 1}
    assert left.autoais_systems == ("B",)


def test_outliers_on_request():
    data = judged()
    selected = select(data, Filters(outliers=True))
    judge = judge_place(data, ALCE)
    assert named(data, selected.answers(judge, "citation_recall"))["B/q1:s1"] == "yes"
    assert named(data, selected.answers(judge, "citation_precision"))["B/q1:s1.c1"] == "yes"
    assert selected.left_out.autoais_systems == ()


def test_measures_and_why_there_is_none():
    data = judged()
    selected = select(data, Filters())
    judge = judge_place(data, CORRECTNESS)
    assert selected.measure_names(judge) == ["str_em"]
    found = selected.measures(judge, "str_em")
    assert {data.systems[data.responses.system[at]].name: v for at, v in found.items()} == {
        "A": 0.5
    }
    assert selected.measure_names(judge_place(data, ALCE)) == []


# Filters -----------------------------------------------------------------------------------------


def test_systems_questions_and_clusters():
    data = study(
        votes={
            "citation_recall": {
                "A/q2:s1": "yes", "A/q1:s1": "no", "B/q3:s1": "yes", "B/q1:s1": "no",
                "B/q1/2:s1": "no",
            }
        }
    )  # fmt: skip
    every, one = select(data, Filters()), select(data, Filters(systems=("B",)))
    assert [data.questions[q] for q in every.questions] == ["q1", "q2", "q3"]
    assert [data.questions[q] for q in one.questions] == ["q1", "q3"]
    assert one.systems == [1]
    assert len(one.responses) == 3
    at = {name: place(data, name) for name in ("A/q1:s1", "B/q1:s1", "B/q1/2:s1", "B/q3:s1")}
    clusters = [one.unit_question[unit] for unit in at.values()]
    assert clusters == [-1, 0, 0, 1]
    assert labels_of(one, "citation_recall") == {
        "B/q1:s1": "no", "B/q1/2:s1": "no", "B/q3:s1": "yes",
    }  # fmt: skip
    rows = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    units = [at["B/q1:s1"], at["B/q1/2:s1"], at["B/q3:s1"]]
    assert one.per_question(rows, units).tolist() == [[3.0, 30.0], [4.0, 40.0]]
    assert one.per_question(rows[:1], units[2:]).tolist() == [[0.0, 0.0], [1.0, 10.0]]
    assert one.per_question_of_responses(np.array([1.0, 1.0, 5.0]), one.responses).tolist() == [
        2.0, 5.0,
    ]  # fmt: skip
    with pytest.raises(ValueError, match="not selected"):
        one.per_question(rows[:1], [at["A/q1:s1"]])


def test_only_fine_grained_citations():
    data = study(
        votes={"citation_recall": {"A/q1:s1": "yes", "A/q2:s1": "no"}}, positional=["A/q2"]
    )
    selected = select(data, Filters(fine_grained=True))
    assert labels_of(selected, "citation_recall") == {"A/q2:s1": "no"}
    assert selected.left_out.not_fine_grained == 1
    assert select(data, Filters()).left_out.not_fine_grained == 0


def batched(*, by_unit):
    whole = {"A/q1:r": ["r1"], "A/q2:r": ["r1", "r2"]}
    single = {"A/q1:s1": ["r1"], "A/q1:s1.c1": ["r1", "r2"]}
    batch = BatchRecord(9, "one", ("citation_recall", "citation_support"), by_unit)
    return study(
        votes={
            "utility": {"A/q1:r": {"r1": "5"}},
            "citation_recall": {
                "A/q1:s1": {"r1": "no", "r2": "yes"},
                "A/q2:s1": {"r2": "yes"},
                "A/q3:s1": {"r1": "yes"},
            },
            "citation_support": {"A/q1:s1.c1": {"r1": "full", "r2": "none"}},
        },
        automatic={
            "citation_recall": {f"A/q{n}:s1": {ALCE: "yes"} for n in (1, 2, 3)},
            "citation_support": {"A/q1:s1.c1": {ALCE: "needed"}},
        },
        batches=[(batch, single if by_unit else whole)],
    )


def test_a_batch_of_responses():
    data = batched(by_unit=False)
    selected = select(data, Filters(batch=9))
    assert votes_of(selected, "citation_recall") == {
        "A/q1:s1": {"r1": "no"}, "A/q2:s1": {"r2": "yes"},
    }  # fmt: skip
    assert selected.votes("utility") == {}
    assert len(selected.responses) == 2
    answers = selected.answers(judge_place(data, ALCE), "citation_recall")
    assert list(named(data, answers)) == ["A/q1:s1", "A/q2:s1"]
    assert "|of:people,batch:9|" in selected.label_name()


def test_a_batch_of_single_units():
    data = batched(by_unit=True)
    selected = select(data, Filters(batch=9))
    assert votes_of(selected, "citation_recall") == {"A/q1:s1": {"r1": "no"}}
    assert votes_of(selected, "citation_support") == {"A/q1:s1.c1": {"r1": "full", "r2": "none"}}
    judge = judge_place(data, ALCE)
    assert list(named(data, selected.answers(judge, "citation_recall"))) == ["A/q1:s1"]
    assert named(data, selected.answers(judge, "citation_precision")) == {"A/q1:s1.c1": "yes"}


def test_flags_are_counted_and_nothing_is_left_out_for_them():
    data = study(
        votes={"citation_recall": {"A/q1:s1": "yes", "B/q1:s1": "no"}},
        flags={"A/q1:s1": {"rater-1": "broken", "rater-9": "other"}},
    )
    selected = select(data, Filters())
    assert selected.left_out.flags == {"broken": 1, "other": 1}
    assert len(selected.labels("citation_recall")) == 2
    assert select(data, Filters(systems=("B",))).left_out.flags == {}


def test_judges_by_name():
    data = made_study(2, 4)
    selected = select(data, Filters(judges=(AUTOAIS,)))
    assert [data.judges[judge].name for judge in selected.judges] == [AUTOAIS]
    assert selected.answering("citation_recall") == []
    assert selected.votes("citation_recall") == select(data, Filters()).votes("citation_recall")


def test_the_seed_is_the_studys_unless_another_is_chosen():
    data = study(votes={"utility": {"A/q1:r": "3"}}, seed=11)
    assert select(data, Filters()).seed == 11
    assert select(data, Filters(seed=0)).seed == 0


def test_names_that_the_study_does_not_have(subtests):
    for filters, message in [
        (Filters(systems=("Z",)), "systems: expected a system with responses (“A”, “B”), found"),
        (Filters(judges=("rater-1",)), "judges: expected an automatic judge of the study"),
        (Filters(batch=8), "batch: expected the number of a batch of the study: it has none"),
    ]:
        with subtests.test(filters=filters, message=message):
            with pytest.raises(FilterError) as error:
                select(judged(), filters)
            assert str(error.value).startswith(message)


def test_nothing_selected_is_nothing():
    data = study(votes={"utility": {"A/q1:r": "3"}})
    selected = select(data, Filters(fine_grained=True))
    assert (selected.items(), selected.raters, selected.judges, selected.questions) == (
        [], [], [], [],
    )  # fmt: skip
    assert selected.label_sources() == []


def test_anything_marked_is_what_most_raters_did():
    """Three raters mark different characters: no character has a majority, and yet all of them
    found something. Systems' numbers and agreement speak of the same."""
    protocol, mark = read(EVERY.read_text(encoding="utf-8")).protocol, "0-4:made_up:major"
    data = study(
        votes={
            "errors": {
                "A/q1:s1": {"ann": mark, "ben": "5-9:made_up:major", "cleo": "9-12:left_out:minor"},
                "A/q2:s1": {"ann": mark, "ben": NOTHING, "cleo": NOTHING},
                "B/q1:s1": {"ann": mark, "ben": NOTHING},
            }
        },
        protocol=protocol,
        dimensions=(*protocol,),
    )
    chosen = select(data, Filters(resamples=20))
    assert set(chosen.labels("errors").values()) == {NOTHING}
    units = [*chosen.votes("errors.any")]
    assert [chosen.labels("errors.any")[unit] for unit in units] == ["yes", "no", "no"]
    row = next(one for one in people(chosen) if one["item"] == "errors.any")
    assert row["percent"]["value"] == pytest.approx(4 / 7, abs=1e-6)
