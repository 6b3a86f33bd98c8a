// The form of one task: one step in sight at a time, every answer saved when it is given, keys for
// everything. The server sends all steps at once, so moving between them needs no network.
"use strict";

(() => {
  const desk = document.querySelector("[data-desk]");
  if (!desk) return;
  const isPreview = "preview" in desk.dataset;
  const isFixed = "fixed" in desk.dataset;
  const isShort = "short" in desk.dataset;
  const { answerUrl, flagUrl, evidenceUrl, aliveUrl, finishUrl } = desk.dataset;
  const steps = [...desk.querySelectorAll(".step[data-step]")];
  const end = desk.querySelector(".step-end");
  const byName = new Map(steps.map((step) => [step.dataset.name, step]));
  const byKey = new Map(steps.map((step) => [step.dataset.step, step]));
  const said = new Map(steps.map((step) => [step, saidBy(step)]));
  const done = [];
  let current = steps.find((step) => !step.hidden) ?? end;

  function storage(act) {
    try {
      return act(localStorage);
    } catch {
      return null; // Without storage the setting lasts as long as the page.
    }
  }

  for (const item of document.querySelectorAll("[data-with-script], [data-desk-open], [data-back]")) {
    item.hidden = false;
  }
  for (const item of document.querySelectorAll("[data-without-script]")) item.hidden = true;

  // What has been said ------------------------------------------------------------------------------

  function stateOf(step) {
    return document.getElementById(`state-${step.dataset.name}`);
  }

  function saidBy(step) {
    const { value, skipped, note } = stateOf(step).dataset;
    return { value, skipped, note };
  }

  function isAnswered(step) {
    const { value, skipped } = said.get(step);
    return Boolean(value || skipped);
  }

  function isMet(needs) {
    if (!needs) return true;
    const [key, value] = needs.split("=");
    const first = byKey.get(key);
    return !first || said.get(first).value === value;
  }

  function asked() {
    return steps.filter((step) => isMet(step.dataset.needs));
  }

  function words(step) {
    const { value, skipped } = said.get(step);
    if (skipped) return `skipped: ${skipped}`;
    const chosen = step.querySelector(`input[name="value"][value="${CSS.escape(value)}"]`);
    return chosen ? chosen.dataset.label : "";
  }

  function show(step) {
    for (const input of step.querySelectorAll("input[name='value']")) {
      input.checked = input.value === said.get(step).value;
    }
    const link = desk.querySelector(`.desk-steps [data-to="${step.dataset.name}"]`);
    link?.classList.toggle("answered", isAnswered(step));
    link?.classList.toggle("skipped", Boolean(said.get(step).skipped));
    const line = desk.querySelector(`[data-said="${step.dataset.name}"]`);
    if (line) line.textContent = words(step) || "not answered yet";
    for (const item of desk.querySelectorAll("li[data-needs]")) {
      item.hidden = !isMet(item.dataset.needs);
    }
    showStillOpen();
  }

  function showStillOpen() {
    const open = asked().filter((step) => !isAnswered(step));
    const line = desk.querySelector("[data-still-open]");
    line.hidden = open.length === 0;
    line.textContent =
      open.length === 1
        ? "One question is not answered yet."
        : `${open.length} questions are not answered yet.`;
  }

  // Saving ------------------------------------------------------------------------------------------

  function answerEntry(step) {
    return { kind: "answer", url: answerUrl, step: step.dataset.step };
  }

  function lastEdit(step) {
    const queued = outbox.waiting(answerEntry(step));
    return queued.length ? queued.at(-1).values.edit : stateOf(step).dataset.edit;
  }

  function noteOf(step) {
    return step.querySelector("textarea[name='note']").value.trim();
  }

  // A note that is being written, with the answer that it belongs to: once that has changed, the
  // draft is not put over it.
  function draftKey(step) {
    return `attest-note:${outbox.owner}:${answerUrl}:${step.dataset.step}`;
  }

  function keepDraft(step, text) {
    const draft = JSON.stringify({ edit: stateOf(step).dataset.edit, text });
    storage((store) => store.setItem(draftKey(step), draft));
  }

  function putDraftBack(step) {
    const draft = storage((store) => JSON.parse(store.getItem(draftKey(step))));
    if (!draft) return;
    if (draft.edit === stateOf(step).dataset.edit) {
      step.querySelector("textarea[name='note']").value = draft.text;
    } else {
      storage((store) => store.removeItem(draftKey(step)));
    }
  }

  function give(step, answer, { isUndo = false, base = undefined } = {}) {
    if (isFixed) return;
    const before = said.get(step);
    const note = answer.note ?? noteOf(step);
    const next = { value: answer.value ?? "", skipped: answer.skipped ?? "", note };
    const isSame =
      before.value === next.value && before.skipped === next.skipped && before.note === note;
    if (isSame && base === undefined) return;
    if (!isUndo) done.push({ step, before });
    said.set(step, next);
    show(step);
    if (isPreview) return;
    const values = {
      step: step.dataset.step,
      note,
      seconds: secondsOf(step).toFixed(1),
      edit: outbox.newEdit(),
      base: base ?? lastEdit(step),
    };
    if (next.value) values.value = next.value;
    else if (next.skipped) values.skip = next.skipped;
    else values.withdraw = "1";
    outbox.add({ ...answerEntry(step), values });
    storage((store) => store.removeItem(draftKey(step)));
  }

  function undo() {
    const last = done.pop();
    if (!last) {
      notice("There is nothing to undo in this window.");
      return;
    }
    give(last.step, last.before, { isUndo: true });
    last.step.querySelector("textarea[name='note']").value = last.before.note;
    go(last.step);
    notice("Undone.");
  }

  function notice(text) {
    const place = document.querySelector("[data-outbox-state]");
    place.hidden = false;
    place.textContent = text;
  }

  // What still waits in this browser is shown as said.
  function putBack() {
    for (const { kind, url, step: key, values } of outbox.waiting()) {
      const step = byKey.get(key);
      if (!step) continue;
      if (kind === "flag" && url === flagUrl) {
        step.querySelector("[data-flag-reason]").value = values.reason;
      } else if (kind === "evidence" && url === evidenceUrl) {
        putMark(step, values.source, values.clear ? null : [values.start, values.end]);
      }
    }
    for (const step of steps) {
      const queued = outbox.waiting(answerEntry(step)).at(-1);
      if (!queued) continue;
      const { value = "", skip = "", note = "" } = queued.values;
      said.set(step, { value, skipped: skip, note });
      step.querySelector("textarea[name='note']").value = note;
      show(step);
    }
  }

  const channel = "BroadcastChannel" in window ? new BroadcastChannel("attest-desk") : null;

  outbox.listen((kind, entry, text) => {
    const step = entry.url === answerUrl ? byKey.get(entry.step) : undefined;
    if (kind === "sent" && step) {
      channel?.postMessage({ url: answerUrl, step: entry.step, ...stateOf(step).dataset });
      if (isLost() && !text.includes("data-lost")) alive({ lost: "1" });
    } else if (kind === "conflict" && step) {
      const theirs = stateOf(step).dataset;
      const mine = entry.values;
      said.set(step, { value: theirs.value, skipped: theirs.skipped, note: theirs.note });
      show(step);
      go(step);
      offer(step, mine);
    } else if (kind === "refused" && entry.url.startsWith(location.pathname)) {
      // The form shows again what the server has; the refused answer is named beside the reason.
      const place = document.getElementById("desk-place");
      place.innerHTML = text;
      if (step) {
        const mine = step.querySelector(
          `input[name="value"][value="${CSS.escape(entry.values.value ?? "")}"]`,
        );
        const line = document.createElement("p");
        line.className = "help";
        line.textContent = `Not saved: ${mine?.dataset.label ?? entry.values.skip ?? ""} ${entry.values.note ?? ""}`;
        place.append(line);
        said.set(step, saidBy(step));
        show(step);
      }
    }
  });

  function offer(step, mine) {
    const state = stateOf(step);
    state.querySelector("[data-keep-theirs]")?.addEventListener("click", () => {
      state.replaceChildren();
      focusOn(step);
    });
    state.querySelector("[data-use-mine]")?.addEventListener("click", () => {
      const answer = { value: mine.value, skipped: mine.skip, note: mine.note };
      give(step, answer, { base: state.dataset.edit });
      state.replaceChildren();
      focusOn(step);
    });
  }

  // Another window of this rater has saved an answer: it is shown here too. What one window takes
  // from the browser's storage is seen by the others a moment later, so the very answer that was
  // saved may seem to wait still: then this looks again, until something newer is known.
  const knownEdit = (step) => stateOf(step).dataset.edit ?? "";

  const follow = (step, data, known, again) => {
    if (knownEdit(step) !== known) return;
    if (outbox.waiting(answerEntry(step)).length) {
      if (again) setTimeout(follow, 200, step, data, known, again - 1);
      return;
    }
    Object.assign(stateOf(step).dataset, { edit: data.edit, value: data.value });
    Object.assign(stateOf(step).dataset, { skipped: data.skipped, note: data.note });
    said.set(step, saidBy(step));
    step.querySelector("textarea[name='note']").value = data.note;
    show(step);
  };

  channel?.addEventListener("message", ({ data }) => {
    const step = data.url === answerUrl ? byKey.get(data.step) : undefined;
    if (step) follow(step, data, knownEdit(step), 25);
  });

  // Moving ------------------------------------------------------------------------------------------

  function focusOn(step) {
    step.focus({ preventScroll: true });
  }

  function go(step) {
    commitHeld();
    countTime();
    const target = step ?? end;
    for (const section of [...steps, end]) section.hidden = section !== target;
    current = target;
    showStillOpen();
    const passages = (target.dataset.passages ?? "").split(" ").filter(Boolean);
    const column = desk.querySelector("[data-desk-passages]");
    column.hidden = passages.length === 0;
    desk.classList.toggle("with-passages", passages.length > 0);
    for (const passage of column.querySelectorAll(".passage")) {
      passage.hidden = !passages.includes(passage.dataset.passage);
    }
    showParts();
    for (const statement of desk.querySelectorAll(".answer .statement")) {
      statement.classList.toggle("lit", statement.dataset.unit === target.dataset.statement);
    }
    for (const chip of desk.querySelectorAll(".answer .chip")) {
      chip.classList.toggle("lit", chip.dataset.unit === target.dataset.unit);
    }
    for (const link of desk.querySelectorAll(".desk-steps a")) {
      if (link.dataset.to === target.dataset.name) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    }
    showLit();
    showEvidence();
    showQuotes();
    showShared();
    search();
    const query = new URLSearchParams(location.search);
    query.set("step", target.dataset.name ?? "end");
    history.replaceState(null, "", `?${query}`);
    focusOn(target);
  }

  // The statement that is asked about is in sight; of a table's row, its first cell.
  function showLit() {
    const answer = desk.querySelector(".answer");
    const lit = answer.querySelector(".statement.lit");
    if (!lit || answer.scrollHeight <= answer.clientHeight) return;
    const above = lit.getBoundingClientRect().top - answer.getBoundingClientRect().top;
    answer.scrollTop += above - answer.clientHeight / 3;
  }

  const rawToggle = desk.querySelector("[data-raw-toggle]");
  rawToggle?.addEventListener("click", () => requestAnimationFrame(showLit));

  function neighbour(by) {
    const order = asked();
    const at = current === end ? order.length : order.indexOf(current);
    const next = at + by;
    if (next < 0) return null;
    return next >= order.length ? end : order[next];
  }

  function move(by) {
    const target = neighbour(by);
    if (target && !(target === end && isShort && by > 0)) go(target);
  }

  function goOn() {
    if (isFixed || isPreview) {
      if (neighbour(1) !== current) move(1);
      return;
    }
    if (current === end) {
      finish();
      return;
    }
    commitHeld();
    if (!isAnswered(current)) {
      notice("Choose an answer, or skip the question (s).");
      focusOn(current);
      return;
    }
    const target = neighbour(1);
    if (target !== end) go(target);
    else if (isShort) finish();
    else go(end);
  }

  function finish({ stop = false } = {}) {
    const open = asked().find((step) => !isAnswered(step));
    if (open) {
      go(open);
      notice("This question is not answered yet.");
      return;
    }
    if (isPreview || isFixed) return;
    for (const button of desk.querySelectorAll("[data-finish], [data-go-on]")) button.disabled = true;
    outbox.add({
      kind: "finish",
      url: finishUrl,
      page: location.pathname,
      step: "",
      values: stop ? { stop: "1" } : {},
    });
    setTimeout(() => {
      // The network may be gone: the button comes back, and finishing twice does nothing twice.
      for (const button of desk.querySelectorAll("[data-finish], [data-go-on]")) {
        button.disabled = false;
      }
    }, 4000);
  }

  // Choosing: an arrow key that passes over a choice has not chosen it yet ----------------------------

  let held = null;

  function commitHeld() {
    if (!held) return;
    clearTimeout(held.timer);
    const { step, value } = held;
    held = null;
    give(step, { value });
  }

  function choose(step, value) {
    commitHeld();
    give(step, { value });
    if (root.dataset.goOn === "on" && isAnswered(step)) goOn();
  }

  let isArrow = false;
  desk.addEventListener("keydown", (event) => {
    isArrow = event.key.startsWith("Arrow");
  });
  for (const kind of ["keyup", "pointerdown"]) {
    desk.addEventListener(kind, () => {
      isArrow = false;
    });
  }

  desk.addEventListener("change", (event) => {
    const step = event.target.closest(".step");
    if (!step) return;
    if (event.target.name === "value") {
      const { value } = event.target;
      if (isArrow) {
        clearTimeout(held?.timer);
        held = { step, value, timer: setTimeout(commitHeld, 700) };
      } else {
        choose(step, value);
      }
    } else if (event.target.name === "note") {
      const { value, skipped } = said.get(step);
      if (value || skipped) give(step, { value, skipped });
    } else if ("flagReason" in event.target.dataset && !isPreview) {
      const reason = event.target.value;
      const values = { step: step.dataset.step, reason };
      outbox.add({ kind: "flag", url: flagUrl, step: step.dataset.step, values });
    }
  });

  desk.addEventListener("input", (event) => {
    const step = event.target.closest(".step");
    if (!step || event.target.name !== "note" || isPreview) return;
    keepDraft(step, event.target.value);
  });

  desk.addEventListener("focusout", (event) => {
    const isLeft = event.target.name === "value" && event.relatedTarget?.name !== "value";
    if (isLeft && held) commitHeld();
  });

  function skip(step) {
    const field = step.querySelector("input[name='skip']");
    const reason = field.value.trim();
    if (!reason) {
      field.focus();
      notice("Say why it cannot be answered.");
      return;
    }
    give(step, { skipped: reason });
    goOn();
  }

  desk.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches("[data-answer-form]")) {
      event.preventDefault();
      if (event.submitter?.matches("[data-skip-button]")) skip(form.closest(".step"));
      else goOn();
    } else if (form.matches("[data-finish-form]")) {
      event.preventDefault();
      finish({ stop: event.submitter?.name === "stop" });
    }
  });

  desk.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-to]");
    const back = event.target.closest("[data-back]");
    const forward = event.target.closest("[data-forward]");
    if (forward) {
      event.preventDefault();
      move(1);
    } else if (link) {
      event.preventDefault();
      go(byName.get(link.dataset.to));
    } else if (back) {
      event.preventDefault();
      move(-1);
    }
  });

  for (const opener of document.querySelectorAll("[data-desk-open]")) {
    opener.addEventListener("click", () => openDialog(opener.dataset.deskOpen));
  }

  function openDialog(id) {
    document.getElementById(id).showModal();
  }

  // Evidence: one sentence of a passage for each question ---------------------------------------------

  function marksOf(step) {
    return [...step.querySelectorAll("[data-evidence]")];
  }

  function showEvidence() {
    const marks = current === end ? [] : marksOf(current);
    for (const sentence of desk.querySelectorAll(".sentence")) {
      const number = sentence.closest("[data-text]").dataset.text;
      const isMarked = marks.some(
        (mark) =>
          mark.dataset.evidence === number &&
          Number(mark.dataset.start) < Number(sentence.dataset.end) &&
          Number(mark.dataset.end) > Number(sentence.dataset.start),
      );
      sentence.classList.toggle("evidence", isMarked);
      sentence.setAttribute("aria-pressed", String(isMarked));
    }
  }

  function putMark(step, number, span) {
    for (const mark of marksOf(step)) if (mark.dataset.evidence === number) mark.remove();
    if (!span) return;
    const mark = document.createElement("span");
    mark.hidden = true;
    Object.assign(mark.dataset, { evidence: number, start: span[0], end: span[1] });
    step.append(mark);
  }

  function toggleEvidence(sentence) {
    if (current === end || isFixed) return;
    const number = sentence.closest("[data-text]").dataset.text;
    const wasMarked = sentence.classList.contains("evidence");
    const { start, end: until } = sentence.dataset;
    const values = { step: current.dataset.step, source: number };
    if (wasMarked) values.clear = "1";
    else Object.assign(values, { start, end: until });
    putMark(current, number, wasMarked ? null : [start, until]);
    showEvidence();
    if (!isPreview) {
      outbox.add({ kind: "evidence", url: evidenceUrl, step: current.dataset.step, values });
    }
  }

  function makeMarkable() {
    for (const sentence of desk.querySelectorAll(".sentence")) {
      sentence.tabIndex = -1;
      sentence.setAttribute("role", "button");
    }
  }

  makeMarkable();

  desk.addEventListener("click", (event) => {
    const sentence = event.target.closest(".sentence");
    if (sentence && document.getSelection().isCollapsed) toggleEvidence(sentence);
  });

  function sentencesInSight() {
    return [...desk.querySelectorAll(".sentence")].filter((one) => !one.closest("[hidden]"));
  }

  function moveSentence(by) {
    const inSight = sentencesInSight();
    const at = inSight.indexOf(document.activeElement);
    inSight[Math.max(0, Math.min(inSight.length - 1, at + by))]?.focus();
  }

  // Long passages: the parts that fit the question, or all of it -------------------------------------

  function showParts() {
    for (const part of desk.querySelectorAll("[data-of-steps]")) {
      part.hidden = !part.dataset.ofSteps.split(" ").includes(current.dataset.name);
    }
  }

  function wholeLinks(wanted) {
    const links = desk.querySelectorAll(`.passage:not([hidden]) [data-whole${wanted}]`);
    return [...links].filter((link) => !("asked" in link.dataset));
  }

  function askFor(links) {
    for (const link of links) {
      link.dataset.asked = "";
      setTimeout(() => delete link.dataset.asked, 4000); // the network may be gone: ask again
      link.click();
    }
  }

  // The whole passage opens where its first part was.
  desk.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const passage = detail.target.closest(".passage");
    const part = passage?.querySelector(".part:not([hidden]) [data-stretch]");
    if (passage) passage.dataset.place = part?.dataset.stretch ?? "0";
  });

  desk.addEventListener("htmx:afterSwap", ({ detail }) => {
    // What was put in place of the target has its id.
    const passage = document.getElementById(detail.target.id)?.closest(".passage");
    if (!passage) return;
    makeMarkable();
    showParts();
    showEvidence();
    showQuotes();
    showShared();
    search();
    const text = passage.querySelector(".passage-text[data-stretch]");
    const place = Number(passage.dataset.place);
    const sentence = [...(text?.querySelectorAll(".sentence") ?? [])].find(
      (one) => Number(one.dataset.start) >= place,
    );
    if (place && sentence) {
      text.scrollTop += sentence.getBoundingClientRect().top - text.getBoundingClientRect().top;
    }
  });

  // Words: those that are searched for, and those that statement and passage share ---------------------

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
      askFor(wholeLinks("='whole'")); // what is searched for may stand in no part of the extract
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
    const data = isOn && current !== end ? document.getElementById(`shared-${current.dataset.name}`) : null;
    if (data) {
      const spans = JSON.parse(data.textContent);
      const quoted = current.querySelector("[data-quoted]");
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
    const quotes = current === end ? [] : [...current.querySelectorAll("[data-quote]")];
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

  // Time: what passes between two signs of life counts, up to a minute; a page out of sight does not ----

  const longest = 60;
  const spent = new Map();
  let lastSign = performance.now();
  let activeAt = performance.now();

  function countTime() {
    const now = performance.now();
    if (current !== end && !document.hidden) {
      const seconds = Math.min((now - lastSign) / 1000, longest);
      spent.set(current, (spent.get(current) ?? 0) + seconds);
    }
    lastSign = now;
  }

  // Each answer brings the whole time of its question, that of earlier visits included.
  const earlier = new Map(steps.map((step) => [step, Number(stateOf(step).dataset.seconds || 0)]));

  function secondsOf(step) {
    countTime();
    return earlier.get(step) + (spent.get(step) ?? 0);
  }

  for (const kind of ["keydown", "pointerdown", "pointermove", "wheel", "scroll"]) {
    addEventListener(
      kind,
      () => {
        const now = performance.now();
        if (now - lastSign < 500) return;
        countTime();
        activeAt = now;
      },
      { passive: true, capture: true },
    );
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      const seconds = Math.min((performance.now() - lastSign) / 1000, longest);
      if (current !== end) spent.set(current, (spent.get(current) ?? 0) + seconds);
    }
    lastSign = performance.now();
  });

  desk.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers["X-CSRFToken"] = outbox.token(); // the page's own may be older
    event.detail.headers["X-Rater"] = outbox.owner;
  });

  const beat = 4 * 60 * 1000;
  const look = 30 * 1000;
  const isLost = () => Boolean(document.querySelector("#desk-place [data-lost]"));

  function alive(values) {
    if (!navigator.onLine) return;
    htmx.ajax("POST", aliveUrl, { source: desk, swap: "none", values }).catch(() => {});
  }

  if (aliveUrl && !isFixed) {
    setInterval(() => {
      if (!isLost() && performance.now() - activeAt < beat) alive({});
    }, beat);
    // Who has lost the place waits here for one that comes free.
    setInterval(() => {
      if (isLost() && !document.hidden) alive({ lost: "1" });
    }, look);
  }

  // Keys ------------------------------------------------------------------------------------------------

  const setting = document.getElementById("go-on-setting");
  root.dataset.goOn = storage((store) => store.getItem("attest-go-on")) ?? "off";
  setting.checked = root.dataset.goOn === "on";
  setting.addEventListener("change", () => {
    root.dataset.goOn = setting.checked ? "on" : "off";
    storage((store) => store.setItem("attest-go-on", root.dataset.goOn));
  });

  function open(name) {
    const details = current.querySelector(`[data-more="${name}"]`);
    if (!details) return;
    details.open = true;
    details.querySelector("textarea, input, select").focus();
  }

  const letters = {
    a: () => askFor(wholeLinks("")),
    j: () => move(1),
    k: () => move(-1),
    u: undo,
    s: () => open("skip"),
    c: () => open("note"),
    x: () => open("flag"),
    e: () => sentencesInSight()[0]?.focus(),
    w: () => sharedToggle?.click(),
    r: () => rawToggle?.click(),
    g: () => openDialog("guidelines-dialog"),
    "?": () => openDialog("keys-dialog"),
    "/": () => field.offsetParent && field.focus(),
  };

  function letter(event) {
    const wanted = event.key.toLowerCase();
    const choice =
      current !== end && current.querySelector(`[data-key-choice="${CSS.escape(wanted)}"]`);
    if (choice && !isFixed) {
      focusOn(current);
      choose(current, choice.value);
      return true;
    }
    const act = letters[event.key] ?? letters[wanted];
    act?.();
    return Boolean(act);
  }

  function isAtSentence(event) {
    if (!event.target.matches(".sentence")) return false;
    if (event.key === "ArrowDown" || event.key === "ArrowRight") moveSentence(1);
    else if (event.key === "ArrowUp" || event.key === "ArrowLeft") moveSentence(-1);
    else if (event.key === " " || event.key === "Enter") toggleEvidence(event.target);
    else if (event.key === "Escape") focusOn(current);
    else return false;
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    const { target, key } = event;
    if (isAtSentence(event)) {
      event.preventDefault();
      return;
    }
    if (target.closest("textarea, select, input:not([type='radio'])")) {
      if (key === "Escape") focusOn(current);
      else if (key === "Enter" && target === field) nextFound();
      else if (key === "Enter" && target.name === "skip") skip(current);
      else return;
      event.preventDefault();
      return;
    }
    if (key === "Enter") {
      if (target.closest("a, button, summary")) return;
      goOn();
    } else if (key === "ArrowRight") {
      move(1);
    } else if (key === "ArrowLeft") {
      move(-1);
    } else if ((key === "ArrowDown" || key === "ArrowUp") && !target.matches("input[type='radio']")) {
      if (target.closest(".passage-text, .answer, .desk-dialog")) return;
      move(key === "ArrowDown" ? 1 : -1);
    } else if (key.length !== 1 || root.dataset.keys === "off" || !letter(event)) {
      return;
    }
    event.preventDefault();
  });

  // The beginning -------------------------------------------------------------------------------------

  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload(); // gone back to: the answers may be older than the server's
  });

  if (!isPreview) {
    for (const step of steps) putDraftBack(step);
    putBack();
  }
  go(current);
})();
