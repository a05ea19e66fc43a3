#!/usr/bin/env python3
"""Writes normal.h, the quantiles of the normal distribution that noise is drawn from: normal.py >../normal.h"""

from statistics import NormalDist

COUNT, ONE, LINE = 1024, 4096, 12

print("/*")
print(f" * The upper half of the normal distribution, in units of 1/{ONE}: element i is its quantile at")
print(f" * 1/2 + (i + 1/2) / {2 * COUNT}. testdata/normal.py writes this file.")
print(" */")
print("#include <stdint.h>")
print()
print("/* clang-format off */")
print(f"static const int16_t normal[{COUNT}] = {{")
quantiles = [round(ONE * NormalDist().inv_cdf(0.5 + (i + 0.5) / (2 * COUNT))) for i in range(COUNT)]
for at in range(0, COUNT, LINE):
    print("    " + ", ".join(map(str, quantiles[at : at + LINE])) + ",")
print("};")
print("/* clang-format on */")
