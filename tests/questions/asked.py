"""What the tests of questions ask about: any launch, on any NVIDIA architecture."""

from __future__ import annotations

from hypothesis import strategies as st

from occusite import nvidia
from occusite.nvidia import Launch

launches = st.builds(
    Launch,
    threads=st.integers(1, 1024),
    registers=st.integers(1, 255),
    dynamic_shared=st.integers(0, 120_000),
    carveout=st.one_of(st.none(), st.integers(0, 100)),
    cache_preference=st.sampled_from(("none", "l1", "equal", "shared")),
    partitioned_caching=st.sampled_from(("off", "on")),
)
chips = st.sampled_from([nvidia.device(capability) for capability in nvidia.CHIPS])
