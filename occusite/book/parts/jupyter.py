"""Charts outside the book: what a Jupyter notebook shows of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from occusite.book.parts.charts import Chart

# The light scheme of docs/assets/css/book.css, whose variables no page but the book's has.
LIGHT = {
    "--occ-registers": "#0068a8",
    "--occ-memory": "#b56400",
    "--occ-warps": "#007f5c",
    "--occ-blocks": "#a8487f",
    "--occ-barriers": "#b8430a",
    "--occ-other": "#5c6570",
    "--occ-refused": "#8d2f2f",
    "--occ-accent": "#0b57a4",
    "--occ-ink": "#17212e",
    "--occ-ink-soft": "#52606f",
    "--occ-line": "#d5dbe2",
    "--occ-grid": "#e9edf1",
    "--occ-paper": "#ffffff",
}

# The newest Vega-Lite that JupyterLab draws by itself.
MIME = "application/vnd.vegalite.v5+json"


def bundle(chart: Chart) -> dict[str, Any]:
    """The forms Jupyter may choose from: the spec in plain colours, its picture (where vl-convert is), its words."""
    spec = _plain({**chart.full(), "$schema": "https://vega.github.io/schema/vega-lite/v5.json", "background": "white"})
    forms = {MIME: spec, "text/plain": chart.alt}
    try:
        import vl_convert
    except ImportError:
        return forms
    return forms | {"image/svg+xml": vl_convert.vegalite_to_svg(spec)}


def _plain(value: Any) -> Any:
    """The same with every colour variable replaced by its colour."""
    if isinstance(value, str):
        return re.sub(r"var\((--[\w-]+)\)", lambda m: LIGHT[m[1]], value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value
