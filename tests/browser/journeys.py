"""A person's way through the pages: what they do is counted, and what they see may be filmed."""

import base64
import math
import re
from pathlib import Path

from playwright.sync_api import Locator, Page

from tests.browser.pictures import picture_of

ACROSS = {1280: 400, 390: 190}
"""How wide a frame of a strip is, by the width of the page."""


class Journey:
    """Counts each click, key, choice and field filled in."""

    def __init__(self, page: Page, name: str, folder: str | None, look: str) -> None:
        self.page, self.name, self.folder, self.look = page, name, folder, look
        self.steps = 0
        self.frames: list[tuple[str, str]] = []

    def click(self, what: Locator) -> None:
        self.steps += 1
        what.click()

    def press(self, key: str) -> None:
        self.steps += 1
        self.page.keyboard.press(key)

    def fill(self, label: str, text: str) -> None:
        self.steps += 1
        self.page.get_by_label(re.compile(rf"^\s*{label}")).fill(text)

    def choose(self, label: str, value: str) -> None:
        self.steps += 1
        self.page.get_by_label(label).select_option(value)

    def attach(self, name: str, content: bytes) -> None:
        self.steps += 1
        file = {"name": name, "mimeType": "text/csv", "buffer": content}
        self.page.locator("#id_file").set_input_files(file)  # type: ignore[arg-type]

    def button(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=re.compile(f"^{name}")).first)

    def link(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True).first)

    def see(self, caption: str) -> None:
        """Take a frame of what is in sight, where a film is wanted."""
        if self.folder:
            self.page.wait_for_load_state("networkidle")
            seen = self.page.screenshot(animations="disabled", caret="hide")
            self.frames.append((caption, base64.b64encode(seen).decode()))

    def end(self) -> None:
        """Join the frames to one picture."""
        if not self.folder:
            return
        size = self.page.viewport_size
        assert size
        across = ACROSS[size["width"]]
        shown = "".join(
            f"<figure><img src='data:image/png;base64,{png}' width={across}><figcaption>{n}. {said}"
            "</figcaption></figure>"
            for n, (said, png) in enumerate(self.frames, 1)
        )
        strip = self.page.context.browser.new_page()  # type: ignore[union-attr]
        rows = math.ceil(len(self.frames) / 5)
        width = (across + 16) * math.ceil(len(self.frames) / rows)
        strip.set_viewport_size({"width": width, "height": 10})
        strip.set_content(
            "<!doctype html><style>body{margin:0;display:flex;flex-wrap:wrap;background:#fff}"
            "figure{margin:0;padding:8px;font:13px sans-serif}"
            "img{display:block;border:1px solid #999;box-sizing:border-box}"
            f"figcaption{{width:{across}px;margin-top:4px}}</style>{shown}"
        )
        height = strip.evaluate("document.documentElement.scrollHeight")
        strip.set_viewport_size({"width": width, "height": height})
        place = Path(self.folder) / f"journey-{self.name}-{self.look}.png"
        place.write_bytes(picture_of(strip))
        strip.close()
