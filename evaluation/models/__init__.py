"""Tables of runs, generations, jobs of tools, reports, and what automatic judges produce."""

from evaluation.models.agreements import BatchAgreement, RaterDrift
from evaluation.models.calls import ModelBatch, ModelCall, ServerPace
from evaluation.models.connections import Connection
from evaluation.models.corpora import Corpus, CorpusFile
from evaluation.models.jobs import Generation, Making
from evaluation.models.judges import (
    Jury,
    JuryMember,
    StudyPrompt,
    SystemFamily,
    TrainedOn,
    TrainedScorer,
)
from evaluation.models.reports import Report, ReportChart, ReportComparison, ReportLink
from evaluation.models.runs import Run, Shard
from evaluation.models.verdicts import (
    ClaimDivision,
    Entailment,
    EntailmentScorer,
    Measure,
    PairShown,
)
