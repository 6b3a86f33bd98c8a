// The tour of a rater's first task: four notes, one at a time, above the question. The
// focus stays in the task, whose keys all work, and a rater sees it once.
"use strict";

(() => {
  const tour = desk.querySelector("[data-tour]");
  const key = `attest-tour:${outbox.owner}`;
  if (storage((store) => store.getItem(key))) return;
  const notes = [...tour.querySelectorAll("[data-tour-of]")];
  const next = tour.querySelector("[data-tour-next]");
  let at = 0;

  function show() {
    for (const [n, note] of notes.entries()) {
      note.hidden = n !== at;
      document.querySelector(note.dataset.tourOf).classList.toggle("toured", n === at);
    }
    // On a narrow screen the sheet would cover the answer that the first note is about.
    if (sheet.isNarrow.matches) sheet.show(at > 0);
    next.textContent = at + 1 < notes.length ? "Next" : "Done";
    tour.querySelector("[data-tour-place]").textContent = `${at + 1} of ${notes.length}`;
  }

  function end() {
    at = notes.length;
    show();
    tour.hidden = true;
    storage((store) => store.setItem(key, "seen"));
    task.focus();
  }

  next.addEventListener("click", () => {
    at += 1;
    if (at < notes.length) show();
    else end();
  });
  tour.querySelector("[data-tour-end]").addEventListener("click", end);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !tour.hidden && !document.querySelector("dialog[open]")) end();
  });
  // An answer by key leaves the first note behind: the next question must be in sight.
  desk.addEventListener("desk:step", () => {
    if (at === 0 && sheet.isNarrow.matches) sheet.open();
  });
  // The first note comes after the live region that it is announced in.
  tour.hidden = false;
  addEventListener("DOMContentLoaded", () => setTimeout(show, 100));
})();
