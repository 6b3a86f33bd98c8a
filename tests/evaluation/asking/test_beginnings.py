"""What several prompts begin with, which servers remember."""

import re
from dataclasses import replace

from annotate.protocol.shipped import SHIPPED
from evaluation.asking.asker import ItemAsked
from evaluation.judges.items import Asked, ItemPassage
from tests.evaluation.asking.fake import serving
from tests.evaluation.asking.test_asker import TEXT, YES, about, asker, item


def marked(call):
    """What of the question a server of Anthropic's is asked to remember."""
    content = call.body["messages"][0]["content"]
    if isinstance(content, str):
        return ""
    first, rest = content
    assert first["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in rest
    assert rest["text"].startswith("\n\n# What is judged")
    return first["text"]


def test_what_several_questions_share_is_to_be_remembered():
    """Of those with the same passages, the first of each goes before the others: until it is
    answered, nothing is remembered. What one question alone begins with costs more remembered."""
    long = ItemPassage(1, "Sea", "The sea is deep. " * 300)
    other, alone = replace(long, text=f"But {long.text}"), replace(long, text=f"Or {long.text}")

    def asks(unit, passage):
        return Asked(unit, SHIPPED["citation_recall"], f"It is {unit}.", (passage,), ())

    shown = [("s1", long), ("s2", long), ("s3", other), ("s4", alone), ("s5", other), ("s6", long)]
    asked = [asks(*one) for one in shown]
    questions = [ItemAsked(item(1, *asked), one) for one in asked]
    with serving(lambda told, schema: YES) as server:
        asker(server, "anthropic", at_once=1).answer(questions)
        calls = list(server.calls)
        asker(server, "chat", at_once=1).answer(questions)
        plain = {call.told for call in server.calls[len(calls) :]}
    order = [re.findall(r"It is (s\d)", call.told)[0] for call in calls]
    assert order == ["s1", "s3", "s4", "s2", "s5", "s6"]
    found = dict(zip(order, map(marked, calls), strict=True))
    assert found["s1"] == found["s2"] == found["s6"] != found["s3"] == found["s5"]
    assert long.text.strip() in found["s1"]
    assert "It is s1" not in found["s1"]
    assert found["s4"] == ""
    assert {call.told for call in calls} == plain
    assert all(call.body["system"][0]["cache_control"] for call in calls)


def test_too_little_to_be_remembered_is_not_marked():
    asked = [about(unit=unit) for unit in ("s1", "s2")]
    told = [replace(one, text=f"{TEXT} {one.unit}") for one in asked]
    with serving(lambda told, schema: YES) as server:
        asker(server, "anthropic").answer([ItemAsked(item(1, *told), one) for one in told])
    assert [marked(call) for call in server.calls] == ["", ""]
