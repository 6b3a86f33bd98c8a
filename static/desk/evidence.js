// Marks beside an answer: sentences and words of the passages as evidence, words of the answer as
// unsupported. The marks of a step are its items with `data-lit`; selecting.js says which words are
// selected.
"use strict";

const evidence = (() => {
  const { evidenceUrl } = desk.dataset;
  const button = document.querySelector("[data-mark-evidence]");
  const blank = document.getElementById("mark-template");
  const kinds = { true: "unsupported", false: "evidence" };

  const isOfTwo = desk.matches(".in-pairs");

  // What words of a text are an answer (spans.js), are no evidence beside it. Beside two answers only
  // words of passages are.
  function takes(step, n) {
    if (isOfTwo && n === "") return false;
    return Boolean(step.dataset.passages) && !task.isFixed && !spans.takes(step, n);
  }

  function offer(step, n) {
    button.querySelector("[data-mark-kind]").textContent = kinds[n === ""];
  }

  // Marks -----------------------------------------------------------------------------------------

  function marksOf(step) {
    return [...step.querySelectorAll("ul[data-marks] [data-lit]")];
  }

  function markAt(step, { n, start, end }) {
    return marksOf(step).find(
      ({ dataset }) =>
        dataset.n === n && Number(dataset.start) === start && Number(dataset.end) === end,
    );
  }

  function put(step, span) {
    if (markAt(step, span)) return;
    const made = blank.content.firstElementChild.cloneNode(true);
    const { n, start, end, text } = span;
    Object.assign(made.dataset, { lit: kinds[n === ""], n, start, end });
    const { called } = desk.querySelector(`.passage[data-passage="${n}"]`)?.dataset ?? {};
    made.querySelector("[data-mark-place]").textContent = called || n || "unsupported";
    made.querySelector("[data-mark-place]").className = n ? "chip still" : "tag warn";
    made.querySelector("[data-mark-text]").textContent = text;
    step.querySelector("ul[data-marks]").append(made);
  }

  function send(step, { n, start, end, text = "" }, more = {}) {
    if (task.isPreview) return;
    const values = { step: step.dataset.step, source: n, start, end, ...more };
    if (task.about(step)) values.about = task.about(step);
    outbox.add({ kind: "evidence", url: evidenceUrl, step: step.dataset.step, values, text });
  }

  function add(span) {
    const step = task.step();
    put(step, span);
    send(step, span);
    show();
  }

  function remove(mark) {
    const step = mark.closest(".step");
    const { n, start, end } = mark.dataset;
    mark.remove();
    const text = mark.querySelector("[data-mark-text]").textContent;
    send(step, { n, start, end, text }, { clear: "1" });
    show();
  }

  function covering(sentence) {
    const n = sentence.closest("[data-text]").dataset.text;
    return marksOf(task.step()).filter(
      ({ dataset }) =>
        dataset.n === n &&
        Number(dataset.start) <= Number(sentence.dataset.start) &&
        Number(dataset.end) >= Number(sentence.dataset.end),
    );
  }

  function toggle(sentence) {
    const marks = covering(sentence);
    for (const mark of marks) remove(mark);
    if (marks.length) return;
    const [start, end] = [Number(sentence.dataset.start), Number(sentence.dataset.end)];
    add({ n: sentence.closest("[data-text]").dataset.text, start, end, text: sentence.textContent });
  }

  function show() {
    const step = task.step();
    const isTaking = !step || !spans.takes(step, "1");
    for (const sentence of desk.querySelectorAll(".sentence")) {
      sentence.tabIndex = -1;
      const isMarked = Boolean(step) && covering(sentence).length > 0;
      sentence.classList.toggle("evidence", isMarked);
      if (isTaking) sentence.setAttribute("role", "button");
      else sentence.removeAttribute("role");
      if (isTaking) sentence.setAttribute("aria-pressed", String(isMarked));
      else sentence.removeAttribute("aria-pressed");
    }
    for (const line of desk.querySelectorAll("[data-evidence-help]")) line.hidden = !isTaking;
    for (const list of desk.querySelectorAll("ul[data-marks]")) {
      list.hidden = !list.querySelector("[data-lit]");
    }
    lit.show(step);
  }

  for (const kind of ["desk:step", "desk:passage"]) desk.addEventListener(kind, show);

  desk.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-unmark]")?.closest("[data-lit]");
    if (!mark || task.isFixed) return;
    remove(mark);
    task.focus();
  });

  button.addEventListener("click", () => selecting.mark());

  // What still waits in this browser is shown as marked, or no more; what was refused as before.
  function follow({ kind, url, step: key, values, text }, isSent) {
    const about = task.stepOf(key);
    if (kind !== "evidence" || url !== evidenceUrl || !about) return;
    const { source: n, start, end, clear } = values;
    const span = { n, start: Number(start), end: Number(end), text };
    if (isSent === Boolean(clear)) markAt(about, span)?.remove();
    else put(about, span);
    if (about === task.step()) show();
  }

  desk.addEventListener("desk:waiting", ({ detail: { entry } }) => follow(entry, true));
  outbox.listen((kind, entry) => kind === "refused" && follow(entry, false));

  desk.addEventListener("desk:forgotten", ({ detail: about }) => {
    for (const mark of marksOf(about)) mark.remove();
    if (about === task.step()) show();
  });

  return { takes, offer, add, toggle };
})();
