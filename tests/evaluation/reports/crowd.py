"""A study at the size of a crowd: 16 systems of long names, 60 raters, 3 data sets, 4 judges."""

from functools import cache
from itertools import product

from evaluation.reports.build import build
from evaluation.reports.data import ReportData
from evaluation.reports.filters import Filters
from evaluation.reports.shape.report import Report
from tests.evaluation.reports.studies import ALCE, AUTOAIS, CORRECTNESS, Invented, described, study

SYSTEMS = tuple(
    f"asqa-{model}-{retriever}-shot2-ndoc5-{way}"
    for model, retriever, way in product(
        ("gpt-35-turbo-0301", "llama-2-13b-chat"),
        ("gtr", "bm25"),
        ("default", "default-rerank", "extraction", "interactive-search"),
    )
)
RATERS = tuple(f"worker-{number:02}" for number in range(1, 61))
DATA_SETS = ("asqa", "eli5", "qampari")
SECOND = "autoais|scorer:google-t5_xxl_true_nli_mixture|rev:1|prompt:true|thr:0.5|v:1"


def crowd(questions: int = 8) -> ReportData:
    """So many questions of each data set, each answer rated by three of the raters."""
    invented = Invented(list(RATERS), 3, 11)
    for place, system in enumerate(SYSTEMS):
        for data_set in DATA_SETS:
            for number in range(1, questions + 1):
                good = 0.35 + 0.5 * place / len(SYSTEMS)
                invented.response(f"{system}/{data_set}-{number:02}", good, in_batch=False)
    for unit, verdicts in invented.automatic["attributable"].items():
        truth = invented.votes["attributable"].get(unit, {}).values()
        verdicts[SECOND] = invented.scored(list(truth).count("yes") > 1)
    made = study(
        votes=invented.votes,
        automatic=invented.automatic,
        measures={CORRECTNESS: invented.measured},
        systems=SYSTEMS,
        name="A crowd",
        seed=7,
    )
    facets = {question: {"dataset": question.rpartition("-")[0]} for question in made.questions}
    return described(made, facets)


@cache
def crowd_report() -> Report:
    return build(crowd(), Filters(resamples=50))


JUDGES = (ALCE, AUTOAIS, CORRECTNESS, SECOND)
