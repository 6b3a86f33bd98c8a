"""The tabs of a study's pages, and the section of the help for every page.

Pages have the names of their addresses. A tab links to its first page. A group with only one
visible tab is shown as that tab.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from django.urls import Resolver404, resolve, reverse

from annotate.access import RANK, Access
from annotate.models import Role

RATER, VIEWER, RESEARCHER, OWNER = Role.RATER, Role.VIEWER, Role.RESEARCHER, Role.OWNER


@dataclass(frozen=True, slots=True)
class Tab:
    """A group of pages with their sections of the help, for roles from `least` to `most`."""

    label: str
    pages: Mapping[str, str]
    least: Role = VIEWER
    most: Role = OWNER
    asks: str = ""
    """The attribute of `Access` with the number of items that need attention."""

    kind: str = ""
    """The kind of these items."""

    def is_for(self, role: Role) -> bool:
        return RANK[self.least] <= RANK[role] <= RANK[self.most]


@dataclass(frozen=True, slots=True)
class TabGroup:
    label: str
    tabs: Sequence[Tab]


GROUPS = (
    TabGroup(
        "Overview",
        [
            Tab(
                "Overview",
                {
                    "study": "studies",
                    "study-progress": "studies#overview",
                    "desk": "desk",
                    "task": "desk",
                    "own-work": "raters#what-raters-see-of-their-own-work",
                    "task-feedback": "raters#practice",
                    "crowd-done": "raters#crowd-platforms",
                },
                RATER,
            )
        ],
    ),
    TabGroup(
        "Answers",
        [
            Tab(
                "Answers",
                {
                    "responses": "reading#how-answers-are-shown",
                    "response": "reading#how-answers-are-shown",
                    "response-claims": "claims",
                    "note": "studies#notes",
                    "systems": "studies#systems",
                    "system": "studies#systems",
                    "system-delete": "studies#deleting",
                    "questions": "reports#slices",
                    "generations": "generating",
                    "generation-new": "generating#what-can-be-set",
                    "generation": "generating",
                },
            ),
            Tab(
                "Files",
                {
                    "uploads": "formats",
                    "upload": "formats#what-every-reader-does",
                    "upload-columns": "formats#table",
                    "data": "studies#download",
                    "exchange": "formats#published-formats-out",
                    "corpora": "corpora",
                    "corpus": "corpora#searching",
                },
                RESEARCHER,
            ),
        ],
    ),
    TabGroup(
        "Rating",
        [
            Tab(
                "Batches",
                {
                    "batches": "batches",
                    "batch": "batches#draft-open-closed",
                    "batch-new": "batches#which-questions",
                    "batch-edit": "batches#ratings-per-task-and-the-task-timeout",
                    "batch-preview": "desk#a-task",
                    "batch-preview-counts": "batches#which-questions",
                    "batch-gold": "batches#known-answers-practice-and-gold",
                    "gold-write": "batches#known-answers-practice-and-gold",
                    "batch-monitor": "agreement#monitor",
                    "batch-agreement": "agreement#monitor",
                    "participants": "raters#participants",
                    "admission": "raters#who-may-come",
                },
            ),
            Tab(
                "Raters",
                {"raters": "raters", "rater": "raters#pausing-excluding-readmitting"},
                RESEARCHER,
            ),
            Tab(
                "Disputes",
                {"disputes": "adjudication#disputes", "dispute": "adjudication#deciding"},
                RESEARCHER,
            ),
            Tab(
                "Messages",
                {
                    "inquiries": "desk#asking-the-researchers",
                    "inquiry": "desk#asking-the-researchers",
                    "own-inquiries": "desk#asking-the-researchers",
                    "own-inquiry": "desk#asking-the-researchers",
                },
                RESEARCHER,
                asks="open_inquiries",
                kind="open",
            ),
            Tab(
                "Messages",
                {
                    "own-inquiries": "desk#asking-the-researchers",
                    "own-inquiry": "desk#asking-the-researchers",
                },
                RATER,
                RATER,
                asks="unread_answers",
                kind="answered",
            ),
        ],
    ),
    TabGroup(
        "Judges",
        [
            Tab(
                "Judges",
                {
                    "runs": "runs",
                    "run": "runs#watching-and-stopping",
                    "run-new": "runs#planning",
                    "run-biases": "agreement#bias-of-language-models",
                    "juries": "judges#juries",
                    "improve-judge": "judges#improving-a-judge-with-your-labels",
                    "prompts": "model-judges#prompts-of-your-own",
                    "prompt": "model-judges#prompts-of-your-own",
                    "scorers": "judges#improving-a-judge-with-your-labels",
                    "makings": "studies#tools",
                    "making-new": "studies#tools",
                    "making": "studies#tools",
                },
            )
        ],
    ),
    TabGroup(
        "Report",
        [
            Tab(
                "Report",
                {
                    "report": "reports",
                    "report-compare": "reports#two-reports-side-by-side",
                    "report-comparison": "reports#two-reports-side-by-side",
                    "report-links": "reports#sharing",
                    "report-rows": "reports#tables",
                    "report-texts": "reports#disagreements-to-read",
                    "report-threshold": "agreement#a-threshold-of-ones-own",
                    "labels": "agreement#labels-as-judges",
                },
            )
        ],
    ),
    TabGroup(
        "Settings",
        [
            Tab(
                "General",
                {
                    "study-settings": "studies#settings",
                    "study-copy": "studies#copying",
                    "study-delete": "studies#deleting",
                    "dimensions": "dimensions#a-studys-own",
                    "dimension-new": "dimensions#a-studys-own",
                    "dimension-edit": "dimensions#a-studys-own",
                    "dimension-preview": "dimensions#a-studys-own",
                    "dimensions-take": "dimensions#protocol-files",
                    "number-new": "dimensions#numbers-of-a-studys-own",
                    "number-edit": "dimensions#numbers-of-a-studys-own",
                    "webhooks": "webhooks",
                    "webhook": "webhooks#retries",
                    "audit-log": "security#the-audit-log",
                },
                RESEARCHER,
            ),
            Tab(
                "Guidelines",
                {
                    "guidelines": "desk#guidelines",
                    "guidelines-changes": "desk#guidelines",
                    "guidelines-edit": "desk#guidelines",
                    "examples": "adjudication#examples",
                    "example-new": "adjudication#examples",
                    "example-edit": "adjudication#examples",
                    "example-delete": "adjudication#examples",
                },
                RATER,
            ),
            Tab(
                "Members", {"members": "studies#members", "personal": "raters#leaving"}, RESEARCHER
            ),
        ],
    ),
)

ELSEWHERE = {
    "studies": "studies",
    "study-new": "dimensions#presets",
    "deleted": "studies#deleting",
    "join": "studies#members",
    "crowd": "desk",
    "formats": "formats",
    "account": "security#accounts",
    "account_login": "security#accounts",
    "account_signup": "security#accounts",
    "mfa_index": "security#accounts",
    "account-leave": "raters#leaving",
    "tokens": "api#tokens",
    "api": "api",
    "connections": "model-judges#connections",
    "connection": "model-judges#connections",
    "audit-logs": "security#the-audit-log",
    **dict.fromkeys(
        ("shared-report", "shared-rows", "shared-table", "shared-chart", "shared-download"),
        "reports",
    ),
}
"""Pages outside studies, with their sections of the help."""

HELP = ELSEWHERE | {
    page: name for group in GROUPS for tab in group.tabs for page, name in tab.pages.items()
}


@dataclass(frozen=True, slots=True)
class TabLink:
    """A tab on a page. `current` is the value of `aria-current`."""

    label: str
    address: str
    current: str = ""
    count: int = 0
    kind: str = ""


@dataclass(frozen=True, slots=True)
class TabBar:
    """The row of groups, and the tabs of the current group."""

    groups: Sequence[TabLink]
    group: str
    tabs: Sequence[TabLink]


def bar(access: Access, page: str) -> TabBar:
    """Return the tabs that a person sees on a page of a study."""
    first: list[TabLink] = []
    name, second = "", []
    for group in GROUPS:
        tabs = [tab for tab in group.tabs if tab.is_for(access.role)]
        links = [_link(tab, access, page) for tab in tabs]
        if len(links) < 2:
            first += links
            continue
        is_here = any(link.current for link in links)
        if is_here:
            name, second = group.label, links
            first.append(TabLink(group.label, links[0].address, "true"))
        else:
            most = max(links, key=lambda link: link.count)
            kind = f"{most.kind}: {most.label}"
            first.append(TabLink(group.label, links[0].address, "", most.count, kind))
    return TabBar(first, name, second)


CALLED = {
    "response": "Answer",
    "upload": "File",
    "data": "Download",
    "generations": "Generated systems",
    "makings": "Tools",
    "report-compare": "Compare reports",
    "batch-gold": "Known answers",
}
"""The titles of parent pages that differ from their names."""


def above(access: Access, page: str, path: str) -> TabLink | None:
    """Return the parent of a page within a tab: the next page in its address, or its tab."""
    every = (tab for group in GROUPS for tab in group.tabs if tab.is_for(access.role))
    tab = next((tab for tab in every if page in tab.pages), None)
    if tab is None or page == (first := next(iter(tab.pages))):
        return None
    home = reverse("study", args=[access.study.slug])
    while (path := path.rstrip("/").rpartition("/")[0] + "/") != home:
        with suppress(Resolver404):
            name = resolve(path).url_name or ""
            if name in tab.pages and name != first:
                return TabLink(CALLED.get(name, name.capitalize()), path, name)
    return TabLink(tab.label, reverse(first, args=[access.study.slug]))


def _link(tab: Tab, access: Access, page: str) -> TabLink:
    count = getattr(access, tab.asks) if tab.asks else 0
    current = "page" if page in tab.pages else ""
    address = reverse(next(iter(tab.pages)), args=[access.study.slug])
    return TabLink(tab.label, address, current, count, tab.kind)
