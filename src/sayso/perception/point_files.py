"""Clouds of points as PLY and PCD files, as other tools read and write them.

Written is the binary, little-endian form of both. Read are ASCII and binary ones, of PCD the
compressed ones too. PLY: Turk, "The PLY polygon file format", 1994. PCD: version 0.7 of the Point
Cloud Library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError

Values = npt.NDArray[Any]
_PLY_TYPES = {
    **{"char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2"},
    **{"ushort": "u2", "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4"},
    **{"float": "f4", "float32": "f4", "double": "f8", "float64": "f8"},
}
_PLY_NAMES = {"f4": "float", "f8": "double", "u1": "uchar", "u4": "uint", "i4": "int"}
_PLY_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_AXES, _COLORS = ("x", "y", "z"), ("red", "green", "blue")
_LONGEST_HEADER = 1 << 16


@dataclass(frozen=True, eq=False)
class PointCloud:
    """Points, and what is told of each.

    Attributes:
        points: (N, 3) [m]; those of other tools need not be finite.
        colors: (N, 3) uint8 red, green, blue; None where they have none.
        fields: (N,) numbers by name, such as `hits`.
    """

    points: npt.NDArray[np.float32]
    colors: npt.NDArray[np.uint8] | None = None
    fields: Mapping[str, Values] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.points)


def write_cloud(path: Path, cloud: PointCloud) -> None:
    """Write a file of the form that its name ends in.

    Raises:
        SaySoError: CONFIG for another ending, and where it cannot be written.
    """
    write, _ = _form(path)
    try:
        path.write_bytes(write(cloud))
    except OSError as error:
        raise SaySoError(
            Code.CONFIG,
            f"the cloud cannot be written to {path}: {error.strerror}.",
            hint="name a file in a folder that is there and may be written to.",
        ) from error


def read_cloud(path: Path) -> PointCloud:
    """What is in a file, in the order in which it is there.

    Raises:
        SaySoError: CONFIG for another ending than those known, and where there is no such file;
            CORRUPT, saying what is wrong, for a file that is damaged or no cloud.
    """
    _, read = _form(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SaySoError(
            Code.CONFIG, f"{path} cannot be read: {error.strerror}.", hint="name a file of points."
        ) from error
    try:
        return _cloud(read(data))
    except _DamageError as damage:
        raise SaySoError(
            Code.CORRUPT, f"{path} is no whole cloud: {damage}.", hint="write the file anew."
        ) from damage


def require_form(path: Path) -> None:
    """Raises CONFIG, with the known ones, where a name ends in no form of a cloud."""
    _form(path)


class _DamageError(Exception):
    """What is wrong with a file."""


def _form(path: Path) -> tuple[Callable[[PointCloud], bytes], Callable[[bytes], Values]]:
    forms = {".ply": (_to_ply, _from_ply), ".pcd": (_to_pcd, _from_pcd)}
    if path.suffix.lower() not in forms:
        text = f"'{path.name}' says no form of a cloud."
        raise SaySoError(Code.CONFIG, text, hint="end its name so.", choices=forms)
    return forms[path.suffix.lower()]


def _cloud(table: Values) -> PointCloud:
    """From a table with a column for each field."""
    names = table.dtype.names or ()
    if missing := [a for a in _AXES if a not in names]:
        raise _DamageError(f"its points have no {', '.join(missing)}")
    points = np.stack([table[a].astype(np.float32) for a in _AXES], axis=1)
    colors, used = None, set(_AXES)
    if all(c in names for c in _COLORS):
        colors = np.stack([_byte(table[c]) for c in _COLORS], axis=1)
        used |= {*_COLORS, "alpha"}
    elif packed := next((n for n in ("rgb", "rgba") if n in names), None):
        bits = np.ascontiguousarray(table[packed]).view(np.uint32)
        colors = np.stack([(bits >> s & 255).astype(np.uint8) for s in (16, 8, 0)], axis=1)
        used.add(packed)
    rest = {n: np.ascontiguousarray(table[n]) for n in names if n not in used}
    return PointCloud(points, colors, rest)


def _byte(share: Values) -> npt.NDArray[np.uint8]:
    """A colour's part from 0 to 255; as a float it is one from 0 to 1."""
    if share.dtype.kind == "f":
        share = np.rint(np.clip(np.nan_to_num(share), 0.0, 1.0) * 255)
    return np.asarray(share.astype(np.uint8))


def _table(cloud: PointCloud, colors: Mapping[str, Values]) -> Values:
    """A column for each field; floats in single precision, whole numbers in 32 bits."""
    columns = {a: cloud.points[:, i].astype("<f4") for i, a in enumerate(_AXES)} | dict(colors)
    for name, values in cloud.fields.items():
        kind = {"f": "<f4", "u": "<u4"}.get(values.dtype.kind, "<i4")
        columns[name] = values.astype(kind)
    table = np.empty(len(cloud), [(n, v.dtype) for n, v in columns.items()])
    for name, values in columns.items():
        table[name] = values
    return table


