// Any of several choices, or none of them: what is ticked is saved when it has stayed for a moment.
"use strict";

(() => {
  const boxesOf = (step) => [...step.querySelectorAll(".step-choices input[name='value']")];
  const isNothing = (box) => "nothing" in box.dataset;

  function typed(step) {
    const chosen = boxesOf(step).filter((box) => box.checked);
    if (chosen.length === 1 && isNothing(chosen[0])) return chosen[0].value;
    const { least, most } = step.querySelector(".step-choices").dataset;
    const isFit = chosen.length >= Number(least) && chosen.length <= (Number(most) || Infinity);
    return !chosen.length || isFit ? chosen.map((box) => box.value).join("|") : null;
  }

  fields.kinds.several = {
    ask: "Tick a choice, choose none of these, or skip the dimension (s).",
    put(step, value) {
      if (!fields.isNew(step, value)) return;
      const named = value.split("|");
      for (const box of boxesOf(step)) box.checked = named.includes(box.value);
    },
    typed,
    words(step, value) {
      const named = value.split("|");
      const chosen = boxesOf(step).filter((box) => named.includes(box.value));
      return chosen.map((box) => box.dataset.label).join(", ");
    },
    pick: (step, box) => box.click(),
  };

  desk.addEventListener("change", ({ target }) => {
    const step = target.closest(".step[data-answer='several']");
    if (!step || target.name !== "value") return;
    for (const box of boxesOf(step)) {
      if (target.checked && isNothing(box) !== isNothing(target)) box.checked = false;
    }
    task.hold(step, () => fields.read(step), 400);
  });
})();
