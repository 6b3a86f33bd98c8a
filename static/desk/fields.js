// What the answer to a dimension is given with, by its type: how a value is shown in the fields, read
// from them and said in words. The other types are in files of their own, and add themselves here.
"use strict";

const fields = (() => {
  const shown = new Map();

  // One choice. Arrow keys pass over others before one is meant (desk.js).
  const choice = {
    ask: "Choose an answer, or skip the dimension (s).",
    put(step, value) {
      for (const input of step.querySelectorAll("input[name='value']")) {
        input.checked = input.value === value;
      }
    },
    typed: (step) => step.querySelector("input[name='value']:checked")?.value ?? "",
    words(step, value) {
      const chosen = step.querySelector(`input[name="value"][value="${CSS.escape(value)}"]`);
      return chosen?.dataset.label ?? "";
    },
    pick(step, input) {
      task.focus();
      task.choose(step, input.value);
    },
  };

  const kinds = { choice };
  const of = (step) => kinds[step.dataset.answer];

  // Whether a value is another one than was shown last: what is being typed is left alone else.
  function isNew(step, value) {
    const isOther = shown.get(step) !== value;
    shown.set(step, value);
    return isOther;
  }

  // The choices that an answer names; of marked words their labels and severities.
  function named(value) {
    return value.split("|").flatMap((part) => (part.includes(":") ? part.split(":").slice(1) : [part]));
  }

  const meets = (value, wanted) => named(value).some((name) => wanted.includes(name));

  const isWrong = (step) => of(step).typed(step) === null;

  // What is typed; null where it is no answer.
  function read(step) {
    complain(step);
    return of(step).typed(step);
  }

  // What an answer has to be, beside one that is none.
  function complain(step) {
    const line = step.querySelector("[data-limits]");
    if (!line) return "";
    const isTold = isWrong(step) || ["several", "spans"].includes(step.dataset.answer);
    const text = isTold ? line.dataset.said : "";
    if (line.textContent !== text) line.textContent = text;
    line.classList.toggle("wrong", isWrong(step));
    return text;
  }

  // Whether a text was written and not saved.
  const isDraft = (step) => step.dataset.answer === "text" && of(step).typed(step) !== task.valueOf(step);

  return { kinds, of, isNew, meets, read, complain, isWrong, isDraft };
})();
