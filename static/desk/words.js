// Words in the passages of a task: those that are searched for, those that statement and passage
// share, and what the answer quotes.
"use strict";

const words = (() => {
  const canHighlight = "highlights" in CSS;
  const mostFound = 2000;

  // The text of an element, and ranges over it; places count UTF-16.
  function readable(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const nodes = [];
    const starts = [];
    const texts = [];
    let length = 0;
    while (walker.nextNode()) {
      nodes.push(walker.currentNode);
      starts.push(length);
      texts.push(walker.currentNode.data);
      length += walker.currentNode.data.length;
    }
    const at = (place) => {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (starts[middle] <= place) low = middle;
        else high = middle - 1;
      }
      return [nodes[low], place - starts[low]];
    };
    const range = (start, end) => {
      const made = new Range();
      made.setStart(...at(start));
      const [node, offset] = at(end - 1);
      made.setEnd(node, offset + 1);
      return made;
    };
    return { text: texts.join(""), range };
  }

  // Where code points of a text are, in UTF-16.
  function placesOf(text) {
    if (!/[\ud800-\udfff]/.test(text)) return (point) => point;
    const places = [];
    let at = 0;
    for (const sign of text) {
      places.push(at);
      at += sign.length;
    }
    places.push(at);
    return (point) => places[point] ?? Infinity;
  }

  // Ranges over code points of an element's text.
  function rangesIn(element, spans) {
    const { text, range } = readable(element);
    const place = placesOf(text);
    return spans
      .filter(([start, end]) => start >= 0 && start < end && place(end) <= text.length)
      .map(([start, end]) => range(place(start), place(end)));
  }

  function stretchesInSight() {
    const all = desk.querySelectorAll(".passage:not([hidden]) [data-stretch]");
    return [...all].filter((stretch) => !stretch.closest("[hidden]"));
  }

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

  // What the citations in question quote, where the passages have it.
  function showQuotes() {
    if (!canHighlight) return;
    const quotes = [...(task.step()?.querySelectorAll("[data-quote]") ?? [])];
    const ranges = stretchesInSight().flatMap((stretch) => {
      const number = stretch.closest("[data-text]").dataset.text;
      const own = quotes.filter((quote) => quote.dataset.quote === number);
      if (!own.length) return [];
      // Of a quote that reaches beyond a part of an extract, what is in the part.
      const first = Number(stretch.dataset.stretch);
      const length = Array.from(stretch.textContent).length;
      const spans = own.map(({ dataset }) => [
        Math.max(0, Number(dataset.start) - first),
        Math.min(length, Number(dataset.end) - first),
      ]);
      return rangesIn(stretch, spans);
    });
    CSS.highlights.set("quoted", new Highlight(...ranges));
  }

  sharedToggle?.addEventListener("click", () => {
    const isOn = sharedToggle.getAttribute("aria-pressed") === "true";
    sharedToggle.setAttribute("aria-pressed", String(!isOn));
    showShared();
  });

  function show() {
    showQuotes();
    showShared();
    search();
  }

  desk.addEventListener("desk:step", show);
  desk.addEventListener("desk:passage", show);

  return { field, sharedToggle, nextFound };
})();
