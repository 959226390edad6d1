"""The stamp of a serialized message."""

from __future__ import annotations

import struct

import pytest

from sayso.ros.messages.stamps import stamp_of


@pytest.mark.parametrize(("order", "mark"), [("<", 1), (">", 0)])
def test_a_stamp_is_read_in_either_byte_order(order: str, mark: int) -> None:
    message = bytes([0, mark, 0, 0]) + struct.pack(f"{order}iI", 12, 250_000_000) + b"world"
    assert stamp_of(message) == pytest.approx(12.25)
