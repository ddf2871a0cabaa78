"""Little's law: how much must be in flight, and how many warps that asks for (chapter 6).

Bytes in flight = bandwidth × latency. GB/s is 10⁹ bytes per second, so GB/s × ns is plain bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from occusite.model.checks import integer, kept, number


def bytes_in_flight(bandwidth: float, latency: float) -> float:
    """Bytes that must be in flight to sustain `bandwidth` (GB/s) at `latency` (ns).

    Raises `ValueError` for anything but finite numbers above zero.
    """
    return float(
        _exact(number("bandwidth", bandwidth, 0, unit="GB/s")) * _exact(number("latency", latency, 0, unit="ns"))
    )


@dataclass(frozen=True, slots=True)
class Supply:
    """What one memory system asks of one SM.

    `bandwidth` in GB/s and `latency` in ns of the whole GPU, `sms` streaming multiprocessors, `access` in bytes per
    coalesced warp access, `loads` independent loads each warp keeps outstanding.
    Raises `ValueError` for a value outside its range.
    """

    bandwidth: float
    latency: float
    sms: int
    access: int = 128
    loads: int = 1

    def __post_init__(self) -> None:
        number("bandwidth", self.bandwidth, 0, unit="GB/s")
        number("latency", self.latency, 0, unit="ns")
        kept(self, "sms", 1, None, "streaming multiprocessors")
        kept(self, "access", 1, None, "bytes per warp access")
        kept(self, "loads", 1, None, "loads in flight per warp")

    @property
    def total(self) -> float:
        """Bytes in flight over the whole GPU."""
        return bytes_in_flight(self.bandwidth, self.latency)

    @property
    def per_sm(self) -> float:
        """Bytes in flight on each SM."""
        return float(self._per_sm)

    @property
    def accesses(self) -> float:
        """Warp accesses in flight on each SM, before rounding up."""
        return float(self._per_sm / self.access)

    @property
    def warps(self) -> int:
        """Warps each SM needs: accesses in flight ÷ loads per warp, rounded up."""
        return math.ceil(self._per_sm / (self.access * self.loads))

    def throughput(self, warps: int) -> float:
        """GB/s one SM sustains with `warps` resident warps: a slope, warps × loads × bytes ÷ latency, and a roof,
        the SM's share of the bandwidth."""
        warps = integer("warps", warps, 0)
        return min(warps * self.loads * self.access / self.latency, self.bandwidth / self.sms)

    @property
    def _per_sm(self) -> Fraction:
        return _exact(self.bandwidth) * _exact(self.latency) / self.sms


def arithmetic_warps(latency: int, issue_rate: float = 1, independent: int = 1) -> int:
    """Warps a scheduler needs to issue every cycle when each instruction waits for the one before it.

    `latency` of the pipeline in cycles, `issue_rate` in instructions per cycle and scheduler, `independent`
    instructions per warp that may be in flight at once. Raises `ValueError` for a value outside its range.
    """
    latency = integer("latency", latency, 1, None, "cycles")
    number("issue_rate", issue_rate, 0, unit="instructions per cycle")
    independent = integer("independent", independent, 1, None, "independent instructions")
    return math.ceil(latency * _exact(issue_rate) / independent)


def _exact(value: float) -> Fraction:
    # A float such as 448.5 or 0.1 is meant as the decimal the reader typed: rounding up must not see binary dust.
    return Fraction(str(value))
