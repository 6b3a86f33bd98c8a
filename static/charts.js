// Draws the charts of a page: each `.chart` names the address of its specification, or after `#` the
// element of the page that holds it. What stands in it before is shown until the chart is there, and stays where it cannot be drawn. The libraries that
// draw are fetched when the first chart comes near.
(() => {
  "use strict";

  const libraries = document.currentScript.dataset.drawsWith.split(" ");

  const tip = document.createElement("div");
  tip.className = "chart-tip";
  tip.hidden = true;

  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : system.matches;
  };

  // As `themed` does it for the exported pictures.
  const coloured = (part, colours) => {
    if (Array.isArray(part)) return part.map((each) => coloured(each, colours));
    if (part && typeof part === "object") {
      return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, coloured(value, colours)]));
    }
    return typeof part === "string" && part.startsWith("@") ? colours[part.slice(1)] : part;
  };

  const NARROW = 480;

  const themed = (theme, width) => {
    const config = coloured(theme.config, theme.colours[isDark() ? "dark" : "light"]);
    if (width < NARROW) {
      config.axisY.labelLimit = Math.round(width * 0.4);
      config.legend.labelLimit = Math.round(width * 0.65);
      config.axisQuantitative.tickCount = 4;
    }
    return config;
  };

  // The numbers behind a point, as text: what systems are called is never taken for HTML.
  const tell = (_handler, event, _item, value) => {
    tip.hidden = !value || typeof value !== "object";
    if (tip.hidden) return;
    const list = document.createElement("dl");
    for (const [name, words] of Object.entries(value)) {
      const term = document.createElement("dt");
      const description = document.createElement("dd");
      term.textContent = name;
      description.textContent = String(words);
      list.append(term, description);
    }
    tip.replaceChildren(list);
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${Math.max(8, Math.min(event.clientX + 14, room))}px`;
    const below = event.clientY + 18;
    const fits = below + tip.offsetHeight < document.documentElement.clientHeight;
    tip.style.top = `${fits ? below : Math.max(8, event.clientY - tip.offsetHeight - 12)}px`;
  };

  const read = async (address) => {
    if (address.startsWith("#")) return JSON.parse(document.getElementById(address.slice(1)).textContent);
    const answer = await fetch(address, { credentials: "same-origin" });
    if (!answer.ok) throw new Error(`${address} answered with a status of ${answer.status}`);
    return answer.json();
  };

  const fetched = (address) => new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = address;
    script.async = false; // they run in this order
    script.onload = done;
    script.onerror = () => failed(new Error(`${address} could not be loaded`));
    document.head.append(script);
  });
  let fetching;
  const able = () => (fetching ??= Promise.all(libraries.map(fetched)));

  // Whole words in lines of so many signs at least.
  const ended = (signs) => `(.{${signs}}\\S*) +`;
  const inLines = (words) => words.replace(RegExp(ended(12), "g"), "$1\n").split("\n");

  // On a narrow page the names of a legend stand one below the other, and long ones, as what stands
  // below an axis, in several lines.
  const narrowed = (part) => {
    if (Array.isArray(part)) return part.map(narrowed);
    if (!part || typeof part !== "object") return part;
    const found = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, narrowed(value)]));
    if (typeof found.x?.title === "string") found.x.title = inLines(found.x.title);
    const labelExpr = `split(replace(datum.label, regexp(${JSON.stringify(ended(8))}, "g"), "$1\\n"), "\\n")`;
    return "columns" in found ? { ...found, columns: 1, labelExpr } : found;
  };

  class Chart {
    constructor(box) {
      Object.assign(this, { box, fallback: [...box.children], drawnAs: "", near: false });
      this.canvas = document.createElement("div");
    }

    async draw() {
      if (!this.near || this.box.clientWidth < 1) return;
      try {
        this.spec ??= read(this.box.dataset.chart);
        const [spec] = await Promise.all([this.spec, able()]);
        await this.drawFrom(spec);
      } catch (error) {
        console.error("This chart could not be drawn:", error);
      }
    }

    async drawFrom(spec) {
      const width = Math.min(Math.floor(this.box.clientWidth), spec.width);
      const as = `${width} ${isDark()}`;
      if (as === this.drawnAs) return;
      this.drawnAs = as;
      const canvas = document.createElement("div");
      canvas.className = "chart-canvas";
      const fitting = width < NARROW ? { ...spec, layer: narrowed(spec.layer) } : spec;
      // The first screen of a report has room for low points of systems.
      const height = this.box.matches('.answer-first [data-chart*="/scatter-"]') ? 160 : spec.height;
      const { finalize } = await vegaEmbed(canvas, { ...fitting, width, height, usermeta: {} }, {
        actions: false,
        ast: true, // Vega's expressions are interpreted: the page allows no eval
        config: themed(spec.usermeta.theme, width),
        defaultStyle: false,
        mode: "vega-lite",
        renderer: "svg",
        tooltip: tell,
      });
      if (as !== this.drawnAs) {
        finalize(); // drawn again in the meantime
        return;
      }
      // One picture with its description, not the hundred parts that Vega makes of it.
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", spec.description);
      canvas.removeAttribute("aria-roledescription");
      canvas.querySelector("svg").setAttribute("aria-hidden", "true");
      this.finalize?.();
      this.finalize = finalize;
      this.canvas.remove();
      this.canvas = canvas;
      this.box.append(canvas);
      for (const element of this.fallback) element.hidden = true;
    }
  }

  const charts = new Map();

  const draw = (entries) => {
    for (const entry of entries) charts.get(entry.target)?.draw();
  };
  const resizing = new ResizeObserver(draw);
  const appearing = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      appearing.unobserve(target);
      const chart = charts.get(target);
      if (chart) {
        chart.near = true;
        resizing.observe(target); // reports at once, and so draws
      }
    }
  }, { rootMargin: "600px" });

  const find = () => {
    for (const box of charts.keys()) {
      if (box.isConnected) continue;
      charts.get(box).finalize?.();
      resizing.unobserve(box);
      appearing.unobserve(box);
      charts.delete(box);
    }
    document.body.append(tip);
    for (const box of document.querySelectorAll(".chart[data-chart]")) {
      if (charts.has(box)) continue;
      charts.set(box, new Chart(box));
      appearing.observe(box);
    }
  };

  const again = () => charts.forEach((chart) => chart.draw());
  system.addEventListener("change", again);
  new MutationObserver(again).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
  document.addEventListener("htmx:afterSettle", find);
  find();
})();
