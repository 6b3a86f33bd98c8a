// The frame of the dimensions: the list to jump to one, and on narrow screens a sheet that opens and
// closes over the texts, by its button, the key q, and a swipe.
"use strict";

const sheet = (() => {
  const isNarrow = matchMedia("(max-width: 47.99rem)");
  const isLow = matchMedia("(max-height: 30rem)");
  const form = document.getElementById("desk-form");
  const list = desk.querySelector("[data-jump]");
  const toggles = [...desk.querySelectorAll("[data-sheet-toggle]")];
  const swipe = 24;
  let inSight = "";

  function place() {
    const order = task.asked();
    const at = order.indexOf(task.step());
    return at < 0 ? "answers" : `dimension ${at + 1} of ${order.length}`;
  }

  // How much room the bar, what stands above the columns, and the sheet take.
  const bar = document.querySelector(".desk-bar");
  const columns = desk.querySelector(".desk-columns");

  function measure() {
    const { style } = document.documentElement;
    style.setProperty("--bar", `${bar.offsetHeight}px`);
    style.setProperty("--above", `${columns.getBoundingClientRect().top + scrollY}px`);
    style.setProperty("--sheet", `${form.offsetHeight}px`);
  }

  const sizes = new ResizeObserver(measure);
  for (const item of [bar, desk, form]) sizes.observe(item);

  function show(isOpen) {
    desk.dataset.sheet = isOpen ? "open" : "closed";
    for (const toggle of toggles) {
      toggle.setAttribute("aria-expanded", String(isOpen));
      toggle.textContent = isOpen ? "Hide" : place().replace("dimension ", "");
      toggle.setAttribute("aria-label", isOpen ? "Hide the dimension" : `Show ${place()}`);
    }
    measure(); // at once: what is scrolled to next must come to lie beside the sheet, not below it
  }

  const isOpen = () => desk.dataset.sheet === "open";

  function open() {
    if (!isOpen()) show(true);
  }

  function toggle() {
    if (!isNarrow.matches) return;
    show(!isOpen());
    const { activeElement } = document;
    if (!toggles.includes(activeElement) || !activeElement.checkVisibility()) task.focus();
  }

  for (const each of toggles) each.addEventListener("click", toggle);

  function toggleList() {
    if (!list || !task.step()) return;
    open();
    list.open = !list.open;
    if (list.open) enterList();
    else task.focus();
  }

  function enterList() {
    const here = list.querySelector("[aria-current]") ?? list.querySelector("a");
    here.focus({ preventScroll: true });
    here.scrollIntoView({ block: "nearest" });
  }

  // Heard of a moment after the list has opened: the keys that follow on `l` do not wait for it.
  list?.addEventListener("toggle", () => {
    if (list.open && !document.activeElement.closest("[data-jump] a")) enterList();
  });

  // A swipe down on the edge or the row of buttons closes the sheet, one up opens it.
  let from = null;
  form.addEventListener("pointerdown", (event) => {
    from = event.target.closest(".step-moves, [data-sheet-grip]") ? event.clientY : null;
  });
  addEventListener("pointerup", (event) => {
    const way = from === null ? 0 : event.clientY - from;
    from = null;
    if (!isNarrow.matches || Math.abs(way) < swipe) return;
    show(way < 0);
    // The swipe is no tap on the button that it began on.
    const stop = (click) => {
      click.preventDefault();
      click.stopPropagation();
    };
    addEventListener("click", stop, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", stop, { capture: true }));
  });

  // On a narrow screen a step begins where its passages do.
  desk.addEventListener("desk:step", () => {
    if (list) {
      list.open = false;
      list.hidden = !task.step(); // at the end all of it is in sight
      list.querySelector("[data-place]").textContent = place().replace("d", "D");
    }
    show(isOpen());
    const wanted = task.step()?.dataset.passages ?? "";
    if (isNarrow.matches && wanted !== inSight) {
      const part = wanted ? "[data-desk-passages]" : ".desk-read";
      desk.querySelector(part).scrollIntoView({ block: "start" });
    }
    inSight = wanted;
  });

  for (const item of [...toggles, desk.querySelector("[data-sheet-grip]")]) item.hidden = false;
  show(!isLow.matches);

  return { isNarrow, open, show, toggle, toggleList };
})();
