// Claims at the desk: choosing the words of one, saying it where it is asked about, and lighting its
// words in the answer. The words are boxes to tick; desk.js saves what is chosen.
"use strict";

const claims = (() => {
  const dangling = /[\s,;:，、；：]+$/;
  const canHighlight = "highlights" in CSS;

  const boxesOf = (step) => [...step.querySelectorAll(".claim-word input")];
  const bounds = (place) => place.split("-").map(Number);
  const areIn = (place) => (place ? place.split(" ").map(bounds) : []);

  // The chosen words, those that follow one another as one: where they are in the sentence and in
  // the answer, what they say, and what parts them from those before: nothing where both ends are
  // signs of a script without spaces.
  function runs(step) {
    const found = [];
    let follows = false;
    for (const box of boxesOf(step)) {
      const [start, end] = bounds(box.value);
      const [from, to] = bounds(box.dataset.claimLit);
      const text = box.parentElement.textContent.trim();
      const last = found.at(-1);
      const { unspaced } = box.dataset;
      if (box.checked && follows) {
        last.text += (start > last.end ? " " : "") + text;
        Object.assign(last, { end, to, endsUnspaced: unspaced.includes("last") });
      } else if (box.checked) {
        const isNear = last?.endsUnspaced && unspaced.includes("first");
        const apart = last && !isNear ? " " : "";
        found.push({ start, end, from, to, text, apart, endsUnspaced: unspaced.includes("last") });
      }
      follows = box.checked;
    }
    return found;
  }

  const words = (step) => runs(step).map(({ start, end }) => `${start}-${end}`).join(" ");

  function put(step, places) {
    const chosen = areIn(places);
    for (const box of boxesOf(step)) {
      const [start, end] = bounds(box.value);
      box.checked = chosen.some(([first, last]) => first <= start && end <= last);
    }
    say(step);
  }

  // What the claim says, here and where it is asked about.
  function say(step) {
    if (!isWriting(step)) return;
    const said = runs(step).map((run) => run.apart + run.text).join("");
    const text = said.replace(dangling, "");
    step.querySelector("[data-claim-said]").textContent = text;
    const lit = runs(step).map(({ from, to }) => `${from}-${to}`).join(" ");
    for (const other of document.querySelectorAll(`.step[data-claim="${step.dataset.claim}"]`)) {
      other.dataset.claimLit = lit;
      const quoted = other.querySelector("[data-quoted]");
      if (!quoted || quoted.textContent === text) continue;
      quoted.textContent = text;
      document.getElementById(`shared-${other.dataset.name}`)?.remove(); // of other words
    }
  }

  const isWriting = (step) => Boolean(step.querySelector?.("[data-words-to-choose]"));

  // The words of the claim in the answer. Places count the signs of the sentence that are not white
  // space; where marks and markup leave others than the server counted, nothing is lit.
  function light(step) {
    const own = (step.dataset.chips ?? "").split(" ");
    for (const chip of document.querySelectorAll(".desk .answer .chip")) {
      if (own.includes(chip.dataset.unit)) chip.classList.add("lit");
    }
    if (!canHighlight) return;
    const { statement, claimLit: lit, signs } = step.dataset;
    const parts = document.querySelectorAll(
      `.answer[data-answer="shown"] .statement[data-unit="${statement}"]`,
    );
    const places = lit ? placesIn(parts) : [];
    const ranges = areIn(places.length === Number(signs) ? lit : "").map(([start, end]) => {
      const range = new Range();
      range.setStart(...places[start].slice(0, 2));
      range.setEnd(places[end - 1][0], places[end - 1][2]);
      return range;
    });
    CSS.highlights.set("claim", new Highlight(...ranges));
  }

  // Each sign of the elements' text that is not white space: its node, where it begins and ends.
  function placesIn(elements) {
    const places = [];
    for (const element of elements) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const node = walker.currentNode;
        if (node.parentElement.closest(".chip")) continue;
        let at = 0;
        for (const sign of node.data) {
          if (sign.trim()) places.push([node, at, at + sign.length]);
          at += sign.length;
        }
      }
    }
    return places;
  }

  // Choosing: one box is in the order of Tab, arrows move from word to word, Shift takes along what
  // they pass over, and so does a finger or the mouse that is drawn over the words.
  function listen(step, changed) {
    const boxes = boxesOf(step);
    const holder = step.querySelector("[data-words-to-choose]");
    if (!boxes.length) return;
    for (const box of boxes) box.tabIndex = -1;
    (boxes.find((box) => box.checked) ?? boxes[0]).tabIndex = 0;
    const tell = () => {
      say(step);
      light(step);
      changed(step);
    };
    const focus = (box) => {
      for (const other of boxes) other.tabIndex = other === box ? 0 : -1;
      box.focus();
    };
    let anchor = null;
    const set = (first, last, wanted) => {
      for (let at = Math.min(first, last); at <= Math.max(first, last); at += 1) {
        boxes[at].checked = wanted;
      }
      anchor = last;
      tell();
    };

    holder.addEventListener("change", (event) => {
      event.stopPropagation();
      anchor = boxes.indexOf(event.target);
      tell();
    });
    holder.addEventListener("click", (event) => {
      const at = boxes.indexOf(event.target);
      if (at < 0 || !event.shiftKey || anchor === null) return;
      event.preventDefault();
      const [from, wanted] = [anchor, boxes[anchor].checked];
      setTimeout(() => set(from, at, wanted)); // once the click on the box is over
    });
    const isRight = () => getComputedStyle(holder).direction === "rtl";
    holder.addEventListener("keydown", (event) => {
      const at = boxes.indexOf(event.target);
      if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      const by = { ArrowRight: isRight() ? -1 : 1, ArrowLeft: isRight() ? 1 : -1 }[event.key];
      const row = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      let to = { Home: 0, End: boxes.length - 1 }[event.key];
      if (by) to = at + by;
      else if (row) to = inRow(boxes, at, row);
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      to = Math.max(0, Math.min(boxes.length - 1, to));
      if (event.shiftKey) set(at, to, true);
      focus(boxes[to]);
    });
    holder.addEventListener("focusin", ({ target }) => {
      if (boxes.includes(target)) for (const box of boxes) box.tabIndex = box === target ? 0 : -1;
    });
    drawn(holder, boxes, set);
    step.querySelector("[data-all-words]").addEventListener("click", () => {
      set(0, boxes.length - 1, true);
    });
    step.querySelector("[data-no-words]").addEventListener("click", () => {
      set(0, boxes.length - 1, false);
    });
    say(step);
  }

  // The word nearest to this one in the row above or below.
  function inRow(boxes, at, by) {
    const own = boxes[at].getBoundingClientRect();
    const isBeyond = (box) => (box.top - own.top) * by > own.height / 2;
    let best = at;
    let nearest = Infinity;
    boxes.forEach((box, place) => {
      const its = box.getBoundingClientRect();
      const away = Math.abs(its.top - own.top) * 1000 + Math.abs(its.left - own.left);
      if (isBeyond(its) && away < nearest) [best, nearest] = [place, away];
    });
    return best;
  }

  // Drawing over words from the first one on: all of them become what the first one became.
  function drawn(holder, boxes, set) {
    let from = null;
    let wanted = true;
    let moved = false;
    const wordAt = ({ clientX, clientY }) =>
      boxes.indexOf(document.elementFromPoint(clientX, clientY)?.closest?.(".claim-word")?.firstElementChild);
    holder.addEventListener("pointerdown", (event) => {
      const at = wordAt(event);
      if (event.button !== 0 || event.shiftKey || at < 0 || boxes[at].matches(":disabled")) return;
      [from, wanted, moved] = [at, !boxes[at].checked, false];
    });
    holder.addEventListener("pointermove", (event) => {
      const at = from === null ? -1 : wordAt(event);
      if (at < 0 || (at === from && !moved)) return;
      moved = true;
      set(from, at, wanted);
    });
    const end = () => {
      from = null;
      setTimeout(() => {
        moved = false;
      }); // once the click that may follow is over
    };
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
    // The click that follows on the word where a drawing began would turn it back.
    holder.addEventListener(
      "click",
      (event) => {
        if (!moved) return;
        moved = false;
        event.preventDefault();
        event.stopImmediatePropagation();
      },
      true,
    );
  }

  const focus = (step) => step.querySelector(".claim-word input[tabindex='0']:enabled")?.focus();

  return { isWriting, words, put, light, listen, focus, inRow };
})();
