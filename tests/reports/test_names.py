"""Names for people: against c++filt's full demangling, recorded for the kernels of the samples and some others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite.reports.names import readable


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z6k_lb64Pf", "k_lb64"),
        ("saxpy", "saxpy"),
        ("_ZN2ns6kernelEPf", "ns::kernel"),
        ("_ZNK2ns6Struct6kernelEv", "ns::Struct::kernel"),
        ("_ZL6staticPf", "static"),
        ("_ZN12_GLOBAL__N_16kernelEPf", "(anonymous namespace)::kernel"),
        (
            "_ZN39_INTERNAL_f793e540_9_reduce_cu_9c8191ab16__shfl_down_syncEjfji",
            "(anonymous namespace)::__shfl_down_sync",
        ),
        ("_Z4tileILi64EfEvPT0_", "tile<…"),
        ("_ZN2at6native29vectorized_elementwise_kernelILi4EEEviPf", "at::native::vectorized_elementwise_kernel<…"),
        ("_ZSt4copyPf", "std::copy"),
        ("void ns::kernel<float>(float*)", "void ns::kernel<float>(float*)"),
        ("_Z", "_Z"),
        ("_Z9short", "_Z9short"),
        ("_ZN2ns6kernel", "_ZN2ns6kernel"),
        ("_ZN2nsC1Ev", "_ZN2nsC1Ev"),
        ("_ZdlPv", "_ZdlPv"),
        ("_ZSt", "_ZSt"),
    ],
)
def test_names(symbol: str, name: str) -> None:
    assert readable(symbol) == name


@given(st.text(alphabet="_ZNSLtIEK0123456789abP", max_size=60))
def test_any_symbol_has_some_name(tail: str) -> None:
    assert readable("_Z" + tail)
