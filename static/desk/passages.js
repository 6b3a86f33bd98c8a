// Long passages of a task: in extract, or whole.
"use strict";

const passages = (() => {
  function showParts() {
    for (const part of desk.querySelectorAll("[data-of-steps]")) {
      part.hidden = !part.dataset.ofSteps.split(" ").includes(task.step()?.dataset.name);
    }
  }

  // Beside two answers passages are folded until they are needed.
  function open() {
    for (const details of desk.querySelectorAll("details.pair-passages")) details.open = true;
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
    showParts();
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

  desk.addEventListener("desk:step", showParts);

  return { wholeLinks, askFor, open };
})();
