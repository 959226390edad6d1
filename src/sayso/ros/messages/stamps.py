"""When a serialized message is of, without reading all of it."""

from __future__ import annotations

import struct

_ENCAPSULATION = 4


def stamp_of(message: bytes) -> float:
    """The stamp of a message that begins with a header [s].

    Args:
        message: in CDR; its second byte tells the byte order.
    """
    order = "<" if message[1] & 1 else ">"
    sec, nanosec = struct.unpack_from(f"{order}iI", message, _ENCAPSULATION)
    return float(sec + nanosec * 1e-9)
