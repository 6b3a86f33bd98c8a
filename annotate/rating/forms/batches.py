"""Forms for a new batch, and for changing one."""

from typing import Any, TypeVar

from django import forms
from django.conf import settings
from django.db.models import QuerySet

from annotate.content.questions import slice_choices
from annotate.models import Batch, Judge, Response, Study, System
from annotate.rating.batches import GOLD_KINDS, MOST, BatchTerms, Selection, default_dimensions

Kind = TypeVar("Kind", bound=forms.Field)

QUESTIONS = [
    ("all", "All of them"),
    ("sample", "A random sample of them"),
    ("list", "Listed answers"),
]

ORDERS = [
    (Batch.Order.SHUFFLE, "Shuffled, differently for every rater"),
    (Batch.Order.TOGETHER, "All answers to a question one after the other"),
]

LARGEST_SEED = 2_147_483_647


class IdsField(forms.CharField):
    """Question ids, one per line."""

    widget = forms.Textarea(attrs={"rows": 4, "class": "code"})

    def clean(self, value: Any) -> tuple[str, ...]:
        lines = (line.strip() for line in super().clean(value).splitlines())
        return tuple(dict.fromkeys(line for line in lines if line))


class BatchTermsForm(forms.Form):
    """The terms of a batch that is not closed. An empty number means its default."""

    name = forms.CharField(max_length=200, help_text="Raters see it.")
    raters_per_item = forms.IntegerField(
        label="Ratings per task",
        min_value=1,
        max_value=MOST["raters"],
        help_text="Each rating is by a different rater.",
    )
    tasks_per_rater = forms.IntegerField(
        label="Maximum tasks per rater",
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text="Empty: no limit.",
    )
    lease_minutes = forms.IntegerField(
        label="Task timeout (minutes)",
        min_value=1,
        max_value=MOST["minutes"],
        help_text="After this many minutes without an answer, the task goes to another rater.",
    )
    audience = forms.ChoiceField(
        label="Who may rate",
        choices=Batch.Audience.choices,
        widget=forms.RadioSelect,
        initial=Batch.Audience.MEMBERS,
    )
    qualification = forms.ModelChoiceField(
        label="Required practice",
        queryset=Batch.objects.none(),
        required=False,
        empty_label="None",
        help_text="Raters must pass it before they start this batch.",
    )
    gold_percent = forms.IntegerField(
        label="Gold tasks (percent)",
        min_value=0,
        max_value=50,
        required=False,
        help_text="Mixed in at random. Raters cannot recognise them.",
    )
    gold_mark = forms.IntegerField(
        label="Pause raters below (percent)",
        min_value=0,
        max_value=100,
        required=False,
        help_text="Share of gold tasks answered correctly. Empty: nobody is paused.",
    )
    gold_least = forms.IntegerField(
        label="Gold answers before a rater can be paused",
        min_value=1,
        max_value=1_000,
        required=False,
    )
    pass_mark = forms.IntegerField(
        label="Pass mark (percent correct)", min_value=1, max_value=100, required=False
    )
    max_rounds = forms.IntegerField(
        label="Maximum attempts",
        min_value=1,
        max_value=1_000,
        required=False,
        help_text="Empty: no limit.",
    )
    consent = forms.CharField(
        label="Consent text",
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Shown first to people who use the link. They must agree before they start.",
    )
    completion_code = forms.CharField(
        label="Completion code",
        required=False,
        max_length=100,
        help_text="Shown at the end, to be entered on the platform.",
    )
    completion_url = forms.URLField(
        label="Completion URL",
        required=False,
        max_length=500,
        assume_scheme="https",
        help_text="Where raters go at the end. Prolific shows you this URL.",
    )

    screen_out_code = forms.CharField(
        label="Screen-out code",
        required=False,
        max_length=100,
        help_text="Shown to people who do not pass the practice. Empty: they are asked to return "
        "the submission.",
    )
    screen_out_url = forms.URLField(
        label="Screen-out URL",
        required=False,
        max_length=500,
        assume_scheme="https",
        help_text="Where these people go on the platform.",
    )
    pay_per_hour = forms.DecimalField(
        label="Pay per hour",
        required=False,
        min_value=0.01,
        max_digits=8,
        decimal_places=2,
        help_text="Used to compute pay on the page Participants. Empty: no pay is shown.",
    )
    pay_currency = forms.RegexField(
        r"^[A-Za-z]{3}$",
        label="Currency",
        required=False,
        help_text="Three letters, such as GBP.",
        error_messages={"invalid": "Three letters, such as GBP, EUR or USD."},
    )
    fixes_first = forms.BooleanField(
        label="Lock answers once passages are shown",
        required=False,
        help_text="Raters see a note before they answer.",
    )
    proposes_support = forms.BooleanField(
        label="Pre-fill citation support when a statement has one passage",
        required=False,
        help_text="Raters confirm or change the answer. This is faster and may bias them.",
    )
    shows_gold_share = forms.BooleanField(
        label="Show raters how many gold tasks they got right",
        required=False,
        help_text="One percentage for all gold tasks, on the page of their own work.",
    )

    GROUPS = {
        "crowd": (
            "consent",
            "completion_code",
            "completion_url",
            "screen_out_code",
            "screen_out_url",
            "pay_per_hour",
            "pay_currency",
        ),
        "desk": ("fixes_first", "proposes_support"),
        "how_many": ("raters_per_item", "tasks_per_rater", "lease_minutes"),
        "gold_terms": ("gold_percent", "gold_mark", "gold_least", "shows_gold_share"),
        "practice_terms": ("pass_mark", "max_rounds"),
    }

    def __init__(self, study: Study, *args: Any, batch: Batch | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study, self.batch = study, batch
        self._field("qualification", forms.ModelChoiceField).queryset = study.batches.practice()
        defaults = {
            "raters_per_item": study.raters_per_unit,
            "lease_minutes": settings.ATTEST_LEASE_MINUTES,
            "gold_least": 5,
            "pass_mark": 80,
        }
        for name in BatchTerms.__annotations__:
            if batch is not None:
                self.fields[name].initial = getattr(batch, name)
            elif name in defaults:
                self.fields[name].initial = defaults[name]

    def _field(self, name: str, kind: type[Kind]) -> Kind:
        field = self.fields[name]
        assert isinstance(field, kind)
        return field

    def clean(self) -> dict[str, Any]:
        """Replace empty numbers with zero or their initial value."""
        given = super().clean() or self.cleaned_data
        for name in ("gold_percent", "gold_mark"):
            given[name] = given.get(name) or 0
        for name in ("gold_least", "pass_mark"):
            given[name] = given.get(name) or self.fields[name].initial
        given["pay_currency"] = (given.get("pay_currency") or "").upper()
        return given

    def terms(self) -> BatchTerms:
        """Return the terms. Fields that the form hides are ignored."""
        found: Any = {name: self.cleaned_data[name] for name in BatchTerms.__annotations__}
        if self.is_practice:
            found |= {"qualification": None, "gold_percent": 0, "gold_mark": 0}
        terms: BatchTerms = found
        return terms

    @property
    def is_practice(self) -> bool:
        return self.batch is not None and self.batch.is_practice

    @property
    def groups(self) -> dict[str, list[forms.BoundField]]:
        """The fields by their group on the page."""
        return {group: [self[name] for name in names] for group, names in self.GROUPS.items()}


ALWAYS_SHOWN = frozenset(
    ["name", "systems", "questions", "sample_size", "listed", "raters_per_item", "audience"]
)
"""Fields of a new batch outside More options."""


class NewBatchForm(BatchTermsForm):
    """All fields of a new batch."""

    purpose = forms.ChoiceField(
        label="Purpose",
        choices=Batch.Purpose.choices,
        widget=forms.RadioSelect,
        initial=Batch.Purpose.WORK,
    )
    dimensions = forms.MultipleChoiceField(
        label="Dimensions asked", widget=forms.CheckboxSelectMultiple
    )
    systems = forms.MultipleChoiceField(
        label="Systems",
        widget=forms.CheckboxSelectMultiple,
        help_text="All get the same questions, so that you can compare them.",
    )
    questions = forms.ChoiceField(
        label="Which questions",
        choices=QUESTIONS,
        widget=forms.RadioSelect,
        initial="all",
    )
    design = forms.ChoiceField(
        label="Which responses to include",
        choices=[
            ("every", "Only questions answered by every selected system"),
            ("any", "Any response, equally many of each system"),
        ],
        widget=forms.RadioSelect,
        required=False,
        initial="every",
        help_text="If systems answered different questions, include any response. Systems "
        "without shared questions are not ranked together.",
    )
    slices = forms.MultipleChoiceField(
        label="Slices",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: all questions. With two keys, only questions in both.",
    )
    sample_size = forms.IntegerField(
        label="Sample size",
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text="Number of questions. If you include any response, number of responses.",
    )
    pairs = forms.IntegerField(
        label="Pairs per question",
        min_value=1,
        max_value=10_000,
        required=False,
        help_text="For comparisons of two answers. Pairs are drawn so that all systems meet "
        "equally often. Empty: all pairs.",
    )
    listed = IdsField(label="Question ids", required=False, help_text="One per line.")
    left_out = IdsField(
        label="Exclude questions", required=False, help_text="Question ids, one per line."
    )
    apart_from = forms.ModelMultipleChoiceField(
        label="Exclude responses of these batches",
        queryset=Batch.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    positional = forms.BooleanField(
        label="Only responses with positional fine-grained citations",
        required=False,
        help_text="A mark inside a sentence, or two groups of marks in one sentence. Some systems "
        "may then miss a question.",
    )
    claims_from = forms.ChoiceField(
        label="Raters who write claims start from",
        choices=Batch.ClaimsFrom.choices,
        widget=forms.RadioSelect,
        required=False,
        initial=Batch.ClaimsFrom.NOTHING,
        help_text="Claims that start from a proposal are not independent of the parser.",
    )
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="The same seed draws the same sample in the same order.",
    )
    granularity = forms.ChoiceField(
        label="Task size",
        choices=Batch.Granularity.choices,
        widget=forms.RadioSelect,
        initial=Batch.Granularity.RESPONSE,
    )
    order = forms.ChoiceField(
        label="Order",
        choices=ORDERS,
        widget=forms.RadioSelect,
        initial=Batch.Order.SHUFFLE,
    )
    gold = forms.ModelChoiceField(
        label="Source of gold answers",
        queryset=Judge.objects.none(),
        required=False,
        empty_label="None",
        help_text="Reference labels or adjudicated answers. You can also write them after you "
        "create the batch.",
    )
    gold_count = forms.IntegerField(
        label="Number of gold questions",
        min_value=1,
        max_value=100_000,
        required=False,
        help_text="Drawn from questions with known answers. They are used only as gold.",
    )
    gold_listed = IdsField(label="Or gold question ids", required=False, help_text="One per line.")

    field_order = ("name", "purpose")

    @property
    def has_more(self) -> bool:
        """Whether anything under More options has changed."""
        hidden = {*self.changed_data} - ALWAYS_SHOWN - {*self.GROUPS["crowd"]}
        return self.is_bound and bool(hidden)

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(study, *args, **kwargs)
        dimensions = self._field("dimensions", forms.MultipleChoiceField)
        dimensions.choices = [(d.key, f"{d.title} — {d.question}") for d in study.dimension_list]
        dimensions.initial = default_dimensions(study)
        if study.compares_pairs:
            self.fields["granularity"].help_text = "Two compared answers are one task."
        else:
            del self.fields["pairs"]
        systems = self._field("systems", forms.MultipleChoiceField)
        systems.choices = [(str(each.pk), each.title) for each in with_responses(study)]
        systems.initial = [pk for pk, _ in systems.choices]
        self.has_systems = bool(systems.initial)
        slices = self._field("slices", forms.MultipleChoiceField)
        slices.choices = slice_choices(study)
        if not slices.choices:
            del self.fields["slices"]
        batches = study.batches.order_by("pk")
        self._field("apart_from", forms.ModelMultipleChoiceField).queryset = batches
        self._field("gold", forms.ModelChoiceField).queryset = study.judges.filter(
            kind__in=GOLD_KINDS
        )
        self.fields["positional"].initial = study.writes_claims
        self.fields["seed"].initial = study.seed + batches.count() + 1

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        if given.get("questions") == "sample" and not given.get("sample_size"):
            self._miss("sample_size", "Enter the sample size.")
        if given.get("questions") == "list" and not given.get("listed"):
            self._miss("listed", "List at least one question.")
        return given

    def clean_claims_from(self) -> str:
        return self.cleaned_data["claims_from"] or Batch.ClaimsFrom.NOTHING

    def _miss(self, name: str, text: str) -> None:
        if name not in self.errors:
            self.add_error(name, text)

    @property
    def is_practice(self) -> bool:
        given: dict[str, Any] = getattr(self, "cleaned_data", {})
        return given.get("purpose") == Batch.Purpose.PRACTICE

    def selection(self) -> Selection:
        """Return the selection. Fields of other kinds of selection are ignored."""
        given = self.cleaned_data
        kind = given["questions"]
        has_gold = not self.is_practice
        return Selection(
            systems=tuple(int(pk) for pk in given["systems"]),
            questions=kind,
            sample_size=given["sample_size"] if kind == "sample" else 0,
            seed=given["seed"],
            listed=given["listed"] if kind == "list" else (),
            left_out=given["left_out"],
            apart_from=tuple(batch.pk for batch in given["apart_from"]),
            gold_listed=given["gold_listed"] if has_gold else (),
            gold_count=(given["gold_count"] or 0) if has_gold else 0,
            positional=given["positional"],
            slices=tuple(given.get("slices") or ()),
            any_answer=given["design"] == "any",
            pairs=given.get("pairs") or 0,
        )

    def for_preview(self) -> dict[str, Any]:
        """Return the arguments of `preview` besides the selection."""
        names = ("purpose", "dimensions", "granularity", "raters_per_item", "gold")
        return {name: self.cleaned_data[name] for name in names}

    def for_creation(self) -> dict[str, Any]:
        """Return the arguments of `create_batch` besides the selection."""
        names = ("purpose", "dimensions", "granularity", "claims_from", "order", "seed", "gold")
        return {name: self.cleaned_data[name] for name in names} | dict(self.terms())


def with_responses(study: Study) -> "QuerySet[System]":
    current = Response.objects.current().filter(study=study)
    rows = System.objects.loaded().filter(study=study, pk__in=current.values("system"))
    return rows.order_by("name")
