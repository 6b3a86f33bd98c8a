"""Questions, systems, responses with their notes, passages, and units."""

from collections.abc import Collection, Iterable
from functools import reduce
from operator import or_

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.fields.json import KeyTransform
from django.utils import timezone

from annotate.models.deleting import Deletable, Kept
from annotate.models.study import Study
from annotate.models.upload import Upload
from annotate.protocol.dimensions import UnitKind
from annotate.protocol.slices import facets, stored_values, values_by_key


class QuestionQuerySet(models.QuerySet["Question"]):
    def listed(self) -> "QuestionQuerySet":
        """Keep questions that a file lists. They stay even without responses."""
        return self.filter(listed_upload__isnull=False)

    def within(self, slices: Iterable[str]) -> "QuestionQuerySet":
        """Keep questions in one of the slices of each key."""
        rows = self
        for place, (key, values) in enumerate(values_by_key(slices).items()):
            name = f"value_{place}"
            wanted = [Q(**{name: one}) for text in sorted(values) for one in stored_values(text)]
            known = rows.alias(**{name: KeyTransform(key, "metadata")})
            rows = known.filter(reduce(or_, wanted))
        return rows


class Question(models.Model):
    """A question that several systems answer.

    Its external id matches their responses. Its metadata make the slices of the study and do not
    identify it.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="questions")
    external_id = models.CharField(max_length=200)
    text = models.TextField()
    language = models.CharField(max_length=35, blank=True)
    references = models.JSONField(default=dict)
    metadata = models.JSONField(default=dict)
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="+")
    references_upload = models.ForeignKey(
        Upload, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    """The file of its references, if it is not the question's."""

    listed_upload = models.ForeignKey(
        Upload, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    """The file that lists it independently of responses."""

    objects = QuestionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "external_id"], name="question_id_unique"),
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def slices(self) -> list[str]:
        """The slices that contain it."""
        return [f"{key}={value}" for key, value in facets(self.metadata).items()]


def in_slices(study: Study, slices: Collection[str], question: str = "question") -> Q:
    """Return the condition that a row's question is in these slices (all rows without slices)."""
    if not slices:
        return Q()
    return Q(**{f"{question}__in": Question.objects.filter(study=study).within(slices)})


class SystemQuerySet(models.QuerySet["System"]):
    def loaded(self) -> "SystemQuerySet":
        """Keep visible systems, not those of an upload that is still being loaded."""
        return self.filter(Q(upload__isnull=True) | Q(upload__published_at__isnull=False))


