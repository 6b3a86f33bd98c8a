"""What automatic judges leave behind, and how their work stands."""

from evaluation.models.agreements import BatchAgreement, RaterDrift
from evaluation.models.batches import ModelBatch
from evaluation.models.calls import ModelCall, ServerPace
from evaluation.models.comparisons import ReportComparison
from evaluation.models.connections import Connection
from evaluation.models.corpora import Corpus, CorpusFile
from evaluation.models.families import SystemFamily
from evaluation.models.generations import Generation
from evaluation.models.juries import Jury, JuryMember
from evaluation.models.makings import Making
from evaluation.models.prompts import StudyPrompt
from evaluation.models.reports import Report, ReportChart
from evaluation.models.runs import Run, Shard
from evaluation.models.sharing import ReportLink
from evaluation.models.trained import TrainedOn, TrainedScorer
from evaluation.models.verdicts import (
    ClaimDivision,
    Entailment,
    EntailmentScorer,
    Measure,
    PairShown,
)
