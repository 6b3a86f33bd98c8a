// What can be undone in this window, also after the page was loaded again.
"use strict";

const past = (() => {
  const key = `attest-undo:${outbox.owner}:${desk.dataset.answerUrl}`;
  const kept = task.isPreview ? null : storage((store) => JSON.parse(store.getItem(key)), "sessionStorage");
  const done = kept ?? [];

  function keep() {
    if (!task.isPreview) storage((store) => store.setItem(key, JSON.stringify(done)), "sessionStorage");
  }

  function add(step, before, after) {
    done.push({ step: step.dataset.step, before, after });
    keep();
  }

  // The latest answer that still stands: one that was changed elsewhere is not undone unseen.
  function take(answerOf) {
    for (;;) {
      const last = done.pop();
      keep();
      if (!last) return null;
      const now = answerOf(last.step);
      if (now && ["value", "skipped", "note", "words"].every((part) => now[part] === last.after[part])) {
        return last;
      }
    }
  }

  function clear() {
    done.length = 0;
    keep();
  }

  return { add, take, clear };
})();
