// The interface for programs, tried from its page: what a form says is sent in the name of whoever
// is signed in. Without scripts the page is to be read.
(() => {
  "use strict";

  const MOST_SHOWN = 100_000;
  const token = () => JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];

  const fields = (form, place) => [...form.querySelectorAll(`[data-in="${place}"]`)];

  const addressOf = (form) => {
    let path = form.dataset.path;
    for (const one of fields(form, "path")) {
      path = path.replace(`{${one.name}}`, encodeURIComponent(one.value.trim()));
    }
    const query = new URLSearchParams();
    for (const one of fields(form, "query")) {
      const values = "many" in one.dataset ? one.value.split(",") : [one.value];
      for (const value of values) if (value.trim()) query.append(one.name, value.trim());
    }
    return query.size ? `${path}?${query}` : path;
  };

  const bodyOf = (form) => {
    const given = fields(form, "body");
    if (form.dataset.kind !== "multipart/form-data") return given[0]?.value;
    const sent = new FormData();
    for (const one of given) {
      if (one.type === "file" && one.files.length) sent.append(one.name, one.files[0]);
      if (one.type !== "file" && one.value) sent.append(one.name, one.value);
    }
    return sent;
  };

  const send = async (form) => {
    const address = addressOf(form);
    const headers = { "X-CSRFToken": token(), Accept: "application/json, */*" };
    for (const one of fields(form, "header")) if (one.value.trim()) headers[one.name] = one.value.trim();
    if (form.dataset.kind === "application/json") headers["Content-Type"] = "application/json";
    const answer = await fetch(address, { method: form.dataset.method, headers, body: bodyOf(form) });
    const text = await answer.text();
    let shown = text;
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // A file is shown as it is.
    }
    return [`${form.dataset.method} ${address} was answered with ${answer.status}.`, shown];
  };

  for (const form of document.querySelectorAll("[data-tries] [data-try]")) {
    const status = form.querySelector("[role=status]");
    const out = form.querySelector("pre");
    form.querySelector(".actions").hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      status.textContent = "Waiting for the answer …";
      try {
        const [said, text] = await send(form);
        status.textContent = said;
        out.textContent = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} …` : text;
      } catch {
        status.textContent = "No answer. Check your connection and try again.";
        out.textContent = "";
      }
      out.hidden = !out.textContent;
    });
  }
})();