def _rows(data: bytes, at: int, dtype: np.dtype[Any], count: int) -> Values:
    """Binary rows; what the header promises is not made before it is known to be there."""
    there = (len(data) - at) // dtype.itemsize if dtype.itemsize else 0
    if there < count:
        raise _DamageError(f"it should have {count} points and ends after {max(there, 0)}")
    return np.frombuffer(data, dtype, count, at)


def _lines(data: bytes, at: int, dtype: np.dtype[Any], count: int) -> Values:
    """Rows of numbers in ASCII; a column may take several of them."""
    wide = sum(int(np.prod(dtype[n].shape)) for n in dtype.names or ())
    words = data[at:].split()
    if len(words) < wide * count:
        raise _DamageError(
            f"it should have {count} points and ends after {len(words) // max(wide, 1)}"
        )
    table = np.empty(count, dtype)
    try:
        numbers = np.array(words[: wide * count], "S").reshape(count, wide)
        column = 0
        for name in dtype.names or ():
            size = int(np.prod(dtype[name].shape))
            part = numbers[:, column : column + size]
            base = dtype[name].base
            values = part.astype(np.float64) if base.kind == "f" else part.astype(np.int64)
            table[name] = values.reshape(count, *dtype[name].shape).astype(base)
            column += size
    except (ValueError, OverflowError) as error:
        raise _DamageError("there is something in it that is no number") from error
    return table


def _header(data: bytes, last: bytes, comments: tuple[bytes, ...]) -> tuple[list[list[str]], int]:
    """The words of each line up to one that begins so, and where what follows begins."""
    at, found = 0, list[list[str]]()
    while at < min(len(data), _LONGEST_HEADER):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        line, at = data[at:end].strip(), end + 1
        if line and not line.startswith(comments):
            found.append(line.decode("ascii", "replace").split())
        if line.startswith(last):
            return found, at
    raise _DamageError("its header does not end")


