"""The forms of tools, and the tools of a study."""

from typing import Any, cast

from django import forms

from annotate.access import Access
from annotate.formats.limits import NAME_CHARS
from annotate.formats.problems import Unreadable
from annotate.formats.qrels import parse_qrels
from annotate.models import System
from evaluation.claims.parsing import SMALL
from evaluation.generating import tool_jobs
from evaluation.generating.forms.corpora import MOST_FOUND
from evaluation.generating.new_systems import WAYS
from evaluation.generating.retrieval_numbers import KS
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.claims import MANY
from evaluation.language_models.asking.server_apis import MODES
from evaluation.language_models.connections import allowed_models, help_without, parsers, usable
from evaluation.language_models.forms.budgets import BudgetField
from evaluation.models import Corpus
from evaluation.runs.forms.runs import OptionsField, ScorerForm, scorer_choices
from evaluation.runs.making import Tool
from evaluation.runs.parsed_claims import remembered_parser

SCORER_FIELDS = ("scorer", "connection", "model", "threshold", "variant", "cap", "options")

MOST_CLAIMS = 50
MOST_QRELS = 5_000_000
"""The maximum number of characters of relevant passages."""

BY = {"recall": "has the best citation recall", "probability": "has the highest probability"}


class PostEditForm(ScorerForm):
    """The system to edit, the way of editing and the scorer."""

    system = forms.ModelChoiceField(
        queryset=System.objects.none(),
        to_field_name="name",
        empty_label="Choose one",
        help_text="This system does not change.",
    )
    way = forms.ChoiceField(label="Method", choices=list(WAYS.items()))
    name = forms.CharField(label="Name of the new system", max_length=NAME_CHARS)
    by = forms.ChoiceField(
        label="Keep the sample that",
        choices=list(BY.items()),
        initial="recall",
        required=False,
        help_text="For samples. The scorer computes recall.",
    )
    encoder = forms.CharField(
        label="Folder of a sentence encoder",
        required=False,
        max_length=500,
        help_text="For citing. Empty: BM25, by words.",
    )

    groups = (
        ("The new system", ("system", "way", "name", "by", "encoder")),
        ("Scorer, where entailment decides", SCORER_FIELDS),
    )

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(access, *args, **kwargs)
        systems = cast("forms.ModelChoiceField[System]", self.fields["system"])
        systems.queryset = System.objects.loaded().filter(study=access.study).order_by("name")
        encoder = self.fields["encoder"]
        encoder.help_text = f"{encoder.help_text} {allowed_models()}"

    def settings(self) -> JudgeSettings:
        return JudgeSettings(judge="alce", **self._scorer())

    def _scorer(self) -> dict[str, Any]:
        given = self.cleaned_data
        chosen = {name: given[name] for name in SCORER_FIELDS}
        return {**chosen, "model": given["model"].strip() or None}

    def kept(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            "system": given["system"].name,
            "way": given["way"],
            "name": given["name"].strip(),
            "by": given["by"] or "recall",
            "encoder": given["encoder"].strip() if given["way"] == "postcite" else "",
            "scorer": self._scorer(),
        }


