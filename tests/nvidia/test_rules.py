"""Rule sets: where the vendor's headers differ, an answer says which one it follows."""

from __future__ import annotations

import pytest

from occusite import nvidia
from occusite.nvidia import Launch


class TestHeaders:
    """Where the vendor's headers differ, an answer says which one it follows."""

    def test_the_newest_is_followed(self) -> None:
        assert nvidia.device("8.9").header == nvidia.HEADER == nvidia.HEADERS[-1] == "13.5"

    def test_10_7_came_with_13_4(self) -> None:
        assert nvidia.device("10.7", header="13.4").occupancy(Launch(64, 32)).blocks == 16
        with pytest.raises(ValueError, match=r"^compute_capability: '10.7' is not known to header 13.3"):
            nvidia.device("10.7", header="13.3")

    def test_13_0_forgets_the_reserve_in_the_room_left(self) -> None:
        launch = Launch(128, 32)
        assert nvidia.device("9.0", header="13.0").available_dynamic_shared(launch, 2) == 116_736
        assert nvidia.device("9.0", header="13.1").available_dynamic_shared(launch, 2) == 115_712

    def test_unknown_header(self) -> None:
        with pytest.raises(ValueError, match=r"^header: '12.9' is not allowed; give one of 13.0, "):
            nvidia.device("9.0", header="12.9")
