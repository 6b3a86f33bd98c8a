// Asking the researchers about the dimension in sight: sent like answers, also when the network is gone.
"use strict";

outbox.listen((kind, entry) => {
  const step = entry.kind === "ask" && kind === "refused" && task.stepOf(entry.step);
  if (step) step.querySelector("[data-asked]").hidden = true;
});

desk.addEventListener("click", (event) => {
  const button = event.target.closest("[data-ask-button]");
  if (!button) return;
  event.preventDefault();
  const step = task.step();
  const details = button.closest("details");
  const field = details.querySelector("textarea");
  const ask = field.value.trim();
  if (!ask) {
    field.focus();
    task.notice("Write your question.");
    return;
  }
  const values = { step: step.dataset.step, ask, edit: outbox.newEdit() };
  outbox.add({ kind: "ask", url: desk.dataset.askUrl, step: values.step, values });
  field.value = "";
  drafts.drop(step, "ask");
  details.querySelector("[data-asked]").hidden = false;
});
