"""What is wrong with a page: asked of axe, and of its width."""

from pathlib import Path
from typing import Literal

AXE = Path(__file__).resolve().parents[1] / "vendor" / "axe.min.js"
WIDE, NARROW = 1280, 390
LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(WIDE, "light"), (NARROW, "dark")]
"""Widths and colour schemes, each seen once."""

EVERY_LOOK: list[tuple[int, Literal["light", "dark"]]] = [
    (WIDE, "light"),
    (WIDE, "dark"),
    (NARROW, "light"),
    (NARROW, "dark"),
]

# All rules of WCAG 2.2 AA, and the serious ones of good practice.
RUN = """async (looksOnly) => {
  const good = (rule) => rule.tags.includes("best-practice") || rule.tags.includes("experimental");
  const left = axe._audit.rules.filter(
    (rule) => good(rule) && ["minor", "moderate"].includes(rule.impact)
  );
  const rules = Object.fromEntries(left.map((rule) => [rule.id, {enabled: false}]));
  const choice = looksOnly
    ? {runOnly: ["color-contrast", "link-in-text-block", "target-size"]}
    : {rules: {...rules, "target-size": {enabled: true}}};
  const found = await axe.run(document, {resultTypes: ["violations"], ...choice});
  // What a sticky row covers is scrolled into sight.
  const sticks = (at, below) => {
    for (; at && !at.contains(below); at = at.parentElement)
      if (["sticky", "fixed"].includes(getComputedStyle(at).position)) return true;
    return false;
  };
  const covered = (node) => {
    const item = document.querySelector(node.target[0]);
    const {left, right, top, bottom} = item.getBoundingClientRect();
    return [top + 1, bottom - 1].some(
      (y) => sticks(document.elementFromPoint((left + right) / 2, y), item)
    );
  };
  return found.violations.flatMap((violation) => violation.nodes
    .filter((node) => violation.id !== "target-size" || !covered(node))
    .map((node) => `${violation.id} at ${node.target.join(" ")}: ${node.failureSummary}`)
  );
}"""

TOO_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const scrolls = (item) => {
    for (let up = item; up; up = up.parentElement)
      if (["auto", "scroll", "hidden"].includes(getComputedStyle(up).overflowX)) return true;
    return false;
  };
  return [...document.querySelectorAll("body *")]
    .filter((item) => item.getBoundingClientRect().right > width + 1 && !scrolls(item))
    .slice(0, 5)
    .map((item) => [item, item.getBoundingClientRect().right])
    .map(([item, right]) => `${item.tagName}.${item.className} reaches ${right}`)
    .concat([`the page is ${document.documentElement.scrollWidth} wide`]);
}"""
