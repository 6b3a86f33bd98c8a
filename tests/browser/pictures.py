"""Pictures of pages as small files: PNG with a palette."""

import base64
import struct
import zlib

import numpy as np
from playwright.sync_api import Page

MOST_COLOURS = 256
PIXELS = """async (png) => {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const drawn = canvas.getContext("2d");
  drawn.drawImage(image, 0, 0);
  const bytes = drawn.getImageData(0, 0, image.width, image.height).data;
  const file = new FileReader();
  await new Promise((done) => { file.onload = done; file.readAsDataURL(new Blob([bytes])); });
  return [image.width, image.height, file.result.split(",")[1]];
}"""


def picture_of(page: Page) -> bytes:
    """What is seen of a page, as PNG in at most 256 colours."""
    seen = page.screenshot(animations="disabled", caret="hide")
    with page.context.expect_page() as opened:
        page.evaluate("() => window.open('about:blank') && null")
    with opened.value as blank:
        width, height, raw = blank.evaluate(PIXELS, base64.b64encode(seen).decode())
    pixels = np.frombuffer(base64.b64decode(raw), np.uint8).reshape(height, width, 4)[..., :3]
    return with_palette(pixels)


def with_palette(pixels: np.ndarray) -> bytes:
    """The colours that are most of it, and of the others each as the nearest of these. Letters have
    many shades at their edges, of which an eighth is told apart."""
    coarse = pixels.astype(np.uint32) >> 3
    whole = coarse[..., 0] << 10 | coarse[..., 1] << 5 | coarse[..., 2]
    found, place, counts = np.unique(whole.ravel(), return_inverse=True, return_counts=True)
    sums = [np.bincount(place, pixels[..., n].ravel(), len(found)) for n in range(3)]
    means = np.stack(sums, axis=1) / counts[:, None]
    palette = means[np.argsort(-counts)[:MOST_COLOURS]].round()
    nearest = ((means[:, None] - palette[None]) ** 2).sum(axis=2).argmin(axis=1)
    rows = nearest.astype(np.uint8)[place].reshape(whole.shape)
    height, width = rows.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            (b"PLTE", palette.astype(np.uint8).tobytes()),
            (b"IDAT", zlib.compress(lines.tobytes(), 9)),
            (b"IEND", b""),
        )
    )
