"""Resident blocks of millions of launches at once, with NumPy (the `sweep` extra).

The rules of `occusite.nvidia` fill two small tables, one over warps and registers and one over units of shared
memory; a sweep only looks them up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from occusite.nvidia.device import Device
from occusite.nvidia.fast import Tables
from occusite.nvidia.launch import Launch

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Launches looked up at a time: few enough to stay in the processor's cache.
CHUNK = 16_384


class Sweep:
    """A device with launch options, ready for arrays.

    `options` are the fields of `nvidia.Launch` that all launches share (`static_shared`, `carveout`, `barriers`, …).

        blocks = Sweep(nvidia.device("8.9"))(threads, registers, dynamic_shared)
    """

    def __init__(self, device: Device, **options: Any) -> None:
        tables = Tables(device, Launch(threads=1, registers=0, **options))
        self._tables = tables
        self._warps = -(-tables.most_threads // tables.warp_size)
        self._columns = device.allocation.max_registers + 2
        rows = [[0] * self._columns]
        for warps in range(1, self._warps + 1):
            rows.append([tables.without_shared((warps, registers)) for registers in range(self._columns)])
        rows.append([0] * self._columns)
        self._cells = np.array(rows, dtype=np.int16).ravel()
        units = tables.block_limit // tables.unit
        self._pools = np.array([min(tables.shared(u), 32_767) for u in range(units + 1)] + [0], dtype=np.int16)

    def __call__(self, threads: ArrayLike, registers: ArrayLike, dynamic_shared: ArrayLike = 0) -> NDArray[np.int16]:
        """Resident blocks per SM of every launch; the three arrays of whole numbers are broadcast together.

        Raises `ValueError` for threads below 1, registers or shared memory below 0, or numbers that are not whole.
        """
        columns = (threads, registers, dynamic_shared)
        checked = [
            _whole(n, v, low)
            for n, v, low in zip(("threads", "registers", "dynamic_shared"), columns, (1, 0, 0), strict=True)
        ]
        arrays = np.broadcast_arrays(*checked)
        shape = arrays[0].shape
        flat = [array.reshape(-1) for array in arrays]
        blocks = np.empty(flat[0].size, dtype=np.int16)
        for start in range(0, blocks.size, CHUNK):
            part = slice(start, start + CHUNK)
            self._look_up(flat[0][part], flat[1][part], flat[2][part], blocks[part])
        return blocks.reshape(shape)

    def _look_up(
        self, threads: NDArray[Any], registers: NDArray[Any], shared: NDArray[Any], blocks: NDArray[np.int16]
    ) -> None:
        tables = self._tables
        row = (
            np.minimum(threads, tables.most_threads + tables.warp_size).astype(np.int32) + (tables.warp_size - 1)
        ) // tables.warp_size
        if tables.most_threads % tables.warp_size:
            row[threads > tables.most_threads] = self._warps + 1
        row *= self._columns
        row += np.minimum(registers, self._columns - 1).astype(np.int32)
        np.take(self._cells, row, out=blocks, mode="clip")
        units = np.minimum(shared, tables.block_limit + tables.unit).astype(np.int32)
        units += tables.fixed + tables.unit - 1
        units //= tables.unit
        np.minimum(blocks, np.take(self._pools, units, mode="clip"), out=blocks)
        if tables.most_dynamic < tables.block_limit:
            blocks[shared > tables.most_dynamic] = 0


def _whole(field: str, values: ArrayLike, low: int) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" and array.size:
        raise ValueError(f"{field}: {array.dtype} values are not allowed; give whole numbers, {low} or more")
    if array.size and (least := array.min()) < low:
        raise ValueError(f"{field}: {least} is not allowed; give whole numbers, {low} or more")
    return array if array.dtype.itemsize >= 4 else array.astype(np.int32)
