// The time of each dimension, and the signs of life that keep the rater's place. What passes between
// two signs counts, up to a minute; a page out of sight does not.
"use strict";

const clock = (() => {
  const longest = 60;
  const spent = new Map();
  let step = null;
  let lastSign = performance.now();
  let activeAt = performance.now();

  function count({ isSeen = !document.hidden } = {}) {
    const now = performance.now();
    if (step && isSeen) {
      const seconds = Math.min((now - lastSign) / 1000, longest);
      spent.set(step, (spent.get(step) ?? 0) + seconds);
    }
    lastSign = now;
  }

  function turnTo(next) {
    count();
    step = next;
  }

  // Each answer brings the whole time of its dimension, that of earlier visits included.
  const earlier = new Map(
    task.steps.map((each) => [each, Number(task.stateOf(each).dataset.seconds || 0)]),
  );

  function secondsOf(each) {
    count();
    return earlier.get(each) + (spent.get(each) ?? 0);
  }

  for (const kind of ["keydown", "pointerdown", "pointermove", "wheel", "scroll"]) {
    addEventListener(
      kind,
      () => {
        const now = performance.now();
        if (now - lastSign < 500) return;
        count();
        activeAt = now;
      },
      { passive: true, capture: true },
    );
  }

  // What passed until the page went out of sight counts, what passed until it came back does not.
  document.addEventListener("visibilitychange", () => count({ isSeen: document.hidden }));

  desk.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers["X-CSRFToken"] = outbox.token(); // the page's own may be older
    event.detail.headers["X-Rater"] = outbox.owner;
  });

  const beat = 4 * 60 * 1000;
  const look = 30 * 1000;
  const { aliveUrl } = desk.dataset;
  const isLost = () => Boolean(document.querySelector("#desk-place [data-lost]"));

  function alive(values) {
    if (!navigator.onLine) return;
    htmx.ajax("POST", aliveUrl, { source: desk, swap: "none", values }).catch(() => {});
  }

  // Who has lost the place waits here for one that comes free.
  function lookForPlace() {
    if (isLost() && !document.hidden) alive({ lost: "1" });
  }

  if (aliveUrl && !task.isFixed) {
    setInterval(() => {
      if (!isLost() && performance.now() - activeAt < beat) alive({});
    }, beat);
    setInterval(lookForPlace, look);
  }

  return { turnTo, secondsOf, lookForPlace };
})();
