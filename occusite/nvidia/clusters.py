"""Thread block clusters (CC ≥ 9.0): what is documented, and where only the driver knows."""

from __future__ import annotations

LARGEST = 16
PORTABLE = 8
