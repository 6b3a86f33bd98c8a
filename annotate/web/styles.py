"""The page with the design system of the stylesheets, for developers."""

import re
from collections import Counter
from typing import Any

from django import forms
from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

COLOUR = re.compile(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)")
SIZE = re.compile(r"--(\w+): ([\d.]+rem);")
SPACED = re.compile(r"\b(?:margin|padding|gap)[\w-]*: ([^;}]+)")
LENGTH = re.compile(r"\.?\d[\d.]*(?:rem|em|px|mm)")


class StyledForm(forms.Form):
    """One field of each kind."""

    name = forms.CharField(help_text="One line of help.")
    protocol = forms.ChoiceField(choices=[("alce", "ALCE"), ("ais", "AIS")])
    raters = forms.ChoiceField(
        choices=[("2", "Two"), ("3", "Three")], widget=forms.RadioSelect, label="Raters per item"
    )
    consent = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}))
    gold = forms.BooleanField(label="With gold items", required=False)


def sheets() -> str:
    """Return all stylesheets without their comments."""
    files = sorted((settings.BASE_DIR / "static").rglob("*.css"))
    return re.sub(r"/\*.*?\*/", "", "".join(file.read_text() for file in files), flags=re.DOTALL)


def design() -> dict[str, Any]:
    """Return the colours and type sizes that have names, and the spaces that are used."""
    spaces = Counter(one for said in SPACED.findall(sheets()) for one in LENGTH.findall(said))
    named = (settings.BASE_DIR / "static" / "attest.css").read_text()
    return {
        "colours": COLOUR.findall(named),
        "sizes": SIZE.findall(named),
        "spaces": sorted((float(one[:-3]), n) for one, n in spaces.items() if one.endswith("rem")),
    }


def page(request: HttpRequest) -> HttpResponse:
    """Show the scales and each component. Only a server with `DEBUG=1` has this page."""
    if not settings.DEBUG:
        raise Http404("Start Attest with DEBUG=1 to see this page.")
    given = StyledForm({"protocol": "alce", "raters": "2"})
    middle = Paginator(range(70), 10).page(2)
    return render(request, "styles.html", {**design(), "form": given, "page": middle})
