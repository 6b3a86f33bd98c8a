"""Numbers made from verdicts, whatever judge they are of."""

from evaluation.judges import JUDGES, VARIANTS, Verdict, metrics_of, summarise
from evaluation.judges.entailment.asker import FAILED
from evaluation.statistics.ratings import Figure, undefined
from tests.evaluation.judges.items import item


def test_without_verdicts_every_figure_has_a_reason(subtests):
    for judge in sorted(JUDGES):
        with subtests.test(judge=judge):
            found = summarise(judge, [item("Rain.")], [], variant="released")
            assert set(found.aggregate) == {metric.key for metric in metrics_of(judge)}
            assert all(
                figure.value is None and figure.reason for figure in found.aggregate.values()
            )


def test_verdicts_on_other_items_do_not_count():
    items = [item("Rain.", key="1")]
    verdicts = [Verdict("1", "r", "attributable", "yes"), Verdict("2", "r", "attributable", "no")]
    found = summarise("autoais", items, verdicts, variant="released")
    assert found.aggregate["autoais"] == Figure(1.0)


def test_failed_scores_do_not_lower_a_system(subtests):
    for variant in VARIANTS:
        for judge, recall, support, figures in [
            (
                "alce",
                "citation_recall",
                "citation_support",
                ["citation_recall", "citation_precision"],
            ),
            ("aliice", "claim_recall", "claim_support", ["aliice_recall", "aliice_precision"]),
        ]:
            with subtests.test(variant=variant, judge=judge):
                why = f"{FAILED}: too long"
                items = [item("Rain [1]. Snow [1].", ["Rain."], key=key) for key in "123"]
                verdicts = [
                    # Nothing is wrong.
                    Verdict("1", "a", recall, "yes"),
                    Verdict("1", "a.c1", support, "needed"),
                    # One text of two has no answer.
                    Verdict("2", "a", recall, "yes"),
                    Verdict("2", "a.c1", support, "needed"),
                    Verdict("2", "b", recall, reason=why),
                    Verdict("2", "b.c1", support, reason=why),
                    # One citation of a text that was answered has none.
                    Verdict("3", "a", recall, "no"),
                    Verdict("3", "a.c1", support, reason=why),
                ]
                found = summarise(judge, items, verdicts, variant=variant)
                recalls, precisions = ([each[key] for each in found.per_item] for key in figures)
                assert recalls == [Figure(1.0), undefined(why), Figure(0.0)]
                assert precisions == [Figure(1.0), undefined(why), undefined(why)]
                assert [found.aggregate[key] for key in figures] == [Figure(0.5), Figure(1.0)]
