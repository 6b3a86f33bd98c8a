// What pages do beyond links, forms and htmx. Everything works without this file, less smoothly.
"use strict";

const root = document.documentElement;

// On a narrow screen the study's tabs scroll: the present one is brought into sight ---------------

document.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });

// A field with a fault is brought out of what is folded over it ----------------------------------

document.addEventListener(
  "invalid",
  (event) => {
    let folded = event.target.closest("details");
    for (; folded; folded = folded.parentElement.closest("details")) folded.open = true;
  },
  true,
);

// Light or dark ---------------------------------------------------------------------------------

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-theme-button]")) return;
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const next = (root.dataset.theme || system) === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  try {
    localStorage.setItem("attest-theme", next);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
});

// Reading: a mark lights up its passage and its statement, and the other way round ----------------

function light(source) {
  const reader = source.closest("[data-reader]");
  if (!reader) return;
  const unit = source.dataset.unit ?? "";
  const statement = unit.split(".")[0];
  const passages = source.dataset.passage
    ? [source.dataset.passage]
    : (source.dataset.passages ?? "").split(" ").filter(Boolean);
  const fromPassage = source.matches(".passage");
  for (const item of reader.querySelectorAll("[data-passage], .statement, .statement-row")) {
    let lit;
    if (item.matches(".statement, .statement-row")) {
      lit = fromPassage
        ? (item.dataset.passages ?? "").split(" ").includes(source.dataset.passage)
        : item.dataset.unit === statement;
    } else if (item.matches(".passage") || fromPassage) {
      lit = passages.includes(item.dataset.passage);
    } else {
      lit = source.dataset.passage
        ? item.dataset.unit === unit
        : item.dataset.unit?.startsWith(`${statement}.`);
    }
    item.classList.toggle("lit", Boolean(lit));
  }
}

function unlight(reader) {
  for (const item of reader.querySelectorAll(".lit")) item.classList.remove("lit");
}

const lightable = ".chip[data-passage], .statement-row, .passage, .statement";

for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const source = event.target.closest(lightable);
    if (source) light(source);
  });
}

for (const kind of ["pointerout", "focusout"]) {
  document.addEventListener(kind, (event) => {
    const reader = event.target.closest("[data-reader]");
    if (!reader) return;
    const next = event.relatedTarget?.closest?.(lightable);
    if (next && reader.contains(next)) return;
    const focused = reader.querySelector(".chip:focus, .passage:focus");
    if (focused) light(focused);
    else unlight(reader);
  });
}

// The raw text of answers in their place, until it is asked for no more or the browser is closed ----

let isRaw = false;
try {
  isRaw = sessionStorage.getItem("attest-raw") === "on";
} catch {
  // Without storage the choice lasts as long as the page.
}

function showRaw() {
  for (const raw of document.querySelectorAll("[data-answer='raw']")) {
    raw.hidden = !isRaw;
    raw.previousElementSibling.hidden = isRaw;
  }
  for (const button of document.querySelectorAll("[data-raw-toggle]")) {
    button.hidden = false;
    button.setAttribute("aria-pressed", String(isRaw));
  }
}

showRaw();
document.addEventListener("htmx:load", showRaw);

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-raw-toggle]")) return;
  isRaw = !isRaw;
  try {
    sessionStorage.setItem("attest-raw", isRaw ? "on" : "off");
  } catch {
    // As above.
  }
  showRaw();
});

// A mark that is followed leads into its passage, and Escape back to the mark.
let leftAt = null;

document.addEventListener("click", (event) => {
  const chip = event.target.closest("a.chip[data-passage]");
  if (!chip) return;
  const passage = document.getElementById(chip.hash.slice(1));
  if (!passage) return;
  event.preventDefault();
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  passage.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
  passage.focus({ preventScroll: true });
  leftAt = chip;
  light(chip);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.closest(".passage")) leftAt?.focus();
});

// Keys: j and k go to the next and the previous response, r shows the raw text, unless the account
// page says no ---------------------------------------------------------------------------------------

try {
  root.dataset.keys = localStorage.getItem("attest-keys") ?? "on";
} catch {
  root.dataset.keys = "on";
}

