// Marking: sentences and words of the passages as evidence, words of the answer as unsupported. By
// mouse, by touch, and by keys; the marks of a step are its items with `data-lit`.
"use strict";

(() => {
  const { evidenceUrl } = desk.dataset;
  const bar = document.querySelector("[data-mark-bar]");
  const button = bar.querySelector("button");
  const saying = bar.querySelector("[data-mark-said]");
  const blank = document.getElementById("mark-template");
  const kinds = { true: "unsupported", false: "evidence" };
  let chosen = null;

  function canMark() {
    return Boolean(task.step()?.dataset.passages) && !task.isFixed;
  }

  // Marks -----------------------------------------------------------------------------------------

  function marksOf(step) {
    return [...step.querySelectorAll("[data-marks] [data-lit]")];
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
    made.querySelector("[data-mark-place]").textContent = n || "unsupported";
    made.querySelector("[data-mark-place]").className = n ? "chip still" : "tag warn";
    made.querySelector("[data-mark-text]").textContent = text;
    step.querySelector("[data-marks]").append(made);
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
    if (!canMark()) return;
    const marks = covering(sentence);
    for (const mark of marks) remove(mark);
    if (marks.length) return;
    const [start, end] = [Number(sentence.dataset.start), Number(sentence.dataset.end)];
    add({ n: sentence.closest("[data-text]").dataset.text, start, end, text: sentence.textContent });
  }

  function show() {
    const step = task.step();
    for (const sentence of desk.querySelectorAll(".sentence")) {
      sentence.tabIndex = -1;
      sentence.setAttribute("role", "button");
      const isMarked = Boolean(step) && covering(sentence).length > 0;
      sentence.classList.toggle("evidence", isMarked);
      sentence.setAttribute("aria-pressed", String(isMarked));
    }
    for (const list of desk.querySelectorAll("[data-marks]")) {
      list.hidden = !list.querySelector("[data-lit]");
    }
    lit.show(step);
  }

  for (const kind of ["desk:step", "desk:passage"]) desk.addEventListener(kind, show);

  // Words that are selected -------------------------------------------------------------------------

  function selected() {
    const selection = document.getSelection();
    if (!canMark() || selection.isCollapsed || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    for (const text of lit.textsOf(task.step())) {
      const span = text.span(range);
      if (span) return { n: text.n, ...span };
    }
    return null;
  }

  // Below what is selected; a finger's own menu stands above it.
  function place() {
    const around = document.getSelection().getRangeAt(0).getBoundingClientRect();
    const most = { left: innerWidth - bar.offsetWidth - 8, top: innerHeight - bar.offsetHeight - 8 };
    bar.style.left = `${Math.max(8, Math.min(around.left, most.left))}px`;
    bar.style.top = `${Math.max(8, Math.min(around.bottom + 10, most.top))}px`;
  }

  function offer() {
    chosen = selected();
    bar.hidden = !chosen;
    saying.textContent = chosen ? chosen.text : "";
    if (!chosen) return;
    button.querySelector("[data-mark-kind]").textContent = kinds[chosen.n === ""];
    place();
  }

  document.addEventListener("selectionchange", offer);
  for (const kind of ["scroll", "resize"]) {
    addEventListener(kind, () => chosen && place(), { capture: true, passive: true });
  }

  // What is selected now; where a finger's tap on the button has ended that, what was offered.
  function take() {
    const span = selected() ?? chosen;
    if (!span) return false;
    document.getSelection().removeAllRanges();
    offer();
    add(span);
    return true;
  }

  bar.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the selection
  button.addEventListener("click", take);

  // A click that ends a selection marks nothing.
  let hadSelection = false;
  desk.addEventListener("pointerdown", () => {
    hadSelection = !document.getSelection().isCollapsed;
  });

  desk.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-unmark]")?.closest("[data-lit]");
    const sentence = event.target.closest(".sentence");
    if (mark && !task.isFixed) {
      remove(mark);
      task.focus();
    } else if (sentence && !hadSelection && document.getSelection().isCollapsed) {
      toggle(sentence);
    }
  });

  // Keys: sentences one after the other, and words in the one that has the focus ----------------------

  let walk = null;

  function wordsOf(text) {
    if (!Intl.Segmenter) return [...text.matchAll(/\S+/g)].map((m) => [m.index, m.index + m[0].length]);
    const found = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)];
    return found
      .filter((part) => part.isWordLike)
      .map(({ index, segment }) => [index, index + segment.length]);
  }

  function walkIn(element) {
    const { text, range } = lit.readable(element);
    walk = { element, range, words: wordsOf(text), first: -1, last: -1 };
  }

  function step(by, isLonger) {
    const most = walk.words.length - 1;
    if (most < 0) return;
    walk.last = Math.max(isLonger ? walk.first : 0, Math.min(most, walk.last + by));
    if (!isLonger || walk.first < 0) walk.first = walk.last;
    const range = walk.range(walk.words[walk.first][0], walk.words[walk.last][1]);
    document.getSelection().setBaseAndExtent(
      range.startContainer, range.startOffset, range.endContainer, range.endOffset,
    );
  }

  function sentences() {
    return [...desk.querySelectorAll(".sentence")].filter((one) => !one.closest("[hidden]"));
  }

  function moveSentence(by) {
    const inSight = sentences();
    const at = inSight.indexOf(document.activeElement);
    inSight[Math.max(0, Math.min(inSight.length - 1, at + by))]?.focus();
  }

  function walkInJudged() {
    if (!canMark()) return;
    const judged = task.step().querySelector("[data-quoted]");
    if (judged?.matches("[data-own]")) return; // a claim of one's own
    const element = judged ?? desk.querySelector("[data-answer='shown']");
    if (judged) element.tabIndex = -1;
    element.focus();
    walkIn(element);
    step(1, false);
  }

  function leave(target) {
    const isAt = document.getSelection().isCollapsed;
    document.getSelection().removeAllRanges();
    if (isAt || !target.matches(".sentence")) task.focus();
    walk = null;
  }

  function isWalking({ target, key, shiftKey, repeat }) {
    const isSentence = target.matches(".sentence");
    if (!isSentence && walk?.element !== target) return false;
    if (walk?.element !== target) walkIn(target);
    if (key === "ArrowRight" || key === "ArrowLeft") step(key === "ArrowRight" ? 1 : -1, shiftKey);
    else if (key === "Escape") leave(target);
    else if (key === " " || key === "Enter") repeat || take() || (isSentence && toggle(target));
    else if (isSentence && key === "ArrowDown") moveSentence(1);
    else if (isSentence && key === "ArrowUp") moveSentence(-1);
    else return false;
    return true;
  }

  function isLetter({ key, repeat }) {
    if (root.dataset.keys === "off" || repeat) return false;
    if (key === "e") take() || sentences()[0]?.focus();
    else if (key === "m") walkInJudged();
    else return false;
    return true;
  }

  document.addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (document.querySelector("dialog[open]")) return;
      if (event.target.closest("textarea, select, input:not([type='radio']), [data-mark-bar]")) return;
      if (isWalking(event) || isLetter(event)) event.preventDefault();
    },
    { capture: true },
  );

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
})();
