// The passages of a task: the sentence of each that convinced, and long passages in extract or whole.
"use strict";

const passages = (() => {
  // Evidence: one sentence of a passage for each question ---------------------------------------------

  function marksOf(step) {
    return [...step.querySelectorAll("[data-evidence]")];
  }

  function showEvidence() {
    const marks = task.step() ? marksOf(task.step()) : [];
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
    const step = task.step();
    if (!step || task.isFixed) return;
    const number = sentence.closest("[data-text]").dataset.text;
    const wasMarked = sentence.classList.contains("evidence");
    const { start, end: until } = sentence.dataset;
    const values = { step: step.dataset.step, source: number };
    if (wasMarked) values.clear = "1";
    else Object.assign(values, { start, end: until });
    putMark(step, number, wasMarked ? null : [start, until]);
    showEvidence();
    if (!task.isPreview) {
      const url = desk.dataset.evidenceUrl;
      outbox.add({ kind: "evidence", url, step: step.dataset.step, values });
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
      part.hidden = !part.dataset.ofSteps.split(" ").includes(task.step()?.dataset.name);
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
    desk.dispatchEvent(new CustomEvent("desk:passage"));
    const text = passage.querySelector(".passage-text[data-stretch]");
    const place = Number(passage.dataset.place);
    const sentence = [...(text?.querySelectorAll(".sentence") ?? [])].find(
      (one) => Number(one.dataset.start) >= place,
    );
    if (place && sentence && text.scrollHeight <= text.clientHeight) {
      sentence.scrollIntoView({ block: "center" });
    } else if (place && sentence) {
      text.scrollTop += sentence.getBoundingClientRect().top - text.getBoundingClientRect().top;
    }
  });

  desk.addEventListener("desk:step", () => {
    showParts();
    showEvidence();
  });

  return { putMark, toggleEvidence, moveSentence, sentencesInSight, wholeLinks, askFor };
})();
