// Answers on their way to the server. Each is kept in the browser's storage until the server has
// it, so a lost network, a closed page, a restarted server or a lost session loses nothing; each
// has a name of its own (its edit), so sending it twice does nothing twice.
"use strict";

const outbox = (() => {
  const host = document.querySelector("[data-outbox]");
  const owner = host?.dataset.outbox;
  const prefix = `attest-outbox:${owner}:`;
  const refusedPrefix = `attest-refused:${owner}:`;
  const waits = [1000, 2000, 4000, 8000, 15000];
  const timeout = 20000;
  const listeners = [];
  // What the browser has no room for, and what the server cannot save at present: for as long as
  // the page is open. Everything is tried anew by the next page.
  const withoutStorage = new Map();
  const stuck = new Map();
  let lastOrder = 0;
  let failures = 0;
  let isSending = false;
  let underway = ""; // the key of the entry that the server is being asked to take
  let timer = null;
  let state = "idle";
  let isCounted = true; // The last answer that was saved may be in a task that others took.

  // Entries: one key each, so that two windows never write over each other's ----------------------

  function keep(key, entry) {
    try {
      localStorage.setItem(key, JSON.stringify(entry));
    } catch {
      withoutStorage.set(key, entry);
    }
  }

  function drop(key) {
    withoutStorage.delete(key);
    stuck.delete(key);
    try {
      localStorage.removeItem(key);
    } catch {
      // It was only in memory.
    }
  }

  function entries(of = prefix) {
    const found = [...withoutStorage.entries()].filter(([key]) => key.startsWith(of));
    for (const key of storedKeys(of)) {
      try {
        const entry = JSON.parse(localStorage.getItem(key));
        if (entry?.url && entry.values) found.push([key, entry]);
      } catch {
        // Not an answer any more; the others are not to suffer from it.
      }
    }
    return found.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  function storedKeys(of) {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(of));
    } catch {
      return []; // Only what is in memory.
    }
  }

  // A place behind everything that waits, also where the clock was set back.
  function nextOrder() {
    const before = entries().at(-1)?.[0].slice(prefix.length).split(":")[0] ?? 0;
    lastOrder = Math.max(Date.now(), Number(before) + 1, lastOrder + 1);
    return String(lastOrder).padStart(15, "0");
  }

  function newEdit() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  function add(entry) {
    for (const [key, old] of refused()) {
      if (replaces(entry, old)) drop(key);
    }
    keep(`${prefix}${nextOrder()}:${newEdit()}`, entry);
    announce("added", entry);
    tell("saving");
    flush();
  }

  // Take back what waits, unless it is being sent.
  function cancel(entry) {
    for (const [key, other] of entries()) if (isSame(entry, other) && key !== underway) drop(key);
  }

  function isSame(entry, other) {
    return entry.kind === other.kind && entry.url === other.url && entry.step === other.step;
  }

  function taskOf(entry) {
    return entry.url.replace(/[^/]+\/$/, "");
  }

  // Whether `later` takes the place of `entry`. Marks and questions stand beside one another.
  function replaces(later, entry) {
    return isSame(later, entry) && !["ask", "evidence"].includes(later.kind);
  }

  // Whether `later` makes sense only after `entry`: another answer to its dimension, or the end of
  // its task.
  function hangsOn(later, entry) {
    if (replaces(later, entry)) return true;
    return later.kind === "finish" && taskOf(later) === taskOf(entry);
  }

  function waiting(like) {
    return entries()
      .filter(([, entry]) => !like || isSame(entry, like))
      .map(([, entry]) => entry);
  }

  // What the server refused: kept with the reason until it is sent again or discarded, so that no
  // words are lost. Of several answers to a dimension it is the last.
  function setAside(entry, text) {
    if (!["answer", "flag", "ask", "evidence"].includes(entry.kind)) return;
    const why = new DOMParser().parseFromString(text, "text/html").body.textContent.trim();
    keep(`${refusedPrefix}${nextOrder()}`, { ...entry, why: why.slice(0, 500) });
  }

  function refused() {
    return entries(refusedPrefix);
  }

  function again(key, { why, ...entry }) {
    drop(key);
    add(entry);
  }

  // The visible state ------------------------------------------------------------------------------

  function answers(count) {
    return count === 1 ? "1 answer waits" : `${count} answers wait`;
  }

  // What the desk asks for stands until it is done: that an answer before it was saved is no news.
  function tellUnlessAsking(next) {
    const isAsking = document.querySelector("[data-outbox-state]")?.dataset.state === "notice";
    if (isAsking) state = next;
    else tell(next);
  }

  function tell(next) {
    state = next;
    const place = document.querySelector("[data-outbox-state]");
    if (!place || host.matches("[data-preview], [data-fixed]")) return;
    const count = waiting().length;
    const where = withoutStorage.size ? "in this page only: do not close it" : "in this browser";
    place.dataset.state = next;
    place.hidden = false;
    place.textContent = {
      idle: count ? `${answers(count)} ${where}` : "",
      saving: withoutStorage.size ? `${answers(count)} ${where}` : "Saving…",
      saved: "Saved",
      kept: "Kept, not counted: you hold no place in the task",
      refused: "Not saved",
      offline: `Offline: ${answers(count)} ${where} and will be sent`,
      "signed-out": `You are signed out; ${answers(count)} ${where}. `,
      "signed-in-otherwise": `Somebody else is signed in; ${answers(count)} of yours ${where}. `,
      stuck: `The server could not save ${stuck.size === 1 ? "1 answer" : `${stuck.size} answers`}; kept ${where} and tried again. `,
    }[next];
    if (next === "signed-out") {
      const link = document.createElement("a");
      link.href = `${host.dataset.signIn ?? "/sign-in/"}?next=${encodeURIComponent(location.pathname + location.search)}`;
      link.textContent = "Sign in again";
      place.append(link);
    }
    if (next === "stuck" && [...stuck.values()].includes("gone")) {
      place.textContent = `${answers(stuck.size)} ${where}: the task is not yours any more, or you are no longer in the study. `;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      button.textContent = "Discard";
      button.addEventListener("click", () => {
        for (const key of [...stuck.keys()]) drop(key);
        tell("idle");
      });
      place.append(button);
    }
    if (!place.textContent) place.hidden = place.matches(".message");
  }

  addEventListener("beforeunload", (event) => {
    if (withoutStorage.size) event.preventDefault();
  });

  function announce(kind, entry, text) {
    for (const listener of listeners) listener(kind, entry, text);
  }

  // Sending ----------------------------------------------------------------------------------------

  function token() {
    const name = "csrftoken=";
    const found = document.cookie.split("; ").find((part) => part.startsWith(name));
    return found ? found.slice(name.length) : "";
  }

  // One request through htmx, which puts the answer's parts into the page where they belong.
  function send(entry) {
    return new Promise((resolve) => {
      const sink = document.createElement("div");
      sink.hidden = true;
      document.body.append(sink);
      let isDone = false;
      const done = (status, text) => {
        if (isDone) return;
        isDone = true;
        sink.remove();
        resolve({ status, text });
      };
      sink.addEventListener("htmx:configRequest", (event) => {
        // The page may be older than the session: the cookie has the token that is valid now.
        event.detail.headers["X-CSRFToken"] = token();
        event.detail.headers["X-Rater"] = owner;
        event.detail.timeout = timeout;
      });
      sink.addEventListener("htmx:beforeOnLoad", (event) => {
        // A task that was finished from another page does not lead this one away.
        const isElsewhere = entry.kind === "finish" && entry.page !== location.pathname;
        if (isElsewhere && event.detail.xhr.getResponseHeader("HX-Redirect")) {
          event.preventDefault();
        }
      });
      sink.addEventListener("htmx:beforeSwap", (event) => {
        if (event.detail.xhr.status === 409) event.detail.shouldSwap = true;
        event.detail.isError = false; // every status is dealt with in `settle`
      });
      sink.addEventListener("htmx:afterRequest", (event) => {
        done(event.detail.xhr.status, event.detail.xhr.responseText);
      });
      htmx
        .ajax("POST", entry.url, { source: sink, target: sink, swap: "none", values: entry.values })
        .catch(() => done(0, ""));
    });
  }

  function edit(text) {
    return /data-edit="([^"]*)"/.exec(text)?.[1];
  }

  // What the server made of one entry. True: go on with the next.
  function settle(key, entry, { status, text }) {
    if (status >= 200 && status < 300) {
      drop(key);
      const saved = entry.kind === "answer" ? edit(text) : undefined;
      if (saved !== undefined && saved !== entry.values.edit) {
        // The server had this answer already, under another name: what follows is based on that.
        for (const [other, later] of entries()) {
          if (isSame(later, entry) && later.values.base === entry.values.edit) {
            later.values.base = saved;
            keep(other, later);
          }
        }
      }
      if (entry.kind === "answer") isCounted = !text.includes("data-lost");
      failures = 0;
      announce("sent", entry, text);
      return true;
    }
    if (status === 409 || (status >= 400 && ![400, 401, 403, 404, 408, 429].includes(status) && status < 500)) {
      // What hangs on it goes with it: the rater is asked, or told, before anything else happens.
      let last = entry;
      drop(key);
      for (const [other, later] of entries()) {
        if (other < key || !hangsOn(later, entry)) continue;
        if (replaces(later, entry)) last = later;
        drop(other);
      }
      if (status !== 409) setAside(last, text);
      failures = 0;
      announce(status === 409 ? "conflict" : "refused", entry, text);
      tell("refused");
      return true;
    }
    if (status === 401) {
      tell(text.includes("somebody else") ? "signed-in-otherwise" : "signed-out");
      retry();
      return false;
    }
    if ([0, 408, 429, 502, 503, 504].includes(status)) {
      tell("offline");
      retry();
      return false;
    }
    if (status === 403 && !entry.again) {
      // The token had changed: with the answer came the one that is valid now.
      entry.again = true;
      keep(key, entry);
      return true;
    }
    // The server cannot save this one, now or ever: it is stepped over, with what hangs on it.
    for (const [other, later] of entries()) {
      if (other >= key && hangsOn(later, entry)) stuck.set(other, status < 500 ? "gone" : "failed");
    }
    announce("stuck", entry, text);
    return true;
  }

  function retry() {
    clearTimeout(timer);
    timer = setTimeout(flush, waits[Math.min(failures, waits.length - 1)]);
    failures += 1;
  }

  async function sendAll() {
    for (;;) {
      const next = entries().find(([key]) => !stuck.has(key));
      if (!next) break;
      [underway] = next;
      const answer = await send(next[1]);
      underway = "";
      if (!settle(...next, answer)) return;
    }
    if (stuck.size) {
      tell("stuck");
      clearTimeout(timer);
      timer = setTimeout(() => {
        stuck.clear();
        flush();
      }, 30000);
    } else if (state !== "refused" && state !== "idle") {
      tellUnlessAsking(isCounted ? "saved" : "kept");
    }
  }

  async function flush() {
    if (isSending || !host) return;
    isSending = true;
    clearTimeout(timer);
    try {
      // Of several windows one sends at a time, where the browser can say so.
      await (navigator.locks ? navigator.locks.request(prefix, sendAll) : sendAll());
    } finally {
      isSending = false;
    }
  }

  addEventListener("online", flush);
  addEventListener("focus", flush);
  addEventListener("offline", () => {
    if (waiting().length) tell("offline");
  });
  if (host && entries().length) {
    tell("saving");
    // After the page's own scripts have put the waiting answers back into the form.
    addEventListener("DOMContentLoaded", () => setTimeout(flush, 0));
  }

  return {
    add,
    cancel,
    owner,
    token,
    newEdit,
    waiting,
    refused,
    again,
    discard: drop,
    flush,
    listen: (listener) => listeners.push(listener),
  };
})();
