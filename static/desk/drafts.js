// A note that is being written, with the answer that it belongs to: once that has changed, the draft
// is not put over it.
"use strict";

const drafts = (() => {
  const keyOf = (step) => `attest-note:${outbox.owner}:${desk.dataset.answerUrl}:${step.dataset.step}`;

  function keep(step, text) {
    const draft = JSON.stringify({ edit: task.stateOf(step).dataset.edit, text });
    storage((store) => store.setItem(keyOf(step), draft));
  }

  function drop(step) {
    storage((store) => store.removeItem(keyOf(step)));
  }

  function putBack(step) {
    const draft = storage((store) => JSON.parse(store.getItem(keyOf(step))));
    if (!draft) return;
    if (draft.edit === task.stateOf(step).dataset.edit) {
      step.querySelector("textarea[name='note']").value = draft.text;
    } else {
      drop(step);
    }
  }

  return { keep, drop, putBack };
})();
