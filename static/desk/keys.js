// The keys of a task, and going on by itself after an answer.
"use strict";

(() => {
  const setting = document.getElementById("go-on-setting");
  // Without single letters, an answer by Space or a click is no word to go on.
  root.dataset.goOn = storage((store) => store.getItem("attest-go-on")) ?? root.dataset.keys;
  setting.checked = root.dataset.goOn === "on";
  setting.addEventListener("change", () => {
    root.dataset.goOn = setting.checked ? "on" : "off";
    storage((store) => store.setItem("attest-go-on", root.dataset.goOn));
  });

  for (const opener of document.querySelectorAll("[data-desk-open]")) {
    opener.addEventListener("click", () => openDialog(opener.dataset.deskOpen));
  }

  function openDialog(id) {
    document.getElementById(id).showModal();
  }

  function open(name) {
    const details = task.step()?.querySelector(`[data-more="${name}"]`);
    if (!details) return;
    sheet.open();
    details.open = true;
    details.querySelector("textarea, input, select").focus();
  }

  const letters = {
    a: () => passages.askFor(passages.wholeLinks("")),
    j: () => task.move(1),
    k: () => task.move(-1),
    u: task.undo,
    z: task.undo,
    s: () => open("skip"),
    c: () => open("note"),
    x: () => open("flag"),
    h: () => open("ask"),
    l: sheet.toggleList,
    q: sheet.toggle,
    w: () => words.sharedToggle?.click(),
    r: () => desk.querySelector("[data-raw-toggle]")?.click(),
    g: () => openDialog("guidelines-dialog"),
    "?": () => openDialog("keys-dialog"),
    "/": () => words.field.offsetParent && words.field.focus(),
  };

  function letter(event) {
    const wanted = event.key.toLowerCase();
    const choice = task.step()?.querySelector(`[data-key-choice="${CSS.escape(wanted)}"]`);
    if (choice && !task.isFixed) {
      fields.of(task.step()).pick(task.step(), choice);
      return true;
    }
    if (/^[0-9.,-]$/.test(wanted) && isTyped(event)) return false;
    const act = letters[event.key] ?? letters[wanted];
    act?.();
    return Boolean(act);
  }

  // What is typed goes into the field for a number, wherever the focus is.
  function isTyped({ target }) {
    const field = task.step()?.querySelector("[data-number]:enabled");
    if (!field) return false;
    if (target !== field) field.select();
    return true;
  }

  const ways = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

  function isInList({ target, key }) {
    const list = target.closest("[data-jump]");
    if (!list) return false;
    if (key === "Escape") {
      list.open = false;
      task.focus();
    } else if (target.matches("a") && (key === "ArrowDown" || key === "ArrowUp")) {
      const links = [...list.querySelectorAll("li:not([hidden]) a")];
      links[links.indexOf(target) + ways[key]]?.focus();
    } else {
      return false;
    }
    return true;
  }

  function isInField({ target, key }) {
    if (key === "Escape") task.focus();
    else if (key === "Enter" && target === words.field) words.nextFound();
    else if (key === "Enter" && target.name === "skip") task.skip(task.step());
    else return false;
    return true;
  }

  function isForTask(event) {
    const { target, key } = event;
    if (key === "Enter") {
      if (target.closest("a, button, summary")) return false;
      task.goOn();
    } else if (key === "ArrowRight" || key === "ArrowLeft") {
      // In what scrolls and among the choices they do what they do anywhere.
      if (!target.matches("body, .step")) return false;
      task.move(ways[key]);
    } else if (key.length !== 1 || root.dataset.keys === "off") {
      return false;
    } else {
      return letter(event);
    }
    return true;
  }

  // A key that is held answers once.
  function isHeld({ target, key, repeat }) {
    return repeat && (key === "Enter" || (key.length === 1 && key !== " ")) && !isText(target);
  }

  function isText(target) {
    const isShort = "[type='radio'], [type='checkbox'], [type='range'], [data-number]";
    return Boolean(target.closest(`textarea, select, input:not(${isShort})`));
  }

  // Enter is a new line in an answer that is a text.
  function endsText({ target, key, ctrlKey, metaKey, repeat }) {
    if (!target.matches?.("textarea[name='value']") || key !== "Enter") return false;
    if (!(ctrlKey || metaKey)) return false;
    if (!repeat) task.goOn();
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if (endsText(event)) event.preventDefault();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.defaultPrevented || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    const isOurs =
      isHeld(event) ||
      isInList(event) ||
      (isText(event.target) ? isInField(event) : isForTask(event));
    if (isOurs) event.preventDefault();
  });
})();
