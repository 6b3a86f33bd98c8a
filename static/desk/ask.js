// Asking the researchers about the question in sight: sent like answers, also when the network is gone.
"use strict";

desk.addEventListener("click", (event) => {
  const button = event.target.closest("[data-ask-button]");
  if (!button) return;
  event.preventDefault();
  const step = task.step().dataset.step;
  const details = button.closest("details");
  const field = details.querySelector("textarea");
  const ask = field.value.trim();
  if (!ask) {
    field.focus();
    task.notice("Write what you want to ask.");
    return;
  }
  const values = { step, ask, edit: outbox.newEdit() };
  outbox.add({ kind: "ask", url: desk.dataset.askUrl, step, values });
  field.value = "";
  details.querySelector("[data-asked]").hidden = false;
});
