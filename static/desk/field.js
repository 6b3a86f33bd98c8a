// Words that are marked on their text in the field of a form, by what marks them at the desk (lit.js,
// spans.js, selecting.js): this stands in place of the task that they ask about.
"use strict";

const desk = document.querySelector("[data-desk]");

const task = (() => {
  const step = desk.querySelector(".step");
  const value = desk.querySelector("[data-marked-value]");
  return {
    isFixed: false,
    isPreview: false,
    step: () => step,
    valueOf: () => value.value,
    hold: (_, read) => (value.value = read() ?? ""),
    focus: () => step.focus(),
    notice: () => {},
  };
})();

const evidence = { takes: () => false };
const consistency = { isSettled: () => false };
const passages = { open: () => {} };

// The key of a label names what is selected.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || root.dataset.keys === "off") return;
  if (event.target.closest("textarea, select, input:not([type='checkbox'])")) return;
  const item = task.step().querySelector(`[data-key-choice="${CSS.escape(event.key)}"]`);
  if (!item || event.repeat) return;
  event.preventDefault();
  fields.kinds.spans.pick(task.step(), item);
});

addEventListener("DOMContentLoaded", () => {
  desk.hidden = false;
  desk.querySelector("[data-marked-value]").disabled = false;
  for (const item of desk.querySelectorAll("[data-with-script]")) item.hidden = false;
  for (const item of desk.querySelectorAll("[data-without-script]")) item.remove();
  for (const rows of document.querySelectorAll("[data-typed-words]")) rows.remove();
  lit.show(task.step());
});
