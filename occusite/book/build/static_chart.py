"""Static pictures of charts, drawn at build by vl-convert and kept on disk by content (build only)."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

from occusite.book.parts.charts import NARROW, WIDE, Chart

CACHE = Path(".cache") / "charts"


def static(chart: Chart) -> str:
    """Two pictures of `chart`, for wide and for narrow columns; the style sheet shows the one that fits."""
    return "".join(
        f'<div class="occ-static occ-static--{name}">{draw(chart, width)}</div>'
        for name, width in (("wide", WIDE), ("narrow", NARROW))
    )


def draw(chart: Chart, width: int) -> str:
    """One picture as an SVG element that scales with its column."""
    import json

    spec = json.dumps(chart.full(width), sort_keys=True)
    key = hashlib.sha256(f"{version('vl-convert-python')} {spec}".encode()).hexdigest()[:24]
    cached = CACHE / f"{key}.svg"
    if cached.exists():
        return cached.read_text(encoding="utf-8")
    import vl_convert

    picture = vl_convert.vegalite_to_svg(spec, vl_version=_newest())
    picture = re.sub(r' xmlns(:xlink)?="[^"]*"| version="1.1"| aria-[a-z]*="[^"]*"| role="[^"]*"', "", picture)
    picture = re.sub(r'<path class="(back|fore)ground"[^>]*/>', "", picture)
    picture = picture.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
    CACHE.mkdir(parents=True, exist_ok=True)
    half = cached.with_suffix(".part")
    half.write_text(picture, encoding="utf-8")
    half.replace(cached)
    return picture


@cache
def _newest() -> str:
    import vl_convert

    return str(max(vl_convert.get_vegalite_versions(), key=lambda v: [int(n) for n in v.split(".")]))
