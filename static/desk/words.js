// Words in the passages of a task: those that are searched for, and those that statement and passage
// share.
"use strict";

const words = (() => {
  const { canHighlight, readable, rangesIn, stretchesInSight } = lit;
  const mostFound = 2000;

  // In small letters, each sign as long as it was.
  function small(text) {
    const lower = text.toLowerCase();
    if (lower.length === text.length) return lower;
    return Array.from(text, (sign) => {
      const one = sign.toLowerCase();
      return one.length === sign.length ? one : sign;
    }).join("");
  }

  const field = document.getElementById("passage-search");
  const count = document.getElementById("search-count");
  let found = [];
  let foundAt = -1;

  function search() {
    if (!canHighlight) return;
    found = [];
    foundAt = -1;
    const wanted = small(field.value.trim());
    if (wanted) {
      passages.open();
      passages.askFor(passages.wholeLinks("='whole'")); // what is searched for may stand in no part of the extract
      for (const stretch of stretchesInSight()) {
        const { text, range } = readable(stretch);
        const lower = small(text);
        let at = lower.indexOf(wanted);
        while (at >= 0 && found.length < mostFound) {
          found.push(range(at, at + wanted.length));
          at = lower.indexOf(wanted, at + 1);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...found));
    const number = found.length < mostFound ? String(found.length) : `more than ${mostFound - 1}`;
    count.textContent = wanted ? (found.length === 1 ? "1 place" : `${number} places`) : "";
  }

  function nextFound() {
    if (!found.length) return;
    foundAt = (foundAt + 1) % found.length;
    found[foundAt].startContainer.parentElement.scrollIntoView({ block: "nearest" });
  }

  field.addEventListener("input", search);
  if (!canHighlight) field.closest("[data-with-script]").hidden = true;

  const sharedToggle = document.getElementById("shared-toggle");

  function showShared() {
    if (!canHighlight) return;
    const isOn = sharedToggle?.getAttribute("aria-pressed") === "true";
    const ranges = [];
    const step = isOn ? task.step() : null;
    const data = step && document.getElementById(`shared-${step.dataset.name}`);
    if (data) {
      const spans = JSON.parse(data.textContent);
      const quoted = step.querySelector("[data-quoted]");
      if (quoted && spans.q) ranges.push(...rangesIn(quoted, spans.q));
      for (const stretch of stretchesInSight()) {
        const own = spans[stretch.closest("[data-text]").dataset.text] ?? [];
        const first = Number(stretch.dataset.stretch);
        ranges.push(...rangesIn(stretch, own.map(([start, end]) => [start - first, end - first])));
      }
    }
    CSS.highlights.set("shared", new Highlight(...ranges));
  }

  sharedToggle?.addEventListener("click", () => {
    const isOn = sharedToggle.getAttribute("aria-pressed") === "true";
    sharedToggle.setAttribute("aria-pressed", String(!isOn));
    showShared();
  });

  function show() {
    showShared();
    search();
  }

  desk.addEventListener("desk:step", show);
  desk.addEventListener("desk:passage", show);

  return { field, sharedToggle, nextFound };
})();