class ClaimsForm(forms.Form):
    """The parser that divides statements into claims."""

    parser = forms.CharField(required=False, max_length=500)
    remake = forms.BooleanField(
        label="Redo claims made by another parser",
        required=False,
        help_text="Refused if judges or raters answered about them. Without a parser above, the "
        "study's parser is also reset.",
    )

    groups = (("Claims", ("parser", "remake")),)

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        present = remembered_parser(access.study)
        usual = f"the study's own, {present}" if present else f"{SMALL}, or the site's"
        self.fields["parser"].help_text = f"One of {', '.join(parsers())}. Empty: {usual}."

    def kept(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {"parser": given["parser"].strip(), "remake": given["remake"]}


class RetrievalForm(forms.Form):
    """The corpus to search, and its relevant passages."""

    corpus = forms.ChoiceField(
        required=False,
        help_text="Searched for each question. None: only passages that systems had.",
    )
    ranked = forms.BooleanField(
        label="Use the passages uploaded with the questions",
        required=False,
        help_text="Instead of a corpus.",
    )
    ks = forms.CharField(
        label="Numbers of passages (k)",
        required=False,
        max_length=200,
        initial=" ".join(map(str, KS)),
        help_text="Whole numbers, such as 1 5 20.",
    )
    qrels = forms.CharField(
        label="Relevant passages",
        required=False,
        strip=False,
        max_length=MOST_QRELS,
        widget=forms.Textarea(attrs={"rows": 4, "class": "code"}),
        help_text="Lines of TREC's qrels (question 0 passage grade) or of BEIR's (question "
        "passage grade). Empty: none.",
    )

    scorer = forms.ChoiceField(
        label="Entailment scorer of claims",
        required=False,
        choices=lambda: [("", "none"), *scorer_choices(outside=False)],
        help_text="Asked of each passage and claim, where references name claims instead of "
        "answers: some 300 pairs a question.",
    )
    scorer_model = forms.CharField(label="Its model", required=False, max_length=500)

    groups = (("Retrieval", ("corpus", "ranked", "ks", "qrels", "scorer", "scorer_model")),)

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        corpus = cast("forms.ChoiceField", self.fields["corpus"])
        corpus.choices = [("", "none"), *_ready_corpora(access)]

    def clean_ks(self) -> list[int]:
        words = self.cleaned_data["ks"].replace(",", " ").split()
        if not all(w.isascii() and w.isdigit() and 0 < len(w) < 5 and int(w) for w in words):
            raise forms.ValidationError("Expected whole numbers from 1 to 9,999.")
        return sorted({int(word) for word in words}) or list(KS)

    def clean_qrels(self) -> str:
        given = str(self.cleaned_data["qrels"])
        try:
            parse_qrels(given.splitlines())
        except Unreadable as refusal:
            raise forms.ValidationError(str(refusal.problem)) from None
        return given

    def clean(self) -> None:
        given = self.cleaned_data
        if given.get("corpus") and given.get("ranked"):
            self.add_error("ranked", "Passages are those of a corpus, or those of the questions.")
        if given.get("qrels") and not (given.get("corpus") or given.get("ranked")):
            self.add_error("qrels", "Relevant passages are those of a corpus: choose one.")

    def kept(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.groups[0][1]}


class CorpusSearchForm(forms.Form):
    """A corpus and a query."""

    corpus = forms.ChoiceField()
    query = forms.CharField(
        label="Search for", max_length=2_000, widget=forms.Textarea(attrs={"rows": 2})
    )
    k = forms.IntegerField(label="Number of results", initial=5, min_value=1, max_value=MOST_FOUND)

    groups = (("Search", ("corpus", "query", "k")),)

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        corpus = cast("forms.ChoiceField", self.fields["corpus"])
        corpus.choices = [("", "Choose one"), *_ready_corpora(access)]

    def kept(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("corpus", "query", "k")}


def _ready_corpora(access: Access) -> list[tuple[str, str]]:
    """Return the corpora that can be searched, as choices."""
    ready = Corpus.objects.filter(study=access.study, state=Corpus.State.READY)
    return [(name, name) for name in ready.order_by("name").values_list("name", flat=True)]


class LanguageModelForm(forms.Form):
    """The language model to ask, and its budget."""

    model_connection = forms.ChoiceField(
        label="Connection", help_text="How Attest reaches the model."
    )
    asking = OptionsField(
        label="Other options",
        required=False,
        help_text="One per line, such as at_once=8 or most_tokens=1000.",
    )
    budget = BudgetField("this stops, and goes on with a higher one")

    def offer_models(self, access: Access) -> None:
        """Offer the connections that the user may use in this study."""
        field = cast("forms.ChoiceField", self.fields["model_connection"])
        names = usable(access.study, access.user).filter(mode__in=MODES)
        known = list(names.values_list("name", flat=True).distinct())
        none = [] if field.required else [("", "none")]
        field.choices = [*none, *((name, name) for name in known)]
        if not known:
            field.help_text = help_without(access.user)

    def model_options(self) -> dict[str, Any]:
        """Return the options of the model as a job stores them."""
        given = self.cleaned_data
        budget = given["budget"]
        return {
            "connection": given["model_connection"],
            "asking": given["asking"],
            "budget": None if budget is None else str(budget),
        }


MODEL_FIELDS = ("model_connection", "asking", "budget")


class ReferenceClaimsForm(LanguageModelForm):
    """The model that writes claims of references, and the maximum for each."""

    many = forms.IntegerField(
        label="Maximum claims per reference",
        initial=MANY,
        min_value=1,
        max_value=MOST_CLAIMS,
    )

    groups = (("Claims", ("many",)), ("Model", MODEL_FIELDS))

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer_models(access)

    def kept(self) -> dict[str, Any]:
        return {"many": self.cleaned_data["many"], **self.model_options()}


class ClaimErrorsForm(LanguageModelForm, ScorerForm):
    """The scorer of claims, and the model that rewrites them."""

    everything = forms.BooleanField(
        label="Also rewrite sound claims",
        required=False,
        help_text="If off, only claims without a verb or subject. Whole sentences never change.",
    )

    groups = (
        ("Scorer", ("scorer", "connection", "model", "threshold", "options")),
        ("Model that rewrites claims", ("everything", *MODEL_FIELDS)),
    )

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(access, *args, **kwargs)
        for name in ("variant", "cap"):
            del self.fields[name]
        field = self.fields["model_connection"]
        field.required, field.help_text = False, "None: no claim is rewritten."
        self.offer_models(access)

    def settings(self) -> JudgeSettings:
        return JudgeSettings(judge="aliice", **self._scorer())

    def _scorer(self) -> dict[str, Any]:
        given = self.cleaned_data
        names = ("scorer", "connection", "threshold", "options")
        chosen = {name: given[name] for name in names}
        return {**chosen, "model": given["model"].strip() or None}

    def kept(self) -> dict[str, Any]:
        chosen = {"scorer": self._scorer(), "everything": self.cleaned_data["everything"]}
        return {**chosen, **self.model_options()}


Tool(
    key="post-edit",
    title="Post-edit a system",
    about="A new system out of an old one: the best of several samples, citations added "
    "afterwards, or passages in another order. Raters and judges can then compare the two.",
    document="postediting",
    form=PostEditForm,
    make=tool_jobs.make_system,
    page="system",
    leads_to_row=True,
    queue=tool_jobs.queue_of_system,
    take_back=tool_jobs.discard_system,
)
Tool(
    key="claims",
    title="Make claims",
    about="Every cited statement divided into atomic claims, each with its citations, for judges "
    "and raters who are asked about claims. Responses that have theirs keep them.",
    document="claims",
    form=ClaimsForm,
    make=tool_jobs.make_study_claims,
    page="responses",
    queue=tool_jobs.queue_of_claims,
)
Tool(
    key="reference-claims",
    title="Make claims of references",
    about="A language model writes the claims of each long reference answer that has none, so that "
    "answers can be judged by them (claim recall). People then check whether the claims hold, and "
    "whether they cover the reference.",
    document="claims#claims-of-references",
    form=ReferenceClaimsForm,
    make=tool_jobs.make_reference_claims,
    page="questions",
    asks=tool_jobs.model_settings,
    queue=tool_jobs.queue_of_references,
    take_back=tool_jobs.discard_references,
)
Tool(
    key="claim-errors",
    title="Analyse claims",
    about="How well statements were divided into atomic claims, and whether it matters: the "
    "support of each kind, and the decisions that change when a language model rewrites a "
    "claim as a full sentence.",
    document="claims#whether-it-matters",
    form=ClaimErrorsForm,
    make=tool_jobs.make_claim_errors,
    asks=tool_jobs.model_settings,
    queue=tool_jobs.queue_of_claim_errors,
)
Tool(
    key="retrieval",
    title="Measure retrieval",
    about="How many answers and relevant passages a corpus has for the study's questions. How "
    "correct and well cited answers are, by the number and quality of their passages. Which share "
    "of errors retrieval explains.",
    document="corpora#how-good-retrieval-is",
    form=RetrievalForm,
    make=tool_jobs.make_retrieval_numbers,
    queue=tool_jobs.queue_of_search,
)
Tool(
    key="search",
    title="Search a corpus",
    about="What a corpus finds for a text with its own method, including search by meaning and "
    "external search engines.",
    document="corpora#searching",
    form=CorpusSearchForm,
    make=tool_jobs.make_search,
    queue=tool_jobs.queue_of_search,
)
