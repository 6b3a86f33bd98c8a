// A number: a field and a slider that say the same.
"use strict";

(() => {
  const fieldOf = (step) => step.querySelector("[data-number]");
  const sliderOf = (step) => step.querySelector("[data-slider]");
  const isFine = matchMedia("(pointer: fine)");

  // As it is written on keyboards that have a comma where others have a point; three digits after
  // it may be thousands.
  function tidy(text) {
    const plain = text.trim().replace("−", "-").replace(/^(-?)\./, "$10.");
    return /^-?\d+,(\d{1,2}|\d{4,})$/.test(plain) ? plain.replace(",", ".") : plain;
  }

  function typed(step) {
    const { value, dataset } = fieldOf(step);
    const text = tidy(value);
    if (!text) return "";
    if (!/^-?\d{1,12}(\.\d{1,6})?$/.test(text)) return null;
    const number = Number(text) || 0;
    if (number < Number(dataset.low) || number > Number(dataset.high)) return null;
    const written = String(number);
    const places = written.split(".")[1] ?? "";
    return places.length > Number(dataset.decimals) ? null : written;
  }

  function slide(step, value) {
    const slider = sliderOf(step);
    if (!slider) return;
    slider.toggleAttribute("data-unset", !value);
    slider.value = value || slider.min;
    if (value) slider.removeAttribute("aria-valuetext");
    else slider.setAttribute("aria-valuetext", "no number yet");
  }

  fields.kinds.number = {
    ask: "Enter a number, or skip the dimension (Skip).",
    put(step, value) {
      if (!fields.isNew(step, value)) return;
      if (typed(step) !== value) fieldOf(step).value = value;
      slide(step, value);
    },
    typed,
    words: (step, value) => value,
    // On a screen to touch, the keyboard would come up and hide the texts.
    focus: (step) => isFine.matches && fieldOf(step).focus({ preventScroll: true }),
    enter: (step) => fieldOf(step).focus(),
  };

  desk.addEventListener("input", ({ target }) => {
    const step = target.closest(".step");
    if (target.matches("[data-number]")) {
      slide(step, typed(step) ?? "");
      task.hold(step, () => fields.read(step), 700);
    } else if (target.matches("[data-slider]")) {
      take(target);
    }
  });

  function take(slider) {
    const step = slider.closest(".step");
    fieldOf(step).value = String(Number(slider.value));
    slide(step, fieldOf(step).value);
    task.hold(step, () => fields.read(step), 400);
  }

  // The lowest number is where the slider stands before there is one: choosing it changes nothing.
  const toLowest = ["Home", "PageDown", "ArrowLeft", "ArrowDown"];
  desk.addEventListener("keydown", ({ target, key }) => {
    if (target.matches("[data-slider][data-unset]") && toLowest.includes(key)) take(target);
  });
  desk.addEventListener("click", ({ target }) => {
    if (target.matches("[data-slider][data-unset]")) take(target);
  });
})();
