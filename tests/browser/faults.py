"""What is wrong with a page: asked of axe, and of its width."""

from pathlib import Path
from typing import Literal

AXE = Path(__file__).resolve().parents[1] / "vendor" / "axe.min.js"
WIDE, NARROW = 1280, 390
LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(WIDE, "light"), (NARROW, "dark")]
"""Widths and colour schemes, each seen once."""

# Rules without serious faults are half of the work.
RUN = """async () => {
  const left = axe._audit.rules.filter((rule) => ["minor", "moderate"].includes(rule.impact));
  const rules = Object.fromEntries(left.map((rule) => [rule.id, {enabled: false}]));
  const found = await axe.run(document, {resultTypes: ["violations"], rules});
  return found.violations
    .filter((violation) => ["serious", "critical"].includes(violation.impact))
    .flatMap((violation) => violation.nodes.map(
      (node) => `${violation.id} at ${node.target.join(" ")}: ${node.failureSummary}`
    ));
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
