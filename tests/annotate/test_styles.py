"""One design system: what stylesheets and templates may use."""

import json
import re
from pathlib import Path

from django.urls import reverse

from annotate.web.styles import LENGTH, SPACED, design, sheets

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"--[\w-]+:[^;]+;")
LITERAL = re.compile(r"#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(")
RELATIVE = {"inherit", "1rem", "1em", ".87em", ".92em", "1.1em", ".7em"}
NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
SPACES = {".1", ".2", ".3", ".4", ".5", ".6", ".8", "1", "1.25", "1.5", "2", "3", "5"}


def test_colours_and_type_sizes_have_names_and_spaces_are_of_one_scale():
    used = NAMED.sub("", sheets())
    assert LITERAL.findall(used) == []
    sizes = set(re.findall(r"font-size: ([^;}]+)", used)) - RELATIVE
    assert {size for size in sizes if not size.endswith("pt")} == {  # points are for paper
        f"var(--{name})" for name, _ in design()["sizes"]
    }
    spaces = {space for said in SPACED.findall(used) for space in LENGTH.findall(said)}
    assert {space[:-3] for space in spaces if space.endswith("rem")} <= SPACES
    assert len(design()["colours"]) <= 26


def test_labels_have_the_palette_of_the_charts():
    theme = json.loads((ROOT / "evaluation/reports/charts/theme.json").read_text())
    light, dark = theme["colours"]["light"], theme["colours"]["dark"]
    labels = [(day, night) for name, day, night in design()["colours"] if name.startswith("label-")]
    assert labels == [(light[nth], dark[nth]) for nth in NTH]


def test_templates_have_no_styles_of_their_own():
    assert [
        file
        for file in (ROOT / "templates").rglob("*.html")
        if re.search(r"\sstyle=|<style", file.read_text())
    ] == []


def test_design_system_is_shown_where_debug_is_on(client, settings):
    assert client.get(reverse("styles")).status_code == 404
    settings.DEBUG = True
    page = client.get(reverse("styles")).content.decode()
    assert "--title" in page
    assert 'class="pager"' in page