class System(Deletable):
    """A system that answers questions."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="systems")
    name = models.CharField(max_length=200)
    """The name in files, by which a file that is loaded again finds it."""

    display_name = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="How pages, reports and charts call it; nothing else changes. Empty: its name.",
    )
    description = models.TextField(blank=True)
    uses_autoais = models.BooleanField(
        "used AutoAIS as a component",
        default=False,
        help_text="Its automatic score is then never shown nor correlated.",
    )
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="+")

    objects = Kept.from_queryset(SystemQuerySet)()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"],
                condition=Q(deleted_at__isnull=True),
                name="system_name_unique",
            ),
            models.UniqueConstraint(
                fields=["study", "display_name"],
                condition=Q(deleted_at__isnull=True) & ~Q(display_name=""),
                name="system_display_name_unique",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        return self.display_name or self.name


class ResponseQuerySet(models.QuerySet["Response"]):
    def current(self) -> "ResponseQuerySet":
        """Keep responses that count: loaded completely, and not replaced by a later upload."""
        return self.filter(live=True, upload__published_at__isnull=False)


class Response(models.Model):
    """One system's answer to one question in one run. The raw text is kept untouched.

    `live` is true if the response counts, and null if it was replaced or will replace another one;
    a unique constraint applies to the counting ones. `citations` are spans from the file.
    """

    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="responses", db_index=False
    )
    system = models.ForeignKey(
        System, on_delete=models.CASCADE, related_name="responses", db_index=False
    )
    question = models.ForeignKey(
        Question, on_delete=models.CASCADE, related_name="responses", db_index=False
    )
    run = models.CharField(max_length=100, blank=True)
    text = models.TextField(blank=True)
    is_list = models.BooleanField(default=False)
    citations = models.JSONField(default=list)
    metadata = models.JSONField(default=dict)
    digest = models.CharField(max_length=32)
    segmentation = models.CharField(max_length=200, blank=True)
    was_cut = models.BooleanField(default=False)
    statement_count = models.PositiveIntegerField(default=0)
    citation_count = models.PositiveIntegerField(default=0)
    uncited_count = models.PositiveIntegerField(default=0)
    out_of_range_count = models.PositiveIntegerField(default=0)
    positional = models.BooleanField(default=False)
    live = models.BooleanField(null=True, default=True)
    replaced_at = models.DateTimeField(null=True)
    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="responses")
    created_at = models.DateTimeField(default=timezone.now)

    objects = ResponseQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["study", "id"], name="response_study"),
            models.Index(fields=["system", "id"], name="response_system"),
            models.Index(fields=["question"], name="response_question"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["system", "question", "run"],
                condition=Q(live=True),
                name="response_unique",
            ),
            models.CheckConstraint(
                condition=Q(live__isnull=True) | Q(live=True), name="response_live_or_null"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system} on {self.question}"


class Passage(models.Model):
    """A text that responses cite, stored once per study."""

    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, related_name="passages", db_index=False
    )
    digest = models.CharField(max_length=32)
    title = models.TextField(blank=True)
    text = models.TextField(blank=True)
    upload = models.ForeignKey(
        Upload, on_delete=models.SET_NULL, null=True, related_name="passages"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "digest"], name="passage_unique"),
        ]

    def __str__(self) -> str:
        return self.title or self.text[:60]


class _Numbered(models.Model):
    """Passage number n of something, as its file names it."""

    n = models.PositiveIntegerField()
    external_id = models.CharField(max_length=500, blank=True)
    url = models.TextField(blank=True)
    published = models.CharField(max_length=200, blank=True)
    retrieved = models.CharField(max_length=200, blank=True)
    page = models.CharField(max_length=200, blank=True)
    metadata = models.JSONField(default=dict)

    class Meta:
        abstract = True
        ordering = ["n"]

    def __str__(self) -> str:
        return f"[{self.n}]"


class Source(_Numbered):
    """Passage number n of one response."""

    response = models.ForeignKey(
        Response, on_delete=models.CASCADE, related_name="sources", db_index=False
    )
    passage = models.ForeignKey(Passage, on_delete=models.RESTRICT, related_name="sources")

    class Meta(_Numbered.Meta):
        constraints = [
            models.UniqueConstraint(fields=["response", "n"], name="source_number_unique"),
            models.CheckConstraint(condition=Q(n__gte=1), name="source_number_from_one"),
        ]


class CandidateQuerySet(models.QuerySet["Candidate"]):
    def current(self) -> "CandidateQuerySet":
        """Keep candidates of the loaded file that lists their question."""
        return self.filter(upload=F("question__listed_upload"))


class Candidate(_Numbered):
    """Passage number n of a ranking for a question, independent of systems."""

    question = models.ForeignKey(
        Question, on_delete=models.CASCADE, related_name="candidates", db_index=False
    )
    passage = models.ForeignKey(Passage, on_delete=models.RESTRICT, related_name="candidates")
    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="+")

    objects = CandidateQuerySet.as_manager()

    class Meta(_Numbered.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["question", "upload", "n"], name="candidate_number_unique"
            ),
            models.CheckConstraint(condition=Q(n__gte=1), name="candidate_number_from_one"),
        ]


class UnitQuerySet(models.QuerySet["Unit"]):
    def standing(self) -> "UnitQuerySet":
        """Keep current units, without retired pairs and claims of references."""
        return self.filter(retired_at__isnull=True)


_KINDS = [kind.value for kind in UnitKind]


class Unit(models.Model):
    """Anything that can be judged.

    `start` and `end` count code points of the cleaned answer, which is the text of the response's
    unit `r`. The span of `r` itself is within the raw output.

    A pair is a unit of the response whose system's name comes first; `other` is the response that
    it is compared with. A unit is retired when a pair's other response no longer counts, or when
    the question's reference no longer has the claim. Its judgments are kept and no longer count.

    For a citation, `quote` is the text that the system quotes from the passage, and `url` is the
    address that serves as its mark if no passage has this address.
    """

    response = models.ForeignKey(
        Response, on_delete=models.CASCADE, related_name="units", db_index=False
    )
    kind = models.CharField(max_length=20, choices=[(kind, kind) for kind in _KINDS])
    key = models.CharField(max_length=30)
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="children")
    ordinal = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    number = models.PositiveIntegerField(null=True)
    source = models.ForeignKey(
        Source, on_delete=models.CASCADE, null=True, related_name="citations"
    )
    quote = models.TextField(blank=True)
    url = models.TextField(blank=True)
    other = models.ForeignKey(
        Response, on_delete=models.CASCADE, null=True, related_name="pairs", db_index=False
    )
    retired_at = models.DateTimeField(null=True)

    objects = UnitQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["other"], condition=Q(other__isnull=False), name="unit_other"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["response", "other"],
                condition=Q(other__isnull=False),
                name="unit_pair_unique",
            ),
            models.CheckConstraint(
                condition=(Q(kind="pair", other__isnull=False) & ~Q(other=F("response")))
                | (~Q(kind="pair") & Q(other__isnull=True)),
                name="unit_pair_has_other",
            ),
            models.CheckConstraint(
                condition=Q(retired_at__isnull=True) | Q(kind__in=["pair", "reference_claim"]),
                name="unit_retired_kinds",
            ),
            models.UniqueConstraint(fields=["response", "key"], name="unit_key_unique"),
            models.CheckConstraint(condition=Q(kind__in=_KINDS), name="unit_kind_known"),
            models.CheckConstraint(condition=Q(end__gte=F("start")), name="unit_span"),
            models.CheckConstraint(
                condition=Q(kind="response", key="r", parent__isnull=True)
                | (~Q(kind="response") & Q(parent__isnull=False)),
                name="unit_parent",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["citation", "claim_citation"], number__isnull=False)
                | (
                    ~Q(kind__in=["citation", "claim_citation"])
                    & Q(number__isnull=True, source__isnull=True)
                ),
                name="unit_number",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def judged_text(self) -> str:
        """The text that a judge assesses: for a citation, its statement or claim."""
        is_part = self.kind in {UnitKind.CITATION, UnitKind.CLAIM_CITATION}
        return self.parent.text if is_part and self.parent is not None else self.text

    @property
    def listed_text(self) -> str:
        """Its text in lists."""
        if self.kind == UnitKind.PAIR:
            return "Two answers to this question"
        return self.judged_text or "(empty)"


class ResponseNote(models.Model):
    """A note on a response, visible only to the study's researchers."""

    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="notes")
    text = models.TextField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    edited_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text
