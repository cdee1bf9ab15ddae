"""The two products, for numba's CUDA simulator: see products.cu.

    NUMBA_ENABLE_CUDASIM=1 python3 products.py KERNEL N
"""

import sys

import numpy as np
from numba import cuda, float32

TILE = 16


@cuda.jit
def naive(a, b, c, n):
    col, row = cuda.grid(2)
    if row < n and col < n:
        total = float32(0)
        for k in range(n):
            total += a[row, k] * b[k, col]
        c[row, col] = total


@cuda.jit
def tiled(a, b, c, n):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    col, row = cuda.grid(2)
    total = float32(0)
    for t in range(n // TILE):
        tile_a[y, x] = a[row, t * TILE + x]
        tile_b[y, x] = b[t * TILE + y, col]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    c[row, col] = total


@cuda.jit
def empty(a, b, c, n):
    """What starting costs."""


def main(kernel, n):
    a = np.linspace(0, 1, n * n, dtype=np.float32).reshape(n, n)
    b = np.linspace(1, 2, n * n, dtype=np.float32).reshape(n, n)
    c = np.zeros((n, n), dtype=np.float32)
    if kernel == "empty":
        empty[1, 1](a, b, c, n)
        return
    {"naive": naive, "tiled": tiled}[kernel][(n // TILE, n // TILE), (TILE, TILE)](a, b, c, n)
    if not np.allclose(c, a @ b, rtol=1e-4):
        sys.exit("the product is wrong")


main(sys.argv[1], int(sys.argv[2]))
