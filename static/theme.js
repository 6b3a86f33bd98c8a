// Before the page is drawn: the reader's own choice of light or dark, where there is one.
(() => {
  "use strict";
  try {
    const chosen = localStorage.getItem("attest-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage may be blocked; the system's choice then holds.
  }
})();
