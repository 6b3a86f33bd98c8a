// Marked words as an answer: each with its label, and how bad it is where that is asked. The items of
// a step's list are what is marked; selecting.js says which words are selected.
"use strict";

const spans = (() => {
  const partsOf = (value) => (value && value !== "-" ? value.split("|") : []);
  const listOf = (step) => step.querySelector("[data-spans]");
  const itemsOf = (step) => [...listOf(step).children];
  const nothingOf = (step) => step.querySelector("[data-nothing]");
  const namesOf = (step, kind) => [...step.querySelectorAll(`[data-span-${kind}]`)];

  // Values ------------------------------------------------------------------------------------------

  function parsed(part) {
    const found = /^(?:p(\d+)@)?(\d+)-(\d+):([a-z0-9_]+)(?::([a-z0-9_]+))?$/.exec(part);
    const [, n = "", start, end, label, severity = ""] = found;
    return { n, start: Number(start), end: Number(end), label, severity };
  }

  function written({ n, start, end, label, severity }) {
    return `${n && `p${n}@`}${start}-${end}:${label}${severity && `:${severity}`}`;
  }

  function ordered(marks) {
    const keys = ["n", "start", "end", "label", "severity"];
    const compare = (one, other) => {
      const key = keys.find((each) => one[each] !== other[each]);
      if (!key) return 0;
      if (key === "n") return Number(one.n) - Number(other.n);
      return one[key] < other[key] ? -1 : 1;
    };
    return marks.sort(compare);
  }

  function marksOf(step) {
    return itemsOf(step).map(({ dataset: { n, start, end, label, severity } }) => {
      return { n, start: Number(start), end: Number(end), label, severity };
    });
  }

  function typed(step) {
    const all = new Set(ordered(marksOf(step)).map(written));
    if (!all.size) return nothingOf(step)?.checked ? "-" : "";
    const { least, most } = step.querySelector("[data-spans-answer]").dataset;
    return all.size < Number(least) || all.size > (Number(most) || 200) ? null : [...all].join("|");
  }

  function wordsFor(step, { label, severity }) {
    const found = [
      namesOf(step, "label").find((one) => one.dataset.spanLabel === label),
      namesOf(step, "severity").find((one) => one.dataset.spanSeverity === severity),
    ];
    return found.filter(Boolean).map((one) => one.dataset.words).join(", ");
  }

  function words(step, value) {
    if (value === "-") return nothingOf(step)?.dataset.label ?? "";
    const said = partsOf(value).map((part) => {
      const mark = parsed(part);
      return `“${lit.textAt(step, mark)}”: ${wordsFor(step, mark)}`;
    });
    return said.join("; ");
  }

  // The list ------------------------------------------------------------------------------------------

  function colourOf(step, label) {
    return `label-${(namesOf(step, "label").findIndex((one) => one.dataset.spanLabel === label) % 8) + 1}`;
  }

  function paint(step, item, mark) {
    const colour = colourOf(step, mark.label);
    Object.assign(item.dataset, { lit: colour, label: mark.label, severity: mark.severity });
    item.className = colour;
    item.querySelector(".swatch").className = `swatch ${colour}`;
    for (const select of item.querySelectorAll("[data-edit]")) select.value = mark[select.dataset.edit];
  }

  function put(step, value) {
    const wanted = partsOf(value);
    const present = new Map(itemsOf(step).map((item, at) => [written(marksOf(step)[at]), item]));
    for (const [part, item] of present) if (!wanted.includes(part)) item.remove();
    for (const part of wanted.filter((each) => !present.has(each))) append(step, parsed(part));
    if (nothingOf(step)) nothingOf(step).checked = value === "-";
    if (step === task.step()) lit.show(step);
  }

  function append(step, mark) {
    const made = step.querySelector("[data-span-template]").content.firstElementChild.cloneNode(true);
    for (const item of made.querySelectorAll("[data-with-script]")) item.hidden = false;
    Object.assign(made.dataset, { n: mark.n, start: mark.start, end: mark.end });
    const place = made.querySelector("[data-mark-place]");
    place.hidden = !mark.n;
    place.textContent = mark.n;
    made.querySelector("[data-mark-text]").textContent = mark.text ?? lit.textAt(step, mark);
    paint(step, made, mark);
    listOf(step).append(made);
  }

  fields.kinds.spans = {
    ask: "Mark words, choose nothing to mark, or skip the dimension (s).",
    put: (step, value) => fields.isNew(step, value) && put(step, value),
    typed,
    words,
    pick(step, item) {
      if ("nothing" in item.dataset) item.click();
      else if (selecting.present()) name(item);
      else task.notice("Select the words first.");
    },
  };

  function save(step) {
    lit.show(step);
    task.hold(step, () => fields.read(step), 300);
  }

  // Naming the words that are selected --------------------------------------------------------------

  let named = { label: "", severity: "" };
  const place = document.querySelector("[data-mark-labels]");

  function takes(step, n) {
    const answer = step.querySelector("[data-spans-answer]");
    if (!answer || task.isFixed || consistency.isSettled(step)) return false;
    return (n === "") === (answer.dataset.marks === "text");
  }

  // The buttons beside what is selected: one for each label, and for how bad it is.
  function offer(step) {
    named = { label: "", severity: "" };
    const rows = ["label", "severity"].map((kind) => {
      const row = document.createElement("div");
      row.append(...namesOf(step, kind).map((item) => buttonOf(step, kind, item)));
      return row;
    });
    place.replaceChildren(...rows.filter((row) => row.firstChild));
  }

  function buttonOf(step, kind, item) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    const value = item.dataset[kind === "label" ? "spanLabel" : "spanSeverity"];
    Object.assign(button.dataset, { kind, value });
    if (kind === "label") button.className = colourOf(step, value);
    const key = document.createElement("kbd");
    key.textContent = item.dataset.keyChoice;
    button.append(item.dataset.words, ...(item.dataset.keyChoice ? [" ", key] : []));
    button.addEventListener("click", () => name(item));
    return button;
  }

  function name(item) {
    const step = item.closest(".step");
    const kind = "spanLabel" in item.dataset ? "label" : "severity";
    named[kind] = item.dataset.spanLabel ?? item.dataset.spanSeverity;
    for (const button of place.querySelectorAll(`[data-kind="${kind}"]`)) {
      button.setAttribute("aria-pressed", String(button.dataset.value === named[kind]));
    }
    if (!named.label) return;
    if (namesOf(step, "severity").length && !named.severity) {
      if (place.contains(document.activeElement)) place.querySelector("[data-kind='severity']").focus();
      return;
    }
    add(step, { ...selecting.take(), ...named });
  }

  function add(step, mark) {
    const isThere = marksOf(step).some((one) => written(one) === written(mark));
    if (!isThere) append(step, mark);
    if (nothingOf(step)) nothingOf(step).checked = false;
    save(step);
  }

  // Changing what is marked -------------------------------------------------------------------------

  desk.addEventListener("change", ({ target }) => {
    const step = target.closest(".step[data-answer='spans']");
    const item = target.closest("[data-spans] > li");
    if (step && target.matches("[data-edit]")) {
      paint(step, item, { ...item.dataset, [target.dataset.edit]: target.value });
      save(step);
    } else if (step && target.matches("[data-nothing]")) {
      if (target.checked) listOf(step).replaceChildren();
      save(step);
    }
  });

  desk.addEventListener("click", ({ target }) => {
    const item = target.closest("[data-take-back]")?.closest("[data-spans] > li");
    if (!item) return;
    const step = item.closest(".step");
    item.remove();
    save(step);
    task.focus();
  });

  return { takes, offer, place };
})();