for (const setting of document.querySelectorAll("[data-keys-setting]")) {
  const box = setting.querySelector("input");
  setting.hidden = false;
  box.checked = root.dataset.keys === "on";
  box.addEventListener("change", () => {
    root.dataset.keys = box.checked ? "on" : "off";
    try {
      localStorage.setItem("attest-keys", root.dataset.keys);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  });
}

document.addEventListener("keydown", (event) => {
  if (root.dataset.keys === "off" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
});

// Notes that were being written, and what could be undone, are not left to whoever uses the browser next ------------------------

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-sign-out]")) return;
  try {
    for (const store of [localStorage, sessionStorage]) {
      for (const key of Object.keys(store)) {
        if (/^attest-(note|undo):/.test(key)) store.removeItem(key);
      }
    }
  } catch {
    // Without storage there are none.
  }
});

// Questions before what cannot be undone ----------------------------------------------------------

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-confirm]");
  if (button && !window.confirm(button.dataset.confirm)) event.preventDefault();
});

// Copying a link ----------------------------------------------------------------------------------

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = button.parentElement.querySelector("input");
  const label = (button.dataset.label ??= button.textContent);
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    field.select();
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = label;
  }, 2000);
});

// Uploading: drop a file, see its name, be told at once when it is too large, watch it go ----------

function showSize(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB"];
  let value = bytes / 1000;
  while (value >= 1000 && units.length > 1) {
    value /= 1000;
    units.shift();
  }
  return `${value.toFixed(1)} ${units[0]}`;
}

function lookAtFile(form) {
  const file = form.querySelector("#id_file").files[0];
  const name = form.querySelector("[data-drop-name]");
  const limit = Number(form.dataset.maxBytes);
  if (!file) {
    name.textContent = "";
    return true;
  }
  const fits = file.size <= limit;
  name.classList.toggle("error", !fits);
  name.textContent = fits
    ? `${file.name}, ${showSize(file.size)}`
    : `${file.name} is too large: ${showSize(file.size)}. The limit is ${showSize(limit)}.`;
  return fits;
}

function watchUpload(form) {
  const zone = form.querySelector("[data-drop]");
  const input = form.querySelector("#id_file");
  const bar = form.querySelector("[data-sending]");
  const stop = (message) => {
    const name = form.querySelector("[data-drop-name]");
    name.classList.add("error");
    name.textContent = message;
    bar.hidden = true;
    form.querySelector("button.primary").disabled = false;
  };
  input.addEventListener("change", () => lookAtFile(form));
  for (const kind of ["dragenter", "dragover"]) {
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  for (const kind of ["dragleave", "drop"]) {
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      if (!zone.contains(event.relatedTarget)) zone.classList.remove("over");
    });
  }
  zone.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    const kept = new DataTransfer();
    kept.items.add(event.dataTransfer.files[0]);
    input.files = kept.files;
    lookAtFile(form);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!lookAtFile(form)) return;
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.upload.addEventListener("progress", (step) => {
      if (!step.lengthComputable) return;
      bar.hidden = false;
      bar.value = (100 * step.loaded) / step.total;
    });
    request.addEventListener("load", () => {
      if (request.responseURL && request.responseURL !== form.action) {
        location.assign(request.responseURL);
        return;
      }
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      const main = page.querySelector("main");
      if (!main) {
        stop(
          `The server's answer could not be shown (status ${request.status}). ` +
            "Reload the page and try again.",
        );
        return;
      }
      // The page of the files, where the form may have stood on another one.
      for (const part of [".study-bar", "main"]) {
        document.querySelector(part)?.replaceWith(page.querySelector(part) ?? "");
      }
      document.title = page.title;
      history.replaceState(null, "", form.action);
      document.querySelector("#id_file_error")?.setAttribute("role", "alert");
      watchUploads();
    });
    request.addEventListener("error", () => {
      stop("The connection was lost before the file was sent. Try again.");
    });
    form.querySelector("button.primary").disabled = true;
    request.send(new FormData(form));
  });
}

function watchUploads() {
  for (const form of document.querySelectorAll("[data-drop-form]")) watchUpload(form);
}

watchUploads();

// Passkeys: allauth's script says when the browser or its owner did not give one.
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  const told = document.getElementById("passkey-fault") ?? document.createElement("p");
  told.id = "passkey-fault";
  told.className = "message error";
  told.setAttribute("role", "alert");
  told.textContent = "The passkey did not work: this device has none for this site, or you cancelled. Nothing was changed.";
  document.querySelector("main h1").after(told);
});
