"""Parts of pages that are made once: they know only what is named, and are filled in each time."""

from functools import partial
from types import SimpleNamespace

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotate.models.remembered import Remembered
from annotate.protocol.shipped import SHIPPED
from annotate.templatetags.moulds import MouldedTemplate


def shown(template: Template, **values: object) -> str:
    return template.render(Context(values))


def test_what_is_filled_in_is_that_of_the_page_that_asks():
    page = Template(
        "{% moulded title=title %}<h1>{{ title }}</h1>{% fill name %} {% fill name %}"
        "{% live %}{% if is_last %}!{% endif %}{% endlive %}{% endmoulded %}"
    )
    assert shown(page, title="A", name="<b>", is_last=True) == "<h1>A</h1>&lt;b&gt; &lt;b&gt;!"
    assert shown(page, title="A", name="c", is_last=False) == "<h1>A</h1>c c"
    assert shown(page, title="B", name="c", is_last=False) == "<h1>B</h1>c c"


class Holder:
    def __init__(self, name: object) -> None:
        self.name = name


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Holder("<b>'"), "&lt;b&gt;&#x27;"),
        (Holder(SafeString("<b>")), "<b>"),
        (Holder(7), "7"),
        (Holder(None), "None"),
        (Holder(lambda: "called"), "called"),
        ({"name": "<key>"}, "&lt;key&gt;"),
        (None, ""),
        (Holder(Holder("deeper")), None),
    ],
)
def test_what_is_filled_in_reads_as_anywhere_in_a_template(step, said):
    filled = shown(Template("{% moulded %}{% fill step.name %}{% endmoulded %}"), step=step)
    assert filled == shown(Template("{{ step.name }}"), step=step)
    assert said is None or filled == said


def test_what_is_not_to_be_escaped_is_not():
    page = Template(
        "{% autoescape off %}{% moulded %}{% fill a.name %}{% endmoulded %}{% endautoescape %}"
    )
    assert shown(page, a=Holder("<b>")) == "<b>"


def test_a_name_alone_and_a_whole_number_are_filled_in_too():
    page = Template(
        "{% moulded %}{% fill place %} {% fill a.name %} {% fill none %}{% endmoulded %}"
    )
    assert shown(page, place="<1>", a=Holder(12_345)) == "&lt;1&gt; 12345 "
    assert shown(page, place=True, a=Holder(False)) == "True False "


def test_what_is_given_is_called_where_it_can_be():
    assert shown(Template("{% moulded a=a %}{{ a }}{% endmoulded %}"), a=lambda: "made") == "made"


def test_a_mould_knows_nothing_but_what_is_named():
    page = Template("{% moulded a=a %}{{ a }}{{ b }}{% endmoulded %}")
    assert shown(page, a="1", b="2") == "1"


def test_equal_values_of_two_types_are_two_moulds():
    page = Template("{% moulded a=a %}{{ a }}{% endmoulded %}")
    assert shown(page, a=SafeString("<i>")) == "<i>"
    assert shown(page, a="<i>") == "&lt;i&gt;"
    assert shown(page, a=True) == "True"
    assert shown(page, a=1) == "1"


def test_outside_of_a_mould_it_is_filled_in_at_once():
    assert shown(Template("{% fill a %}{% live %}{{ a }}{% endlive %}"), a="<") == "&lt;&lt;"


def test_within_another_mould_it_is_a_part_of_that():
    page = Template(
        "{% moulded a=a %}{% moulded b=a %}{{ a }}{% fill c %}{% endmoulded %}{% endmoulded %}"
    )
    assert [shown(page, a="1", c=c) for c in "xy"] == ["1x", "1y"]


@pytest.mark.parametrize(
    ("state", "saved"),
    [
        ("answered", SimpleNamespace(value="yes", skipped_reason="", note="<b>'s")),
        ("skipped", SimpleNamespace(value="", skipped_reason="“no” & <none>", note="")),
        ("", None),
    ],
)
def test_a_whole_template_is_filled_in_as_it_is_rendered(state, saved):
    step = SimpleNamespace(name="r-1", saved=saved, edit="e1", seconds="2.5", words="0-4")
    for writes in (False, True):
        dimension = next(one for one in SHIPPED.values() if one.writes is writes)
        given = {"state": state, "oob": True, "held": True, "dimension": dimension}
        filled = MouldedTemplate("desk/state.html").filled(given, {"step": step})
        assert filled == render_to_string("desk/state.html", {**given, "step": step})
        assert 'id="state-r-1"' in filled
        assert ("data-words" in filled) is writes


def test_values_are_named():
    with pytest.raises(TemplateSyntaxError, match="expected name=value"):
        Template("{% moulded a %}{% endmoulded %}")


def test_what_was_used_last_is_kept_as_far_as_it_is_not_too_much():
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key

    kept = Remembered[str](4, len)
    for key in ("aa", "bb", "aa", "cc", "aa", "bb", "ddddd", "ddddd"):
        assert kept.of(key, partial(make, key)) == key
    # `cc` put out `bb`, which was used least; what is too much by itself is never kept.
    assert made == ["aa", "bb", "cc", "bb", "ddddd", "ddddd"]