def _whole(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise _DamageError(f"'{word}' in its header is no number")
    return int(word)


# -- PLY -------------------------------------------------------------------------------------


def _to_ply(cloud: PointCloud) -> bytes:
    colors = {} if cloud.colors is None else {c: cloud.colors[:, i] for i, c in enumerate(_COLORS)}
    table = _table(cloud, colors)
    dtypes = {n: table.dtype[n].str[1:] for n in table.dtype.names or ()}
    lines = ["ply", "format binary_little_endian 1.0", "comment written by SaySo"]
    lines.append(f"element vertex {len(cloud)}")
    lines += [f"property {_PLY_NAMES[kind]} {name}" for name, kind in dtypes.items()]
    return "\n".join([*lines, "end_header", ""]).encode("ascii") + table.tobytes()


def _from_ply(data: bytes) -> Values:
    """Its vertices; other elements are passed over."""
    lines, at = _header(data, b"end_header", (b"comment", b"obj_info"))
    if lines[0] != ["ply"] or len(lines) < 2 or lines[1][0] != "format" or len(lines[1]) != 3:
        raise _DamageError("it does not begin as a PLY file")
    order = _PLY_ORDERS.get(lines[1][1])
    if order is None:
        raise _DamageError(f"its format '{lines[1][1]}' is unknown")
    for name, count, columns in _elements(lines[2:-1], order or "<"):
        dtype = None if columns is None else np.dtype(columns)
        if dtype is None:
            raise _DamageError(
                f"its element '{name}' has lists, and comes before or among the points"
            )
        if name == "vertex":
            return (_rows if order else _lines)(data, at, dtype, count)
        if order:
            at += count * dtype.itemsize
        else:
            for _ in range(count):
                at = data.find(b"\n", at) + 1 or len(data)
    raise _DamageError("it has no vertices")


def _elements(
    lines: list[list[str]], order: str
) -> list[tuple[str, int, list[tuple[str, str]] | None]]:
    """Each element with its columns; None for one with lists."""
    found: list[tuple[str, int, list[tuple[str, str]] | None]] = []
    for line in lines:
        if line[0] == "element" and len(line) == 3:
            found.append((line[1], _whole(line[2]), []))
        elif line[0] == "property" and found and len(line) == 3 and line[1] in _PLY_TYPES:
            columns = found[-1][2]
            if columns is not None:
                columns.append((line[2], order + _PLY_TYPES[line[1]]))
        elif line[0] == "property" and found and line[1:2] == ["list"]:
            found[-1] = (*found[-1][:2], None)
        else:
            raise _DamageError(f"'{' '.join(line)}' in its header is not understood")
    for name, _, columns in found:
        if columns is not None and len({n for n, _ in columns}) < len(columns):
            raise _DamageError(f"its element '{name}' has two properties of one name")
    return found


# -- PCD -------------------------------------------------------------------------------------


def _to_pcd(cloud: PointCloud) -> bytes:
    colors = {}
    if cloud.colors is not None:
        red, green, blue = cloud.colors.T.astype("<u4")
        colors = {"rgb": (red << 16 | green << 8 | blue).view("<f4")}
    table = _table(cloud, colors)
    names = table.dtype.names or ()
    kinds = [table.dtype[n].kind.upper() for n in names]
    lines = [
        "# .PCD v0.7 - Point Cloud Data file format",
        "VERSION 0.7",
        f"FIELDS {' '.join(names)}",
        f"SIZE {' '.join(['4'] * len(names))}",
        f"TYPE {' '.join(kinds)}",
        f"COUNT {' '.join(['1'] * len(names))}",
        f"WIDTH {len(cloud)}",
        "HEIGHT 1",
        "VIEWPOINT 0 0 0 1 0 0 0",
        f"POINTS {len(cloud)}",
        "DATA binary",
        "",
    ]
    return "\n".join(lines).encode("ascii") + table.tobytes()


def _from_pcd(data: bytes) -> Values:
    lines, at = _header(data, b"DATA", (b"#",))
    header = {line[0]: line[1:] for line in lines}
    dtype = _pcd_columns(header)
    told = header.get("POINTS") or ["", ""]
    size = [_whole(header[n][0]) for n in ("WIDTH", "HEIGHT") if header.get(n)]
    count = _whole(told[0]) if len(told) == 1 else int(np.prod(size, dtype=object)) if size else -1
    if count < 0:
        raise _DamageError("its header does not say how many points it has")
    match header.get("DATA", []):
        case ["ascii"]:
            return _lines(data, at, dtype, count)
        case ["binary"]:
            return _rows(data, at, dtype, count)
        case ["binary_compressed"]:
            return _columns(data, at, dtype, count)
    raise _DamageError(f"its data are '{' '.join(header.get('DATA', []))}', which is unknown")


def _pcd_columns(header: Mapping[str, list[str]]) -> np.dtype[Any]:
    names = header.get("FIELDS") or header.get("COLUMNS") or []
    sizes, kinds = header.get("SIZE", []), header.get("TYPE", [])
    counts = header.get("COUNT") or ["1"] * len(names)
    if not names or not len(names) == len(sizes) == len(kinds) == len(counts):
        raise _DamageError("its header does not say what its fields are")
    columns = []
    for i, (name, size, kind, count) in enumerate(zip(names, sizes, kinds, counts, strict=True)):
        wide = _whole(count)
        if f"{kind}{size}" not in {"F4", "F8", *(f"{k}{s}" for k in "IU" for s in "1248")}:
            raise _DamageError(f"its field '{name}' is of type '{kind}' and size {size}")
        of = f"<{kind.lower()}{size}"
        plain = name != "_" and name not in names[:i]  # '_' pads, and may come often
        told = name if plain else f"_{i}"
        columns.append((told, of) if wide == 1 else (told, of, (wide,)))
    return np.dtype(columns)


def _columns(data: bytes, at: int, dtype: np.dtype[Any], count: int) -> Values:
    """Compressed data: of all points the first field, then the second."""
    if len(data) < at + 8:
        raise _DamageError("its compressed data are missing")
    packed, whole = (int(n) for n in np.frombuffer(data, "<u4", 2, at))
    if whole != count * dtype.itemsize or len(data) < at + 8 + packed:
        raise _DamageError("its compressed data end too early")
    plain = _unpacked(data[at + 8 : at + 8 + packed], whole)
    table, begin = np.empty(count, dtype), 0
    for name in dtype.names or ():
        of = dtype[name]
        table[name] = np.frombuffer(plain, of, count, begin)
        begin += of.itemsize * count
    return table


def _unpacked(packed: bytes, size: int) -> bytes:
    """What LZF made shorter: runs as they are, and references to what came before."""
    out, at = bytearray(), 0
    try:
        while at < len(packed):
            control, at = packed[at], at + 1
            if control < 32:
                out += packed[at : at + control + 1]
                at += control + 1
                continue
            length = control >> 5
            if length == 7:
                length, at = length + packed[at], at + 1
            begin = len(out) - ((control & 31) << 8) - packed[at] - 1
            at += 1
            if begin < 0:
                raise _DamageError("its compressed data refer to nothing")
            for i in range(length + 2):  # it may refer to what it makes
                out.append(out[begin + i])
            if len(out) > size:
                break
    except IndexError as error:
        raise _DamageError("its compressed data end too early") from error
    if len(out) != size:
        raise _DamageError("its compressed data are not as long as they say")
    return bytes(out)
