"""How pictures become numbers: what a preprocessor_config.json says of the largest pixel of a channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, isqrt
from typing import Any

from maurey.symbolic.errors import InputError, cut
from maurey.symbolic.model_tables import number

NAME = "preprocessor_config.json"
BYTES = 255  # the largest pixel before it is rescaled
DIGITS = 10**6


def prepared(config: Mapping[str, Any] | None, channels: int) -> list[Fraction]:
    """The largest |pixel| of each channel; 1, if there is no such file."""
    if config is None:
        return [Fraction(1)] * channels
    top = Fraction(BYTES)
    if config.get("do_rescale", True):
        scale = number("rescale_factor", config.get("rescale_factor", Fraction(1, BYTES)))
        top = Fraction(ceil(BYTES * scale * DIGITS), DIGITS)  # 0.00392156862745098 stands for 1/255
    if not config.get("do_normalize", True):
        return [top] * channels
    means, deviations = (_of_channels(config, name, channels) for name in ("image_mean", "image_std"))
    return [max(abs(0 - m), abs(top - m)) / s for m, s in zip(means, deviations, strict=True)]


def _of_channels(config: Mapping[str, Any], name: str, channels: int) -> list[Fraction]:
    found = config.get(name, [0.5] * channels)
    if not isinstance(found, list) or len(found) != channels:
        raise InputError(f"{NAME}: {name} is a list of {channels} numbers, got {cut(repr(found))}")
    return [number(f"{NAME}: {name}", one, zero=name == "image_mean") for one in found]


def longest_patch(pixels: Sequence[Fraction], size: int) -> Fraction:
    """Rounded up: the root of the sum of squares of its pixels."""
    square = size**2 * sum(x**2 for x in pixels)
    return Fraction(isqrt(int(square * DIGITS**2)) + 1, DIGITS)
