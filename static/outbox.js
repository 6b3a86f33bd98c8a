// Answers on their way to the server. Each is kept in the browser's storage until the server has
// it, so a lost network, a closed page, a restarted server or a lost session loses nothing; each
// has a name of its own (its edit), so sending it twice does nothing twice.
"use strict";

const outbox = (() => {
  const host = document.querySelector("[data-outbox]");
  const prefix = `attest-outbox:${host?.dataset.outbox}:`;
  const waits = [1000, 2000, 4000, 8000, 15000];
  const timeout = 20000;
  const listeners = [];
  const withoutStorage = new Map();
  let counter = 0;
  let failures = 0;
  let isSending = false;
  let timer = null;
  let state = "idle";

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
    try {
      localStorage.removeItem(key);
    } catch {
      // It was only in memory.
    }
  }

  function entries() {
    const found = [...withoutStorage.entries()];
    try {
      for (let i = 0; i < localStorage.length; i += 1) {
        const key = localStorage.key(i);
        if (!key.startsWith(prefix)) continue;
        found.push([key, JSON.parse(localStorage.getItem(key))]);
      }
    } catch {
      // Only what is in memory.
    }
    return found.filter(([, entry]) => entry).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  function newEdit() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  function add(entry) {
    counter += 1;
    const order = `${String(Date.now()).padStart(15, "0")}:${String(counter).padStart(6, "0")}`;
    keep(`${prefix}${order}:${newEdit()}`, entry);
    tell("saving");
    flush();
  }

  function isSame(entry, other) {
    return entry.kind === other.kind && entry.url === other.url && entry.step === other.step;
  }

  function waiting(like) {
    return entries()
      .filter(([, entry]) => !entry.blocked && (!like || isSame(entry, like)))
      .map(([, entry]) => entry);
  }

  // The visible state ------------------------------------------------------------------------------

  function answers(count) {
    return count === 1 ? "1 answer waits" : `${count} answers wait`;
  }

  function tell(next) {
    state = next;
    const place = document.querySelector("[data-outbox-state]");
    if (!place || host.matches("[data-preview], [data-fixed]")) return;
    const count = waiting().length;
    const blocked = entries().filter(([, entry]) => entry.blocked).length;
    place.dataset.state = next;
    place.hidden = false;
    place.textContent = {
      idle: count ? `${answers(count)} in this browser` : "",
      saving: "Saving…",
      saved: "Saved",
      offline: `Offline: ${answers(count)} in this browser and will be sent`,
      "signed-out": `You are signed out; ${answers(count)} in this browser. `,
    }[next];
    if (next === "signed-out") {
      const link = document.createElement("a");
      link.href = `${host.dataset.signIn ?? "/sign-in/"}?next=${encodeURIComponent(location.pathname + location.search)}`;
      link.textContent = "Sign in again";
      place.append(link);
    }
    if (blocked && (next === "saved" || next === "idle")) {
      place.dataset.state = "offline";
      place.textContent = `${blocked === 1 ? "1 answer" : `${blocked} answers`} could not be saved from this account. `;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      button.textContent = "Discard";
      button.addEventListener("click", () => {
        for (const [key, entry] of entries()) if (entry.blocked) drop(key);
        tell("idle");
      });
      place.append(button);
    }
    if (!place.textContent) place.hidden = place.matches(".message");
  }

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
      failures = 0;
      announce("sent", entry, text);
      return true;
    }
    if (status === 409 || status === 422) {
      for (const [other, later] of entries()) {
        if (other === key || (status === 409 && isSame(later, entry))) drop(other);
      }
      failures = 0;
      announce(status === 409 ? "conflict" : "refused", entry, text);
      return true;
    }
    // Without its cookie a request is refused before anybody asks who sends it.
    const isSignedOut = status === 401 || (status === 403 && !token());
    if (!isSignedOut && [400, 403, 404].includes(status)) {
      entry.tries = (entry.tries ?? 0) + 1;
      entry.blocked = entry.tries > 2;
      keep(key, entry);
      if (entry.blocked) announce("blocked", entry, text);
      if (!entry.blocked) retry();
      return entry.blocked;
    }
    tell(isSignedOut ? "signed-out" : "offline");
    retry();
    return false;
  }

  function retry() {
    clearTimeout(timer);
    timer = setTimeout(flush, waits[Math.min(failures, waits.length - 1)]);
    failures += 1;
  }

  async function sendAll() {
    for (;;) {
      const next = entries().find(([, entry]) => !entry.blocked);
      if (!next) {
        tell(state === "saving" || state === "offline" || state === "signed-out" ? "saved" : state);
        return;
      }
      if (!settle(...next, await send(next[1]))) return;
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
    // After the page's own script has put the waiting answers back into the form.
    setTimeout(flush, 0);
  }

  return {
    add,
    newEdit,
    waiting,
    flush,
    listen: (listener) => listeners.push(listener),
  };
})();
