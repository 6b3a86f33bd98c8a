// Stretches of text at the desk: where they are in the page, and lighting those that are stored. The
// places of what is stored count code points, those in the page UTF-16.
"use strict";

const lit = (() => {
  const canHighlight = "highlights" in CSS;
  const notText = ".chip, .unseen";
  const farthest = 300;

  // The text of an element, its nodes, and ranges over it.
  function readable(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const nodes = [];
    const starts = [];
    const texts = [];
    let length = 0;
    while (walker.nextNode()) {
      if (walker.currentNode.parentElement.closest(notText)) continue;
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
    return { text: texts.join(""), nodes, starts, range };
  }

  // Where code points of a text are, in UTF-16, and the other way.
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

  function pointsUntil(text, place) {
    return Array.from(text.slice(0, place)).length;
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

  // What of a text node a range holds.
  function held(range, node) {
    if (!range.intersectsNode(node)) return null;
    const start = node === range.startContainer ? range.startOffset : 0;
    const end = node === range.endContainer ? range.endOffset : node.length;
    return end > start ? [start, end] : null;
  }

  // The texts of a step in which something is lit or marked. Each finds the span that a range holds
  // of it, or null, and the ranges that show a span. `n` is the passage, "" the text that is judged.

  function whole(element, n, first) {
    return {
      n,
      span(range) {
        const { text, nodes, starts } = readable(element);
        const parts = nodes.flatMap((node, i) => {
          const part = held(range, node);
          return part ? [[starts[i] + part[0], starts[i] + part[1]]] : [];
        });
        if (!parts.length) return null;
        const [start, end] = trimmed(text, parts[0][0], parts.at(-1)[1]);
        if (start >= end) return null;
        const points = [start, end].map((place) => first + pointsUntil(text, place));
        return { start: points[0], end: points[1], text: text.slice(start, end) };
      },
      ranges(start, end) {
        // Of what reaches beyond a part of an extract, what is in the part.
        const length = Array.from(element.textContent).length;
        const inside = [Math.max(0, start - first), Math.min(length, end - first)];
        return rangesIn(element, [inside]);
      },
    };
  }

  // An answer shows the words of the text that is judged, without its markup and marks.
  function shown(elements, text) {
    const words = [];
    let reached = 0;
    for (const node of elements.flatMap((element) => readable(element).nodes)) {
      for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
        const at = text.indexOf(word, reached);
        if (at < 0 || at > reached + farthest) continue;
        words.push({ node, start: index, end: index + word.length, at });
        reached = at + word.length;
      }
    }
    const place = placesOf(text);
    return {
      n: "",
      span(range) {
        const parts = words.flatMap(({ node, start, end, at }) => {
          const part = held(range, node);
          const from = part && Math.max(part[0], start);
          const until = part && Math.min(part[1], end);
          return until > from ? [[at + from - start, at + until - start]] : [];
        });
        if (!parts.length) return null;
        const [start, end] = [parts[0][0], parts.at(-1)[1]];
        const points = [start, end].map((each) => pointsUntil(text, each));
        return { start: points[0], end: points[1], text: text.slice(start, end) };
      },
      ranges(start, end) {
        const inside = words.filter(
          (word) => word.at < place(end) && word.at + word.end - word.start > place(start),
        );
        if (!inside.length) return [];
        const made = new Range();
        const [one, last] = [inside[0], inside.at(-1)];
        made.setStart(one.node, Math.max(one.start, one.start + place(start) - one.at));
        made.setEnd(last.node, Math.min(last.end, last.start + place(end) - last.at));
        return [made];
      },
    };
  }

  function trimmed(text, start, end) {
    const inside = text.slice(start, end);
    return [start + inside.length - inside.trimStart().length, start + inside.trimEnd().length];
  }

  function textsOf(step) {
    const judged = step.querySelector("[data-quoted]:not([data-own]), [data-judged]");
    const part = `.statement[data-unit="${CSS.escape(step.dataset.statement)}"]`;
    const answer = desk.querySelector("[data-answer='shown']");
    const all = step.dataset.statement ? [...answer.querySelectorAll(part)] : [answer];
    const elements = all.filter(Boolean); // the field of a form shows no answer
    return [
      ...stretchesInSight().map((stretch) =>
        whole(stretch, stretch.closest("[data-text]").dataset.text, Number(stretch.dataset.stretch)),
      ),
      ...(judged?.matches("[data-quoted]") ? [whole(judged, "", 0)] : []),
      ...(judged ? [shown(elements, judged.textContent)] : []),
    ];
  }

  // The words at a place that is stored; nothing where they are in no part of an extract in the page.
  function textAt(step, { n, start, end }) {
    const judged = step.querySelector("[data-quoted]:not([data-own]), [data-judged]");
    const stretches = [...desk.querySelectorAll("[data-stretch]")].filter(
      (one) => one.closest("[data-text]").dataset.text === n,
    );
    for (const text of n ? stretches : [judged].filter(Boolean)) {
      const first = Number(text.dataset.stretch ?? 0);
      const signs = Array.from(text.textContent);
      if (first <= start && end <= first + signs.length) {
        return signs.slice(start - first, end - first).join("");
      }
    }
    return "";
  }

  const lasting = ["quoted", "evidence", "unsupported"];
  const labels = Array.from({ length: 8 }, (_, at) => `label-${at + 1}`);

  function show(step) {
    if (!canHighlight) return;
    const found = Object.fromEntries([...lasting, ...labels].map((why) => [why, []]));
    const all = [...(step?.querySelectorAll("[data-lit]") ?? [])];
    if (all.length) {
      for (const text of textsOf(step)) {
        for (const { dataset } of all) {
          if (dataset.n !== text.n) continue;
          found[dataset.lit].push(...text.ranges(Number(dataset.start), Number(dataset.end)));
        }
      }
    }
    for (const [why, ranges] of Object.entries(found)) {
      CSS.highlights.set(why, new Highlight(...ranges));
    }
  }

  return { canHighlight, readable, rangesIn, stretchesInSight, textsOf, textAt, show };
})();
