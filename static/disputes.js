// Deciding disputes with the keyboard: a choice's key chooses it, Enter saves, l goes on without.
"use strict";

const decision = document.querySelector("[data-decision]");

function letter(event) {
  if (document.documentElement.dataset.keys === "off" || event.key.length !== 1) return false;
  const choice = decision.querySelector(`[data-choice="${CSS.escape(event.key.toLowerCase())}"]`);
  if (choice) {
    choice.checked = true;
    choice.focus();
    return true;
  }
  const later = event.key.toLowerCase() === "l" ? document.querySelector("[data-later]") : null;
  later?.click();
  return Boolean(later);
}

function writes(target) {
  return Boolean(target.closest("textarea, select, [contenteditable], input:not([type='radio'])"));
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.isComposing || event.repeat) return;
  const isSave = event.key === "Enter";
  const isMeant = event.ctrlKey || event.metaKey;
  if (isSave && (isMeant || !(writes(event.target) || event.target.closest("a, button, summary")))) {
    const button = decision.querySelector("button.primary");
    if (button.disabled) return;
    event.preventDefault();
    decision.requestSubmit(button);
  } else if (!isSave && !isMeant && !writes(event.target) && letter(event)) {
    event.preventDefault();
  }
});

// A double click or a held key sends the decision once.
decision.addEventListener("submit", (event) => {
  if (decision.dataset.sent) event.preventDefault();
  decision.dataset.sent = "yes";
});

// Back from the next page the form can be sent again.
window.addEventListener("pageshow", () => delete decision.dataset.sent);
