"""Examples from the study's data for its guidelines."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate import access
from annotate.access import Access
from annotate.content import browsing
from annotate.content.highlights import texts_to_mark
from annotate.models import Example, Role
from annotate.rating import examples as reading
from annotate.rating import examples as services
from annotate.rating.disputes import find_adjudicated_judge
from annotate.rating.forms.answers import ExampleForm
from annotate.web.messages import button, form_page, in_study, saved


@in_study(Role.RESEARCHER)
def listing(request: HttpRequest, entered: Access) -> HttpResponse:
    """Show all examples, with the batches in which raters get the same responses."""
    context = {"access": entered, "examples": reading.examples_with_batches(entered.study)}
    return render(request, "examples/manage.html", context)


@in_study(Role.RESEARCHER)
def create(request: HttpRequest, entered: Access) -> HttpResponse:
    """Add an example of the unit and dimension in the address."""
    unit_id = browsing.as_id(request.GET.get("unit"))
    if unit_id is None:
        messages.info(request, "Open a response and choose there what is to be an example.")
        return redirect("examples", slug=entered.study.slug)
    unit = access.unit_of(entered, unit_id)
    dimension = entered.study.protocol.get(request.GET.get("dimension", ""))
    if dimension is None or dimension.unit_kind != unit.kind:
        raise Http404("No such dimension of this part of the answer.")
    present = Example.objects.filter(unit=unit, dimension=dimension.key).first()
    if present is not None:
        messages.info(request, "This is an example already. You can change it here.")
        return redirect("example-edit", slug=entered.study.slug, example_id=present.pk)
    decided = unit.judgments.filter(
        dimension=dimension.key, judge=find_adjudicated_judge(entered.study)
    ).first()
    initial = {"value": decided.value, "explanation": decided.note} if decided else {}
    texts = texts_to_mark(unit, dimension)
    form = ExampleForm(dimension, texts, request.POST or None, initial=initial)
    if saved(
        request,
        form,
        lambda: services.add_example(unit, dimension.key, by=entered.user, **form.cleaned_data),
    ):
        messages.success(request, "The example is in the guidelines.")
        return redirect("examples", slug=entered.study.slug)
    shown = reading.example_of_unit(entered.study, unit, dimension)
    return form_page(request, "examples/edit.html", form, access=entered, shown=shown, unit=unit)


@in_study(Role.RESEARCHER)
def edit(request: HttpRequest, entered: Access, example_id: int) -> HttpResponse:
    example = access.example_of(entered, example_id)
    dimension = entered.study.protocol[example.dimension]
    initial = {"value": example.value, "explanation": example.explanation}
    texts = texts_to_mark(example.unit, dimension)
    form = ExampleForm(dimension, texts, request.POST or None, initial=initial)
    if saved(request, form, lambda: services.change_example(example, **form.cleaned_data)):
        messages.success(request, "The example is changed.")
        return redirect("examples", slug=entered.study.slug)
    return form_page(
        request,
        "examples/edit.html",
        form,
        access=entered,
        shown=reading.example_of_unit(entered.study, example.unit, dimension),
        unit=example.unit,
        example=example,
    )


delete = button(
    access.example_of,
    "",
    lambda example, by, sent: services.remove_example(example),
    said="The example is out of the guidelines.",
    listing="examples",
)
