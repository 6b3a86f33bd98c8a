// A text: a draft while it is written, saved when it is left.
"use strict";

(() => {
  const fieldOf = (step) => step.querySelector("textarea[name='value']");
  const lengthOf = (text) => Array.from(text).length;

  function typed(step) {
    const text = fieldOf(step).value.replace(/\r\n?/g, "\n").trim();
    return lengthOf(text) > Number(fieldOf(step).dataset.most) ? null : text;
  }

  function count(step) {
    const left = Number(fieldOf(step).dataset.most) - lengthOf(fieldOf(step).value.trim());
    const many = Math.abs(left) === 1 ? "1 character" : `${Math.abs(left)} characters`;
    const draft = fields.isDraft(step) ? " · not saved yet" : "";
    step.querySelector("[data-left]").textContent = `${many} ${left < 0 ? "too many" : "left"}${draft}`;
  }

  function follow(step) {
    count(step);
    if (fields.isDraft(step)) task.hold(step, () => fields.read(step));
  }

  fields.kinds.text = {
    ask: "Write an answer, or skip the dimension (s).",
    put(step, value) {
      if (fields.isNew(step, value) && typed(step) !== value) fieldOf(step).value = value;
      count(step);
    },
    typed,
    words: (step, value) => value,
    pick: (step, field) => field.focus(),
    enter: (step) => fieldOf(step).focus(),
  };

  desk.addEventListener("input", ({ target }) => {
    const step = target.closest(".step[data-answer='text']");
    if (step && target.name === "value") follow(step);
  });

  // A draft that was put back is saved as if it had just been written.
  desk.addEventListener("desk:step", () => {
    if (task.step()?.dataset.answer === "text") follow(task.step());
  });

  // What was written on while the answer was on its way belongs to what is saved now.
  outbox.listen((kind, entry) => {
    const step = kind === "sent" && entry.kind === "answer" && task.stepOf(entry.step);
    if (step?.dataset?.answer !== "text") return;
    count(step);
    if (fields.isDraft(step)) drafts.keep(step, fieldOf(step));
  });
})();
