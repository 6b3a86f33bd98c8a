"""Answers of every kind that systems write, for the pages that show them."""

from tests.uploads.files import passage, response

MARKDOWN = """\
# How tides work

The Moon pulls the sea into two bulges [1]. **Spring tides** come at new and *full* moon [2], as
`tide(t)` shows: $h = a \\cos(\\omega t)$ [1, 3]. H<sub>2</sub>O rises ~ 10<sup>3</sup> times.

## What moves the water

Key facts:

3. The Moon, *mostly*:
   - its mass, which is 1/81 of the Earth's [1]
   - its distance, about [384,400 km](https://en.example.org/wiki/Lunar_distance_(astronomy)) [2]
     and this goes on in a second line, **which is bold. It ends there [3].**
     1. nested deeper
     2. and deeper [9]
4. The Sun, to a smaller part [2].

   A second paragraph of the item. It has two statements [1][2].

| Place | Range | Kind |
|:------|------:|:----:|
| Bay of Fundy | 16.3 m [1] | semidiurnal |
| **Severn** | 15 m | semidiurnal [2] |
| Gulf of Mexico | 0.3 m | diurnal, with a very long explanation of why this is so [3] |

> “The tides are the sea's breath,” said the poet [2].
> He was *not* a physicist.

```python
def tide(t):
    return [a * cos(w * t) for a, w in PARTS]  # not a mark: [1], and a line that is rather long
```

More at https://tides.example.com/very/long/path/that/does/not/end?with=parameters [1]. The label of
[Admiralty tables](https://tables.example.net/a) is wording. It was seen by many (https://gone.example.org/x).

Is ~~this~~ struck?{blanks}
A hard break stands before this [1].

---

**References**

1. Newton, I. (1687). Principia. https://example.org/principia
2. [Tables](https://example.org/tables)
3. Third one.
""".replace("{blanks}", "  ")

MANY = (
    " ".join(f"Statement number {n} says something of its own [{n}]." for n in range(1, 31))
    + " And one rests on all of them "
    + "".join(f"[{n}]" for n in range(1, 31))
    + "."
)

CHINESE = """\
## 长江

长江是亚洲最长的河流，全长约六千三百公里[1]。它发源于青藏高原【2】，流经十一个省级行政区，最后在上海市注入东海，沿途汇集了众多支流和湖泊[1][2]。

- 三峡水电站是世界上装机容量最大的水电站（[3]）。
- 流域人口约四亿[2]。

| 项目 | 数值 |
|---|---:|
| 长度 | 6300 公里[1] |
"""

ARABIC = """\
## نهر النيل

نهر النيل هو أطول أنهار أفريقيا [1]. يجري من الجنوب إلى الشمال ويصب في البحر المتوسط [2][3]. هل هو
الأطول في العالم؟ يختلف العلماء [1].

- طوله نحو 6650 كم [1]
- حوضه تسع دول [2].

> قال هيرودوت: مصر هبة النيل [3].

| البلد | الطول |
|---|---:|
| مصر | 1500 كم [2] |

المصادر:

1. كتاب النيل
"""

PLAIN = "The Alps are high [1]. Many rivers start there, too [2][3]. Nobody knows why [7]."
LINES = "The Alps are high [1].\n\nMany rivers start there, too [2][3].\n\nNobody knows why [7]."


def passages(count: int) -> list[dict]:
    return [{"n": n, **passage(f"passage number {n}")} for n in range(1, count + 1)]


def every_kind() -> list[dict]:
    """A response of each kind."""
    return [
        response(1, output=MARKDOWN, passages=passages(3)),
        response(2, output=MANY, passages=passages(30)),
        response(
            3,
            question={"id": "q3", "text": "长江有多长？", "language": "zh"},
            output=CHINESE,
            passages=passages(3),
        ),
        response(
            4,
            question={"id": "q4", "text": "ما هو أطول نهر في أفريقيا؟", "language": "ar"},
            output=ARABIC,
            passages=passages(3),
        ),
        response(5, output=PLAIN, passages=passages(3)),
        response(6, output=LINES, passages=passages(3)),
    ]
