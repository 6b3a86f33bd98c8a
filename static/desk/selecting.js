// Selecting words of a task's texts, to mark them: by mouse, by touch, by tapping the first and the
// last, and by keys. What they are marked as is for evidence.js, or, where they are the answer, for
// spans.js.
"use strict";

const selecting = (() => {
  const bar = document.querySelector("[data-mark-bar]");
  const button = bar.querySelector("[data-mark-evidence]");
  const saying = bar.querySelector("[data-mark-said]");
  let chosen = null;
  let walk = null;

  // Who takes words of a text: `n` is the passage, "" the text that is judged.
  function takerOf(n) {
    const step = task.step();
    return step && [spans, evidence].find((one) => one.takes(step, n));
  }

  function selected() {
    const selection = document.getSelection();
    const step = task.step();
    if (!step || selection.isCollapsed || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    for (const text of lit.textsOf(step)) {
      const span = takerOf(text.n) && text.span(range);
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
    const before = chosen;
    chosen = selected();
    bar.hidden = !chosen;
    saying.textContent = chosen ? chosen.text : "";
    if (!chosen) return;
    const taker = takerOf(chosen.n);
    const isSame = before && ["n", "start", "end"].every((key) => before[key] === chosen[key]);
    if (!isSame) taker.offer(task.step(), chosen.n);
    button.hidden = taker !== evidence;
    spans.place.hidden = taker !== spans;
    place();
  }

  document.addEventListener("selectionchange", offer);
  for (const kind of ["scroll", "resize"]) {
    addEventListener(kind, () => chosen && place(), { capture: true, passive: true });
  }

  // What is selected now; where a finger's tap on a button has ended that, what was offered.
  function present() {
    if (selected()) offer(); // the browser tells of it a moment later
    return chosen;
  }

  function take() {
    const span = present();
    if (!span) return null;
    const isInBar = bar.contains(document.activeElement);
    document.getSelection().removeAllRanges();
    offer();
    if (walk?.element.isConnected && isInBar) walk.element.focus();
    return span;
  }

  // By the key or the button: evidence at once; of an answer, a label is to be chosen first.
  function mark() {
    const span = present();
    if (!span) return false;
    if (takerOf(span.n) === evidence) evidence.add(take());
    else spans.place.querySelector("button").focus();
    return true;
  }

  bar.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the selection

  // Words, one after the other ----------------------------------------------------------------------

  const isSign = /\p{Extended_Pictographic}/u;

  function wordsOf(text) {
    if (!Intl.Segmenter) return [...text.matchAll(/\S+/g)].map((m) => [m.index, m.index + m[0].length]);
    const found = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)];
    return found
      .filter((part) => part.isWordLike || isSign.test(part.segment))
      .map(({ index, segment }) => [index, index + segment.length]);
  }

  function walkIn(element) {
    const { text, range } = lit.readable(element);
    walk = { element, range, words: wordsOf(text), first: -1, last: -1, isTapped: false };
  }

  function select() {
    const { words, first, last } = walk;
    const range = walk.range(words[Math.min(first, last)][0], words[Math.max(first, last)][1]);
    document.getSelection().setBaseAndExtent(
      range.startContainer, range.startOffset, range.endContainer, range.endOffset,
    );
    return range;
  }

  // Where a text scrolls, the words are to be in sight.
  function keepInSight(range) {
    const scroller = walk.element.closest(".answer, .passage-text");
    if (!scroller || scroller.scrollHeight <= scroller.clientHeight) return;
    const [words, around] = [range.getBoundingClientRect(), scroller.getBoundingClientRect()];
    scroller.scrollTop += Math.max(0, words.bottom - around.bottom + 8);
    scroller.scrollTop -= Math.max(0, around.top - words.top + 8);
  }

  function goTo(at, isLonger) {
    const most = walk.words.length - 1;
    if (most < 0) return;
    walk.last = Math.max(isLonger ? walk.first : 0, Math.min(most, at));
    if (!isLonger || walk.first < 0) walk.first = walk.last;
    keepInSight(select());
  }

  // The first or last word, or the nearest in the line above or below.
  function lineOf(by) {
    const ranges = walk.words.map(([start, end]) => walk.range(start, end));
    return claims.inRow(ranges, Math.max(0, walk.last), by);
  }

  // Taps: the first word, then the last -------------------------------------------------------------

  let isEnding = false; // a click that ends a selection marks nothing
  let begun = null;

  desk.addEventListener("pointerdown", () => {
    const hasSelection = !document.getSelection().isCollapsed;
    begun = hasSelection && walk?.isTapped ? walk : null;
    isEnding = hasSelection && !begun;
  });

  function placeAt({ clientX, clientY }) {
    if (document.caretPositionFromPoint) {
      const found = document.caretPositionFromPoint(clientX, clientY);
      return found && [found.offsetNode, found.offset];
    }
    const range = document.caretRangeFromPoint?.(clientX, clientY);
    return range && [range.startContainer, range.startOffset];
  }

  function tap(event, element) {
    const before = begun?.element === element ? begun : null;
    walkIn(element);
    const { nodes, starts } = lit.readable(element);
    const [node, offset] = placeAt(event) ?? [];
    const at = starts[nodes.indexOf(node)] + offset;
    const word = walk.words.findIndex(([start, end]) => start <= at && at <= end);
    if (word < 0) return;
    Object.assign(walk, { first: before ? before.first : word, last: word, isTapped: true });
    if (before && before.first === word && before.last === word) document.getSelection().removeAllRanges();
    else select();
  }

  desk.addEventListener("click", (event) => {
    const { target } = event;
    const element = target.closest("[data-stretch], .step [data-quoted], [data-answer='shown']");
    if (!element || isEnding || !document.getSelection().isCollapsed) return;
    if (target.closest("a, button, summary, .chip")) return;
    const n = element.closest("[data-text]")?.dataset.text ?? "";
    const sentence = target.closest(".sentence");
    const taker = takerOf(n);
    if (taker === spans) tap(event, element);
    else if (taker === evidence && sentence) evidence.toggle(sentence);
  });

  // Keys: sentences one after the other, and words in the one that has the focus ----------------------

  function sentences() {
    return [...desk.querySelectorAll(".sentence")].filter((one) => !one.closest("[hidden]"));
  }

  function firstSentence() {
    passages.open();
    sentences()[0]?.focus();
  }

  function moveSentence(by) {
    const inSight = sentences();
    const at = inSight.indexOf(document.activeElement);
    inSight[Math.max(0, Math.min(inSight.length - 1, at + by))]?.focus();
  }

  function walkInJudged() {
    const step = task.step();
    if (!takerOf("")) return;
    const quoted = step.querySelector("[data-quoted]");
    const isOwn = quoted?.matches("[data-own]"); // a claim of one's own: its sentence is in the answer
    if (isOwn && takerOf("") === evidence) return;
    const part = `.statement[data-unit="${CSS.escape(step.dataset.statement)}"]`;
    const shown = desk.querySelector("[data-answer='shown']");
    const judged = isOwn ? shown.querySelector(part) : quoted;
    const element = judged ?? shown;
    if (judged) element.tabIndex = -1;
    element.focus();
    walkIn(element);
    goTo(0, false);
  }

  function leave(target) {
    const isAt = document.getSelection().isCollapsed;
    document.getSelection().removeAllRanges();
    if (isAt || !target.matches(".sentence")) task.focus();
    walk = null;
  }

  // Of a sentence on which no words are selected: all of it.
  function markSentence(sentence) {
    if (takerOf(sentence.closest("[data-text]").dataset.text) !== spans) evidence.toggle(sentence);
    else if (walk.words.length) {
      [walk.first, walk.last] = [0, walk.words.length - 1];
      const { text, range } = lit.readable(sentence);
      const all = range(0, text.length);
      document.getSelection().setBaseAndExtent(
        all.startContainer, all.startOffset, all.endContainer, all.endOffset,
      );
    }
  }

  const ways = { ArrowRight: 1, ArrowLeft: -1 };
  const lines = { ArrowDown: 1, ArrowUp: -1 };

  function isWalking({ target, key, shiftKey, repeat }) {
    const isSentence = target.matches(".sentence");
    if (!isSentence && walk?.element !== target) return false;
    if (walk?.element !== target) walkIn(target);
    const isRight = getComputedStyle(target).direction === "rtl" ? -1 : 1;
    if (key in ways) goTo(walk.last + ways[key] * isRight, shiftKey);
    else if (key === "Escape") leave(target);
    else if (key === "Enter" && !isSentence && !present()) return false; // goes on
    else if (key === " " || key === "Enter") repeat || mark() || (isSentence && markSentence(target));
    else if (isSentence && key in lines) moveSentence(lines[key]);
    else if (key in lines) goTo(lineOf(lines[key]), shiftKey);
    else if (key === "Home" || key === "End") goTo(key === "Home" ? 0 : Infinity, shiftKey);
    else return false;
    return true;
  }

  function isLetter({ key, repeat }) {
    if (root.dataset.keys === "off" || repeat) return false;
    if (key === "e") mark() || firstSentence();
    else if (key === "m") walkInJudged();
    else return false;
    return true;
  }

  function isInBar({ target, key }) {
    if (key !== "Escape" || !bar.contains(target)) return false;
    take();
    if (!walk) task.focus();
    return true;
  }

  const isElsewhere =
    "textarea, select, [data-mark-bar], input:not([type='radio'], [type='checkbox'], [type='range'], [data-number])";

  document.addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (document.querySelector("dialog[open]")) return;
      const isOurs = event.target.closest(isElsewhere)
        ? isInBar(event)
        : isWalking(event) || isLetter(event);
      if (isOurs) event.preventDefault();
    },
    { capture: true },
  );

  for (const opener of desk.querySelectorAll("[data-walk]")) {
    opener.addEventListener("click", () => {
      if (takerOf("") === spans) walkInJudged();
      else firstSentence();
    });
  }

  return { present, take, mark };
})();
