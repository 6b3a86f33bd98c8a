// Tables of a report: sorted by any column, columns hidden as this browser remembers for the study,
// and their LaTeX and the text for a paper copied. Without scripts the tables stand as they are, with links to their files.
(() => {
  "use strict";

  const heads = (table) => [...table.tHead.rows].at(-1).cells;
  const rowsOf = (table) => [...table.tBodies[0].rows];

  // A number as it is written, or null: undefined numbers come last in either direction.
  const number = (text) => {
    const found = text.replace(/\u2212/g, "-").replace(/(\d),(?=\d{3})/g, "$1").match(/-?\d+(\.\d+)?/);
    return found ? Number(found[0]) - (text.startsWith("<") ? 1e-9 : 0) : null;
  };

  const key = (row, column, isNumber) => {
    const cell = row.cells[column];
    const words = (cell.querySelector("bdi") ?? cell).textContent.trim();
    return isNumber ? number(words) : words;
  };

  const compare = (one, other, turn) => {
    if (one === null || other === null) return (one === null) - (other === null);
    return turn * (typeof one === "number" ? one - other : one.localeCompare(other, undefined, { numeric: true }));
  };

  const sort = (table, column) => {
    const head = heads(table)[column];
    const isNumber = head.classList.contains("num");
    const first = isNumber ? "descending" : "ascending";
    const turned = first === "ascending" ? "descending" : "ascending";
    const order = head.getAttribute("aria-sort") === first ? turned : first;
    for (const other of heads(table)) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const keyed = rowsOf(table).map((row) => [key(row, column, isNumber), row]);
    keyed.sort(([one], [other]) => compare(one, other, order === "ascending" ? 1 : -1));
    table.tBodies[0].append(...keyed.map(([, row]) => row));
  };

  const sortable = (table) => {
    if (rowsOf(table).length < 2) return;
    [...heads(table)].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, column));
      head.append(button);
    });
  };

  // Columns ----------------------------------------------------------------------------------------

  const place = (box) => `report-columns:${box.dataset.study}:${box.dataset.table}`;

  const remembered = (box) => {
    try {
      return new Set(JSON.parse(localStorage.getItem(place(box)) ?? "[]"));
    } catch {
      return new Set();
    }
  };

  const remember = (box, hidden) => {
    try {
      if (hidden.size) localStorage.setItem(place(box), JSON.stringify([...hidden]));
      else localStorage.removeItem(place(box));
    } catch { /* a browser that keeps nothing shows all columns the next time */ }
  };

  // A column's name is its heading under that of its group.
  const named = (table) => {
    const groups = table.tHead.rows.length > 1
      ? [...table.tHead.rows[0].cells].flatMap((cell) => Array(cell.dataset.span ? Number(cell.dataset.span) : cell.colSpan).fill(cell))
      : [];
    return [...heads(table)].map((head, column) => {
      const group = groups[column]?.textContent.trim() ?? "";
      const title = head.textContent.trim();
      return { group: groups[column], name: group ? `${group}: ${title}` : title };
    });
  };

  const show = (table, columns, hidden) => {
    const isOff = columns.map(({ name }) => hidden.has(name));
    for (const row of [[...table.tHead.rows].at(-1), ...rowsOf(table)]) {
      [...row.cells].forEach((cell, column) => { cell.hidden = isOff[column]; });
    }
    for (const group of new Set(columns.map((column) => column.group).filter(Boolean))) {
      group.dataset.span ??= group.colSpan;
      const left = columns.filter((column, i) => column.group === group && !isOff[i]).length;
      group.hidden = left === 0;
      group.colSpan = Math.max(1, left);
    }
  };

  const chooser = (box, table) => {
    if (box.classList.contains("shaded")) return;
    const columns = named(table);
    if (columns.length < 4) return;
    const hidden = remembered(box);
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    const list = document.createElement("ul");
    details.className = "columns";
    list.className = "plain";
    const tell = () => {
      const shown = columns.filter(({ name }) => !hidden.has(name)).length;
      summary.textContent = shown === columns.length ? "Columns" : `Columns: ${shown} of ${columns.length}`;
      show(table, columns, hidden);
    };
    for (const { name } of columns.slice(1)) {
      const label = document.createElement("label");
      const tick = document.createElement("input");
      const item = document.createElement("li");
      tick.type = "checkbox";
      tick.checked = !hidden.has(name);
      tick.addEventListener("change", () => {
        hidden[tick.checked ? "delete" : "add"](name);
        remember(box, hidden);
        tell();
      });
      label.append(tick, ` ${name}`);
      item.append(label);
      list.append(item);
    }
    details.append(summary, list);
    box.querySelector(".scroll").before(details);
    tell();
  };

  // Copying ------------------------------------------------------------------------------------------

  const copy = async (text) => {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return;
    }
    // Where a page did not come by https, browsers have only this.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    if (!isDone) throw new Error("the browser refused");
  };

  // A button after an element that copies what `text` returns.
  const copier = (after, label, text, instead) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = label;
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    button.addEventListener("click", async () => {
      try {
        await copy(await text());
        said.textContent = "Copied.";
      } catch (problem) {
        said.textContent = `Not copied (${problem.message}): ${instead}.`;
      }
    });
    after.after(button, said);
  };

  const latexOf = (link) => async () => {
    const answer = await fetch(link.href, { credentials: "same-origin" });
    if (!answer.ok || answer.redirected) throw new Error(`a status of ${answer.status}`);
    return answer.text();
  };

  const begin = (box) => {
    const table = box.querySelector("table");
    chooser(box, table);
    if (!("paged" in box.dataset)) sortable(table); // all of its pages are sorted by the server
    box.querySelectorAll("a[data-latex]").forEach((link) => copier(link, "Copy LaTeX", latexOf(link), "take the file instead"));
  };

  const tables = ".report-table[data-table]";
  document.querySelectorAll(tables).forEach(begin);
  document.querySelectorAll("[data-copied]").forEach((item) => copier(item, "Copy", () => item.textContent, "select the text instead"));
  // Those that are opened later.
  document.addEventListener("htmx:load", ({ target }) => {
    if (target.matches(tables) && target.closest(".report-more")) begin(target);
  });
})();
