// What the server refused of this task, with the reason, beside the dimension that it is about: it can
// be sent again, or discarded. It stays in the browser until then.
"use strict";

(() => {
  const blank = document.getElementById("refused-template");

  function wordsOf({ kind, values, text }, step) {
    if (kind === "ask") return values.ask;
    if (kind === "evidence") return text;
    if (kind === "flag") {
      const reason = step.querySelector(`[data-flag-reason] [value="${CSS.escape(values.reason)}"]`);
      return `${reason.textContent} ${values.flag_note}`;
    }
    const given = values.value ? fields.of(step).words(step, values.value) : values.skip ?? "";
    return `${given} ${values.note}`;
  }

  function show() {
    for (const place of desk.querySelectorAll("[data-refusals]")) place.replaceChildren();
    for (const [key, entry] of outbox.refused()) {
      const step = entry.url.startsWith(location.pathname) && task.stepOf(entry.step);
      if (!step) continue;
      const made = blank.content.firstElementChild.cloneNode(true);
      made.querySelector("[data-refused-why]").textContent = entry.why;
      made.querySelector("[data-refused-words]").textContent = wordsOf(entry, step).trim();
      made.querySelector("[data-refused-again]").addEventListener("click", () => {
        outbox.again(key, entry);
        task.putBack(entry);
        task.focus();
      });
      made.querySelector("[data-refused-discard]").addEventListener("click", () => {
        outbox.discard(key);
        show();
        task.focus();
      });
      step.querySelector("[data-refusals]").append(made);
    }
  }

  desk.addEventListener("desk:step", show);
  outbox.listen((kind) => ["refused", "added"].includes(kind) && show());
})();
