"""A launch in CUDA's terms: nonsense names the field and the value."""

from __future__ import annotations

import pytest

from occusite import nvidia
from occusite.nvidia import Device, Launch


class TestInput:
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("threads", 0),
            ("threads", -1),
            ("threads", 2.0),
            ("threads", True),
            ("threads", "64"),
            ("registers", -1),
            ("registers", None),
            ("static_shared", -1),
            ("dynamic_shared", 1.5),
            ("max_dynamic_shared", -1),
            ("opt_in", 1),
            ("carveout", -2),
            ("carveout", 101),
            ("barriers", -1),
            ("partitioned_caching", "yes"),
            ("partitioned_caching", True),
            ("cluster", 0),
            ("virtual", -3),
            ("cache_preference", "L2"),
        ],
    )
    def test_nonsense_names_the_field_and_the_value(self, field: str, value: object) -> None:
        with pytest.raises(ValueError, match=rf"^{field}: .* is not allowed; give ") as error:
            Launch(**({"threads": 64, "registers": 32} | {field: value}))  # type: ignore[arg-type]
        assert repr(value) in str(error.value)

    @pytest.mark.parametrize("capability", ["9.9", "10.2", "2.0", "", "8", "8.-1", "8.x", "٨.٩x", "12.2"])
    def test_unknown_compute_capability(self, capability: str) -> None:
        with pytest.raises(ValueError, match=r"^compute_capability: "):
            nvidia.device(capability)

    def test_nonsense_device(self) -> None:
        with pytest.raises(ValueError, match=r"^registers_per_sm: 0 is not allowed"):
            Device("8.9", registers_per_sm=0)

    def test_shared_memory_the_architecture_cannot_set_aside(self) -> None:
        device = Device("8.9", shared_memory_per_sm=200 * 1024)
        with pytest.raises(ValueError, match=r"^shared_memory_per_sm: "):
            device.occupancy(Launch(64, 32))

    def test_numpy_integers_are_not_needed_but_bools_are_refused(self) -> None:
        with pytest.raises(ValueError, match="registers"):
            Launch(64, False)
