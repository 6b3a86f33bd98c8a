// The form of one task: one step in sight at a time, every answer saved when it is given. The server
// sends all steps at once, so moving between them needs no network. What else there is to a task,
// each in a file of `desk/`, looks at `task` and hears of each step by the event `desk:step`.
"use strict";

const desk = document.querySelector("[data-desk]");

// Without storage, what is kept there lasts as long as the page.
function storage(act, kind = "localStorage") {
  try {
    return act(window[kind]);
  } catch {
    return null;
  }
}

const task = (() => {
  const isPreview = "preview" in desk.dataset;
  const isFixed = "fixed" in desk.dataset;
  const isShort = "short" in desk.dataset;
  const looksOver = () => "looksOver" in desk.dataset || root.dataset.goOn !== "on";
  const { answerUrl, flagUrl, finishUrl } = desk.dataset;
  const steps = [...desk.querySelectorAll(".step[data-step]")];
  const end = desk.querySelector(".step-end");
  const byName = new Map(steps.map((step) => [step.dataset.name, step]));
  const byKey = new Map(steps.map((step) => [step.dataset.step, step]));
  const said = new Map(steps.map((step) => [step, saidBy(step)]));
  let current = steps.find((step) => !step.hidden) ?? end;

  for (const item of document.querySelectorAll("[data-with-script], [data-desk-open], [data-back]")) {
    item.hidden = false;
  }
  for (const item of document.querySelectorAll("[data-without-script]")) item.hidden = true;

  // What has been said ------------------------------------------------------------------------------

  function stateOf(step) {
    return document.getElementById(`state-${step.dataset.name}`);
  }

  function saidBy(step) {
    const { value, skipped, note, words = "" } = stateOf(step).dataset;
    return { value, skipped, note, words };
  }

  function isAnswered(step) {
    const { value, skipped } = said.get(step);
    return Boolean(value || skipped);
  }

  // What a dimension depends on: other ones, each with the answers after which it is asked.
  function parted(needs) {
    return needs.split(" ").filter(Boolean).map((need) => {
      const [key, values] = need.split("=");
      return { key, values: values.split("|") };
    });
  }

  function isMet(needs) {
    return parted(needs).every(({ key, values }) => {
      const first = byKey.get(key);
      return !first || fields.meets(said.get(first).value, values);
    });
  }

  function asked() {
    return steps.filter((step) => isMet(step.dataset.needs));
  }

  function inWords(step) {
    const { value, skipped } = said.get(step);
    if (skipped) return `skipped: ${skipped}`;
    const claim = value === "yes" && step.querySelector("[data-claim-said]")?.textContent;
    if (claim) return `“${claim}”`;
    return value && fields.of(step).words(step, value);
  }

  function show(step) {
    fields.of(step).put(step, said.get(step).value);
    if (claims.isWriting(step)) claims.put(step, said.get(step).words);
    for (const line of desk.querySelectorAll(`[data-said="${step.dataset.name}"]`)) {
      line.textContent = inWords(step) || "not answered yet";
    }
    consistency.show(step);
    for (const item of desk.querySelectorAll("li[data-needs]")) {
      item.hidden = !isMet(item.dataset.needs);
    }
    showStillOpen();
  }

  function showStillOpen() {
    const open = asked().filter(isOpen);
    const line = desk.querySelector("[data-still-open]");
    line.hidden = open.length === 0;
    line.textContent =
      open.length === 1
        ? "One dimension is not answered yet."
        : `${open.length} dimensions are not answered yet.`;
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

  function isSaid(step, next) {
    const before = said.get(step);
    return ["value", "skipped", "note", "words"].every((key) => before[key] === next[key]);
  }

  // What ends the work on this page, until the server has answered; then the next page is on its way.
  let isLeft = false;
  const endings = () => outbox.waiting().filter((entry) => entry.page === location.pathname);

  function isLeaving() {
    if (!isLeft && !endings().length) return false;
    if (navigator.onLine) notice("Leaving this task…", "saving");
    return true;
  }

  function give(step, answer, { isUndo = false, base = undefined } = {}) {
    if (isFixed) return;
    if (isLeaving()) {
      show(step);
      return;
    }
    const before = said.get(step);
    const note = answer.note ?? noteOf(step);
    const next = { value: answer.value ?? "", skipped: answer.skipped ?? "", note, words: "" };
    if (next.value === "yes") next.words = answer.words ?? claims.words(step);
    if (isSaid(step, next) && base === undefined) return;
    const isOther = ["value", "skipped", "words"].some((key) => before[key] !== next[key]);
    if (consistency.isSettled(step) && isOther) {
      show(step);
      notice("You have seen the passages, so this answer is locked.");
      return;
    }
    if (!isUndo) past.add(step, before, next);
    put(step, next);
    if (isPreview) return;
    const values = {
      step: step.dataset.step,
      note,
      seconds: clock.secondsOf(step).toFixed(1),
      edit: outbox.newEdit(),
      base: base ?? lastEdit(step),
    };
    if (next.words) values.words = next.words;
    if (about(step)) values.about = about(step);
    const wording = step.querySelector("input[name='wording']");
    if (wording) values.wording = wording.value;
    if (next.value) values.value = next.value;
    else if (next.skipped) values.skip = next.skipped;
    else values.withdraw = "1";
    outbox.add({ ...answerEntry(step), values });
    for (const name of ["value", "note"]) drafts.drop(step, name);
  }

  // The words of the claim that a dimension is put about: what is said of them, or marked, is taken
  // only while they are those of the claim.
  function about(step) {
    const words = parted(step.dataset.needs).map(({ key }) => said.get(byKey.get(key))?.words);
    return words.find(Boolean);
  }

  // What is said from now on, here or elsewhere.
  function put(step, next) {
    forgetWhatHangsOn(step, next);
    said.set(step, next);
    show(step);
  }

  // What was said, and marked, of a claim that reads otherwise now, or in answer to a dimension that
  // is not asked any more, is to be asked again.
  function forgetWhatHangsOn(step, next) {
    const { words } = said.get(step);
    for (const other of steps) {
      const needs = parted(other.dataset.needs).filter(({ key }) => key === step.dataset.step);
      const isMet = needs.every(({ values }) => fields.meets(next.value, values));
      if (!needs.length || (words === next.words && isMet)) continue;
      forgetWhatHangsOn(other, { value: "", words: "" });
      said.set(other, { value: "", skipped: "", note: said.get(other).note, words: "" });
      Object.assign(stateOf(other).dataset, { value: "", skipped: "" });
      stateOf(other).replaceChildren();
      show(other);
      desk.dispatchEvent(new CustomEvent("desk:forgotten", { detail: other }));
    }
  }

  function undo() {
    if (isFixed) return;
    endings().forEach(outbox.cancel);
    if (isLeaving()) return;
    commitHeld();
    const { step, before } = past.take((one) => said.get(byKey.get(one))) ?? {};
    const lastTask = document.querySelector("a[data-undo]");
    if (!step && lastTask && !steps.some(isAnswered)) {
      if (navigator.onLine) location.assign(lastTask.href);
      else notice("No network. Undo of the last task works when you are online again.");
      return;
    }
    if (!step || consistency.isSettled(byKey.get(step))) {
      notice("Nothing to undo in this window.");
      return;
    }
    const taken = byKey.get(step);
    give(taken, before, { isUndo: true });
    taken.querySelector("textarea[name='note']").value = before.note;
    go(taken);
    notice("Undone.", "saving");
  }

  // Not “saved”: it wears no tick. What is not about an answer on its way stays until one is given.
  function notice(text, state = "notice") {
    const place = document.querySelector("[data-outbox-state]");
    place.hidden = false;
    place.dataset.state = state;
    place.textContent = text;
  }

  // What still waits in this browser is shown as said, one after the other as it was said.
  function putBack(entry) {
    const { kind, url, values } = entry;
    const step = byKey.get(entry.step);
    if (!step) return;
    if (kind === "flag" && url === flagUrl) {
      step.querySelector("[data-flag-reason]").value = values.reason;
      step.querySelector("[data-flag-note]").value = values.flag_note ?? "";
    } else if (kind === "answer" && url === answerUrl) {
      const { value = "", skip = "", note = "", words = "" } = values;
      put(step, { value, skipped: skip, note, words });
      step.querySelector("textarea[name='note']").value = note;
    } else {
      desk.dispatchEvent(new CustomEvent("desk:waiting", { detail: { entry, step } }));
    }
  }

  const channel = "BroadcastChannel" in window ? new BroadcastChannel("attest-desk") : null;

  outbox.listen((kind, entry, text) => {
    const step = entry.url === answerUrl ? byKey.get(entry.step) : undefined;
    if (kind === "sent" && step) {
      channel?.postMessage({ url: answerUrl, step: entry.step, ...stateOf(step).dataset });
      if (!text.includes("data-lost")) clock.lookForPlace();
    } else if (kind === "sent" && entry.page === location.pathname) {
      isLeft = true;
      past.clear();
    } else if (kind === "conflict" && step) {
      put(step, saidBy(step));
      go(step);
      if (step.dataset.answer === "text") drafts.keep(step, { name: "value", value: entry.values.value });
      offer(step, entry.values);
    } else if (kind === "refused" && entry.url.startsWith(location.pathname)) {
      // The form shows again what the server has; what was refused is kept (desk/refused.js).
      const place = document.getElementById("desk-place");
      place.innerHTML = text;
      const about = byKey.get(entry.step);
      if (about && about !== current) {
        const link = document.createElement("a");
        Object.assign(link, { href: `?step=${about.dataset.name}`, textContent: "To the dimension" });
        link.dataset.to = about.dataset.name;
        place.querySelector("p")?.append(" ", link);
      }
      if (step) put(step, saidBy(step));
    }
  });

  function offer(step, mine) {
    const state = stateOf(step);
    sheet.open();
    state.querySelector("[data-keep-theirs]")?.addEventListener("click", () => {
      state.replaceChildren();
      drafts.drop(step, "value");
      focusOn(step);
    });
    state.querySelector("[data-use-mine]")?.addEventListener("click", () => {
      const answer = { value: mine.value, skipped: mine.skip, note: mine.note, words: mine.words };
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
    if (knownEdit(step) !== known || held?.step === step) return; // what is typed is asked about
    if (outbox.waiting(answerEntry(step)).length) {
      if (again) setTimeout(follow, 200, step, data, known, again - 1);
      return;
    }
    Object.assign(stateOf(step).dataset, { edit: data.edit, value: data.value });
    Object.assign(stateOf(step).dataset, { skipped: data.skipped, note: data.note });
    if (data.words !== undefined) stateOf(step).dataset.words = data.words;
    said.set(step, saidBy(step));
    step.querySelector("textarea[name='note']").value = data.note;
    show(step);
  };

  channel?.addEventListener("message", ({ data }) => {
    const step = data.url === answerUrl ? byKey.get(data.step) : undefined;
    if (!step) return;
    forgetWhatHangsOn(step, { words: "", ...data }); // before it hears what is said of the new words
    follow(step, data, knownEdit(step), 25);
  });

  // Moving ------------------------------------------------------------------------------------------

  function focusOn(step) {
    step.focus({ preventScroll: true });
    claims.focus(step);
    fields.of(step)?.focus?.(step);
  }

  function go(step) {
    commitHeld();
    const target = consistency.first(step ?? end);
    clock.turnTo(target === end ? null : target);
    for (const section of [...steps, end]) section.hidden = section !== target;
    current = target;
    showStillOpen();
    const inSight = (target.dataset.passages ?? "").split(" ").filter(Boolean);
    const column = desk.querySelector("[data-desk-passages]");
    column.hidden = inSight.length === 0;
    desk.classList.toggle("with-passages", inSight.length > 0);
    for (const passage of desk.querySelectorAll(".passage")) {
      passage.hidden = !inSight.includes(passage.dataset.passage);
    }
    if (inSight.length) consistency.seePassages();
    if (target !== end) consistency.show(target);
    for (const statement of desk.querySelectorAll(".answer .statement")) {
      statement.classList.toggle("lit", statement.dataset.unit === target.dataset.statement);
    }
    for (const chip of desk.querySelectorAll(".answer .chip")) {
      chip.classList.toggle("lit", chip.dataset.unit === target.dataset.unit);
    }
    for (const link of desk.querySelectorAll("a[data-to]")) {
      if (link.dataset.to === target.dataset.name) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    }
    claims.light(target);
    showLit();
    desk.dispatchEvent(new CustomEvent("desk:step"));
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
    if (commitHeld() && consistency.contradicting(current)) return; // the warning has just come up
    if (fields.isWrong(current) && !said.get(current).skipped) {
      stay(fields.complain(current));
      return;
    }
    if (consistency.proposal(current)) give(current, { value: consistency.proposal(current) });
    if (!isAnswered(current) && claims.words(current)) give(current, { value: "yes" });
    if (!isAnswered(current)) {
      stay(fields.of(current).ask);
      return;
    }
    const target = neighbour(1);
    if (target !== end) go(target);
    else if (isShort || !looksOver()) finish();
    else go(end);
  }

  // What is missing is told, and the focus is where it can be given.
  function stay(why) {
    sheet.open();
    notice(why);
    const { enter } = fields.of(current);
    if (enter) enter(current);
    else focusOn(current);
  }

  function isOpen(step) {
    if (said.get(step).skipped) return false;
    return !isAnswered(step) || fields.isWrong(step) || fields.isDraft(step);
  }

  // Behind all answers that wait, so that none of them takes the task up again.
  function leave(kind, url, values) {
    outbox.add({ kind, url, page: location.pathname, step: "", values });
  }

  document.querySelector("[data-pause]")?.addEventListener("submit", (event) => {
    event.preventDefault();
    if (isLeaving()) return;
    commitHeld();
    leave("pause", event.target.action, {});
  });

  function finish() {
    if (isLeaving()) return;
    commitHeld();
    const open = asked().find(isOpen);
    if (open) {
      go(open);
      notice("Answer this question first.");
      return;
    }
    if (isPreview || isFixed) return;
    for (const button of desk.querySelectorAll("[data-finish], [data-go-on]")) button.disabled = true;
    leave("finish", finishUrl, {});
    setTimeout(() => {
      // The network may be gone: the button comes back, and finishing twice does nothing twice.
      for (const button of desk.querySelectorAll("[data-finish], [data-go-on]")) {
        button.disabled = false;
      }
    }, 4000);
  }

  // Choosing: an arrow key that passes over a choice has not chosen it yet ----------------------------

  let held = null;

  // Save the answer that is held. Whether there was one.
  function commitHeld() {
    if (!held) return false;
    clearTimeout(held.timer);
    const { step, read } = held;
    held = null;
    const value = read();
    if (value !== null) give(step, { value });
    return true;
  }

  // What is being answered: saved when it has stayed the same for a moment, or when it is left.
  function hold(step, read, wait = 0) {
    if (held && held.step !== step) commitHeld();
    clearTimeout(held?.timer);
    held = { step, read, timer: wait ? setTimeout(commitHeld, wait) : undefined };
  }

  addEventListener("pagehide", commitHeld);

  function holdWords(step) {
    const value = claims.words(step) ? "yes" : "";
    step.querySelector("input[name='value'][value='yes']").checked = Boolean(value);
    hold(step, () => value, 700);
  }

  for (const step of steps) if (claims.isWriting(step)) claims.listen(step, holdWords);

  function choose(step, value) {
    commitHeld();
    if (value === "yes" && claims.isWriting(step) && !claims.words(step)) {
      show(step);
      notice("Choose the words of the claim first.");
      return;
    }
    give(step, { value });
    if (root.dataset.goOn === "on" && isAnswered(step) && !consistency.contradicting(step)) goOn();
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
      if (step.dataset.answer !== "choice") return;
      if (isArrow) hold(step, () => value, 700);
      else choose(step, value);
    } else if (event.target.name === "note") {
      const { value, skipped } = said.get(step);
      if (value || skipped) give(step, { value, skipped });
    } else if (event.target.matches("[data-flag-reason], [data-flag-note]") && !isPreview) {
      const chosen = step.querySelector("[data-flag-reason]");
      const note = step.querySelector("[data-flag-note]");
      if (event.target === chosen && !chosen.value) note.value = ""; // taken back
      else if (note.value.trim() && !chosen.value) chosen.value = "other";
      const values = { step: step.dataset.step, reason: chosen.value, flag_note: note.value };
      outbox.add({ kind: "flag", url: flagUrl, step: step.dataset.step, values });
    }
  });

  desk.addEventListener("input", (event) => {
    const step = event.target.closest(".step");
    if (step && !isPreview) drafts.keep(step, event.target);
  });

  desk.addEventListener("focusout", (event) => {
    const isLeft = event.target.name === "value" && event.relatedTarget?.name !== "value";
    if (isLeft && held) commitHeld();
  });

  function skip(step) {
    commitHeld();
    const field = step.querySelector("input[name='skip']");
    const reason = field.value.trim();
    if (!reason) {
      field.focus();
      notice("Give a reason for skipping.");
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
      finish();
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

  document.querySelector("[data-undo]")?.addEventListener("click", (event) => {
    event.preventDefault();
    undo();
  });

  // The beginning -------------------------------------------------------------------------------------

  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload(); // gone back to: the answers may be older than the server's
  });

  // When the scripts of `desk/` are there, too.
  addEventListener("DOMContentLoaded", () => {
    if (!isPreview) {
      // What waited may have been sent since the form was read, before anybody listened.
      for (const step of steps) if (!isSaid(step, saidBy(step))) put(step, saidBy(step));
      outbox.waiting().forEach(putBack);
      for (const step of steps) drafts.putBack(step);
    }
    go(current);
  });

  return {
    steps,
    isFixed,
    isPreview,
    step: () => (current === end ? null : current),
    asked,
    isAnswered,
    isMet,
    valueOf: (step) => said.get(step).value,
    stepOf: (key) => byKey.get(key),
    stateOf,
    about,
    putBack,
    go,
    goOn,
    notice,
    move,
    undo,
    choose,
    hold,
    skip,
    focus: () => focusOn(current),
  };
})();
