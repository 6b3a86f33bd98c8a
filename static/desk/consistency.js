// Answers that bear on each other: first ones that stand, proposed ones, and contradictions.
"use strict";

const consistency = (() => {
  const { seenUrl } = desk.dataset;
  let hasSeen = "hasSeen" in desk.dataset;

  const ofAnswer = "[name='value'], [name='words'], [data-slider], [data-spans-answer] :is(select, button)";

  // What is answered without passages stands once they were seen, where the batch says so.
  function isSettled(step) {
    return "first" in step.dataset && hasSeen && task.isAnswered(step);
  }

  function showFirst() {
    for (const step of desk.querySelectorAll(".step[data-first]")) {
      step.querySelector("[data-first-before]").hidden = isSettled(step);
      step.querySelector("[data-first-after]").hidden = !isSettled(step);
      for (const input of step.querySelectorAll(ofAnswer)) {
        input.disabled = isSettled(step);
      }
    }
  }

  // The step to go to: one with passages only when what comes before any passage is answered.
  function first(step) {
    if (!seenUrl || !step.dataset.passages) return step;
    const open = task.asked().find((one) => "first" in one.dataset && !task.isAnswered(one));
    if (open) task.notice("Answer this before you see any passage.");
    return open ?? step;
  }

  function seePassages() {
    if (!seenUrl || hasSeen || task.isFixed) return;
    hasSeen = true;
    outbox.add({ kind: "seen", url: seenUrl, step: "", values: {} });
    showFirst();
  }

  // The highest answer is proposed for the only passage of a text that is said to be supported.
  function proposal(step) {
    const { proposedBy, most } = step.dataset;
    return proposedBy && !task.isAnswered(step) && task.isMet(proposedBy) ? most : "";
  }

  function showProposal(step) {
    const line = step.querySelector("[data-proposal]");
    if (!line) return;
    const value = proposal(step);
    line.hidden = !value;
    for (const input of step.querySelectorAll("input[name='value']")) {
      const isIt = input.value === value;
      input.closest(".choice").classList.toggle("proposed", isIt);
      if (isIt) line.querySelector("[data-proposal-label]").textContent = input.dataset.label;
    }
  }

  // One passage alone is said to support what all together are said not to: both may stay.
  function contradicting(step) {
    for (const part of task.steps) {
      const { contradicted, most } = part.dataset;
      if (!contradicted || task.valueOf(part) !== most || !task.isMet(contradicted)) continue;
      const whole = task.stepOf(contradicted.split("=")[0]);
      if (step === part) return whole;
      if (step === whole) return part;
    }
    return null;
  }

  function showContradiction() {
    desk.querySelector("[data-contradiction]").hidden = !contradicting(task.step());
  }

  function show(step) {
    showProposal(step);
    showContradiction();
    showFirst();
  }

  desk.querySelector("[data-keep-both]").addEventListener("click", task.goOn);
  desk.querySelector("[data-other-answer]").addEventListener("click", () => {
    task.go(contradicting(task.step()));
  });
  desk.addEventListener("desk:step", showContradiction);

  return { isSettled, first, seePassages, proposal, contradicting, show };
})();
