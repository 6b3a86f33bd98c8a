"""What a study asks, made and changed in a browser, at both widths and without script."""

import pytest
from playwright.sync_api import expect

from annotate.models import Study
from tests.browser.desk import filled
from tests.browser.faults import AXE, NARROW, RUN, TOO_WIDE

pytestmark = pytest.mark.browser

URL = "/studies/things/dimensions/"


def test_a_dimension_is_made_looked_at_and_moved(visit, researcher, study):
    filled(study, 2)
    size = {"width": NARROW, "height": 844}
    page = visit(researcher, URL, viewport=size, bypass_csp=True)  # for axe alone
    faults = found(page)
    page.get_by_role("link", name="New dimension").click()
    expect(page.get_by_text("Not complete yet")).to_be_visible()
    page.get_by_label("Title").fill("Tone")
    page.get_by_label("Question", exact=True).fill("Is the tone fitting?")
    for number, words in enumerate(("Fitting", "Odd")):
        page.locator(f"#label-{number}").fill(words)
    page.locator("#positive-0").check()
    page.locator("#degree-0").fill("2")
    page.locator("#degree-1").fill("1")
    expect(page.get_by_text("its key is tone")).to_be_visible()
    frame = page.frame_locator("iframe[title='The form on a phone']")
    expect(frame.get_by_text("Is the tone fitting?")).to_be_visible()
    faults += found(page)
    page.get_by_role("button", name="Move answer 2 up").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#label-0")).to_have_value("Odd")
    page.get_by_label("With the answer to").select_option(index=1)
    expect(frame.get_by_text("What is thing 2?")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("“Tone” is kept as tone, version 1.")).to_be_visible()
    tone = Study.objects.get(pk=study.pk).protocol["tone"]
    assert [choice.value for choice in tone.choices] == ["odd", "fitting"]
    assert tone.low_to_high == ("odd", "fitting")
    up = page.get_by_role("button", name="Move Tone up")
    up.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Move Tone down")).to_be_visible()
    assert faults + found(page) == []


def found(page):
    page.add_script_tag(path=str(AXE))
    return page.evaluate(RUN) + page.evaluate(TOO_WIDE)


def test_the_preview_is_shown_under_the_policy(visit, researcher, study):
    filled(study, 1)
    page = visit(researcher, f"{URL}new/?copy=citation_support")
    frame = page.frame_locator("iframe[title='The form on a phone']")
    wording = frame.locator(".step:not([hidden]) .step-wording")
    expect(wording).to_have_text("How far does this passage, on its own, support the statement?")
    expect(frame.locator(".step:not([hidden])")).to_have_css("display", "block")
    page.get_by_label("Judged unit", exact=True).select_option("statement")
    expect(page.get_by_text("Citation recall about the same")).to_be_visible()
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Preview").click()
    opened.value.wait_for_load_state()
    opened.value.keyboard.press("p")
    expect(opened.value.locator(".step:not([hidden]) [value=partial]")).to_be_checked()


def test_the_fields_follow_the_type_of_answers(visit, researcher, study):
    filled(study, 1)
    page = visit(researcher, f"{URL}new/", bypass_csp=True)  # for axe alone
    page.get_by_label("Title").fill("Sureness")
    page.get_by_label("Question", exact=True).fill("How sure does it sound?")
    page.locator("#label-0").fill("Quite")
    page.get_by_label("Type of answer").select_option("number")
    expect(page.get_by_label("Lowest number", exact=True)).to_be_visible()
    expect(page.locator("#choices")).to_be_hidden()
    page.get_by_label("Lowest number", exact=True).fill("0")
    page.get_by_label("Highest number", exact=True).fill("100")
    expect(page.get_by_text("its key is sureness")).to_be_visible()
    faults = found(page)
    page.get_by_label("Type of answer").select_option("spans")
    expect(page.locator("#label-0")).to_have_value("Quite")
    expect(page.locator("#severities-label-0")).to_be_visible()
    assert faults + found(page) == []
    page.get_by_label("Type of answer").select_option("number")
    page.get_by_label("Lowest number", exact=True).fill("0")
    page.get_by_label("Highest number", exact=True).fill("10")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("“Sureness” is kept as sureness, version 1.")).to_be_visible()
    sureness = Study.objects.get(pk=study.pk).protocol["sureness"]
    assert (sureness.answer, sureness.high, sureness.choices) == ("number", 10, ())
    page.get_by_role("link", name="New number").click()
    page.get_by_label("Title").fill("Backed")
    page.get_by_label("Question it answers").fill("How much is backed?")
    page.get_by_label("Computed for").select_option("citation")
    page.get_by_label("weights: a value").check()
    expect(page.get_by_label("“Full support” counts")).to_be_visible()
    page.get_by_label("“Full support” counts").fill("1")
    assert found(page) == []
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("“Backed” is kept as backed.")).to_be_visible()


def test_what_is_chosen_while_fields_are_on_their_way_stays(visit, researcher, study):
    filled(study, 1)
    page = visit(researcher, f"{URL}numbers/new/")
    held = []
    page.route("**/numbers/new/", lambda route: held.append(route), times=1)
    with page.expect_request("**/numbers/new/"):
        page.get_by_label("Computed for").select_option("citation")
    page.get_by_label("weights: a value").check()
    for route in held:
        route.continue_()
    expect(page.get_by_label("“Full support” counts")).to_be_visible()
