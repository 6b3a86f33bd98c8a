// What is being written: answers that are texts, notes, and questions to the researchers. An answer or a
// note is kept with the answer that it belongs to: once that has changed, the draft is not put over it.
"use strict";

const drafts = (() => {
  const editOf = (step) => task.stateOf(step).dataset.edit;
  const belongsTo = { value: editOf, note: editOf, ask: () => "" };
  const keyOf = (step, name) =>
    `attest-${name}:${outbox.owner}:${desk.dataset.answerUrl}:${step.dataset.step}`;

  function keep(step, { name, value: text, type = "textarea" }) {
    if (!(name in belongsTo) || type !== "textarea") return;
    const draft = JSON.stringify({ edit: belongsTo[name](step), text });
    storage((store) => store.setItem(keyOf(step, name), draft));
  }

  function drop(step, name) {
    storage((store) => store.removeItem(keyOf(step, name)));
  }

  function putBack(step) {
    for (const name of Object.keys(belongsTo)) {
      const draft = storage((store) => JSON.parse(store.getItem(keyOf(step, name))));
      const field = step.querySelector(`textarea[name="${name}"]`);
      if (!draft?.text || !field) continue;
      if (draft.edit === belongsTo[name](step)) {
        field.value = draft.text;
        const details = field.closest("details");
        if (details) details.open = true;
      } else {
        drop(step, name);
      }
    }
  }

  return { keep, drop, putBack };
})();
