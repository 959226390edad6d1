"""Clouds come back from PLY and PCD as they were; what is no whole file is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from sayso.core.errors import Code, SaySoError
from sayso.perception.map_files import FREE, OCCUPIED, VoxelMap
from sayso.perception.mapping import Mapper, MappingSettings, cloud_of
from sayso.perception.point_files import PointCloud, read_cloud, write_cloud
from sayso.perception.voxels import centres_of, keys_of

FORMS = (".ply", ".pcd")
NAMES = st.sampled_from(["hits", "intensity", "label", "curvature"])
KINDS = st.sampled_from([np.float32, np.uint32, np.int32])


@st.composite
def clouds(draw, most: int = 20, finite: bool = False) -> PointCloud:
    count = draw(st.integers(0, most))
    real = st.floats(-1e3, 1e3, width=32) if finite else st.floats(width=32)
    points = draw(arrays.arrays(np.float32, (count, 3), elements=real))
    colors = draw(st.none() | arrays.arrays(np.uint8, (count, 3)))
    kinds = draw(st.dictionaries(NAMES, KINDS, max_size=3))
    fields = {n: draw(arrays.arrays(k, count)) for n, k in kinds.items()}
    return PointCloud(points, colors, fields)


def there_and_back(cloud: PointCloud, folder: Path, form: str) -> PointCloud:
    path = folder / f"cloud{form}"
    write_cloud(path, cloud)
    return read_cloud(path)


def require_same(back: PointCloud, cloud: PointCloud, exact: bool = True) -> None:
    same = np.array_equal if exact else np.allclose
    assert same(back.points, cloud.points, equal_nan=True)
    assert (back.colors is None) is (cloud.colors is None)
    if cloud.colors is not None:
        assert np.array_equal(back.colors, cloud.colors)
    assert back.fields.keys() == cloud.fields.keys()
    for name, values in cloud.fields.items():
        plain = values.dtype.kind == "f"
        assert np.array_equal(back.fields[name], values, equal_nan=plain)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("clouds")


@pytest.mark.parametrize("form", FORMS)
@given(cloud=clouds())
def test_a_cloud_comes_back_as_it_was(cloud, form, folder) -> None:
    require_same(there_and_back(cloud, folder, form), cloud)


def rows(cloud: PointCloud) -> list[str]:
    columns = [*cloud.points.T]
    columns += [] if cloud.colors is None else [*cloud.colors.T]
    columns += cloud.fields.values()
    return [" ".join(str(v) for v in row) for row in zip(*columns, strict=True)]


def as_ascii_ply(cloud: PointCloud) -> str:
    kinds = {"f": "float", "u": "uint", "i": "int"}
    lines = ["ply", "format ascii 1.0", "comment by hand", "element camera 2", "property int a"]
    lines += [f"element vertex {len(cloud)}", *(f"property float {a}" for a in "xyz")]
    if cloud.colors is not None:
        lines += [f"property uchar {c}" for c in ("red", "green", "blue")]
    lines += [f"property {kinds[v.dtype.kind]} {n}" for n, v in cloud.fields.items()]
    lines += ["element face 1", "property list uchar int vertex_index", "end_header", "1", "2"]
    return "\n".join([*lines, *rows(cloud), "3 0 0 0", ""])


def as_ascii_pcd(cloud: PointCloud) -> str:
    names = ["x", "y", "z", *cloud.fields]
    kinds = ["F"] * 3 + [v.dtype.kind.upper() for v in cloud.fields.values()]
    lines = ["# by hand", "VERSION .7", f"FIELDS {' '.join(names)}"]
    lines += [f"SIZE {' '.join('4' for _ in names)}", f"TYPE {' '.join(kinds)}"]
    lines += [f"WIDTH {len(cloud)}", "HEIGHT 1", f"POINTS {len(cloud)}", "DATA ascii"]
    return "\n".join([*lines, *rows(cloud), ""])


@given(cloud=clouds())
def test_what_others_write_in_ascii_is_the_same(cloud, folder) -> None:
    ply, pcd = folder / "text.ply", folder / "text.pcd"
    ply.write_text(as_ascii_ply(cloud))
    require_same(read_cloud(ply), cloud)
    plain = PointCloud(cloud.points, None, cloud.fields)
    pcd.write_text(as_ascii_pcd(plain))
    require_same(read_cloud(pcd), plain)


@given(cloud=clouds())
def test_the_other_order_of_bytes_is_the_same(cloud, folder) -> None:
    path = folder / "big.ply"
    write_cloud(path, PointCloud(cloud.points))
    head, _ = path.read_bytes().split(b"end_header\n")
    head = head.replace(b"little", b"big").replace(b"float", b"double")
    path.write_bytes(head + b"end_header\n" + cloud.points.astype(">f8").tobytes())
    require_same(read_cloud(path), PointCloud(cloud.points))


def packed(plain: bytes) -> bytes:
    """LZF: the longest of what came before within reach, else bytes as they are."""
    out, at, run = bytearray(), 0, bytearray()

    def flush() -> None:
        for i in range(0, len(run), 32):
            out.extend([len(run[i : i + 32]) - 1, *run[i : i + 32]])
        run.clear()

    while at < len(plain):
        best, back = 0, 0
        for begin in range(max(0, at - 300), at):
            length = 0
            while (
                length < 264
                and at + length < len(plain)
                and plain[begin + length] == plain[at + length]
            ):
                length += 1
            if length > best:
                best, back = length, at - begin - 1
        if best < 3:
            run.append(plain[at])
            at += 1
            continue
        flush()
        told = best - 2
        out.append(min(told, 7) << 5 | back >> 8)
        if told >= 7:
            out.append(told - 7)
        out.append(back & 255)
        at += best
    flush()
    return bytes(out)


@given(cloud=clouds(most=12), repeats=st.integers(1, 8))
def test_compressed_data_are_the_same(cloud, repeats, folder) -> None:
    points = np.tile(cloud.points, (repeats, 1))
    path = folder / "packed.pcd"
    write_cloud(path, PointCloud(points))
    head, _ = path.read_bytes().split(b"DATA binary\n")
    plain = b"".join(points[:, i].tobytes() for i in range(3))
    data = packed(plain)
    sizes = np.array([len(data), len(plain)], "<u4").tobytes()
    path.write_bytes(head + b"DATA binary_compressed\n" + sizes + data)
    require_same(read_cloud(path), PointCloud(points))


@pytest.mark.parametrize("form", FORMS)
@given(cloud=clouds(), share=st.floats(0.0, 1.0, exclude_max=True))
def test_a_file_that_ends_too_early_is_named(cloud, share, form, folder) -> None:
    path = folder / f"cut{form}"
    write_cloud(path, cloud)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(SaySoError) as error:
        read_cloud(path)
    assert error.value.code is Code.CORRUPT


@pytest.mark.parametrize("form", FORMS)
@given(cloud=clouds(), at=st.floats(0.0, 1.0, exclude_max=True), byte=st.integers(0, 255))
def test_a_damaged_file_is_read_or_named_and_nothing_else(cloud, at, byte, form, folder) -> None:
    path = folder / f"damaged{form}"
    write_cloud(path, cloud)
    data = bytearray(path.read_bytes())
    data[int(at * len(data))] = byte
    path.write_bytes(data)
    try:
        read_cloud(path)
    except SaySoError as error:
        assert error.code is Code.CORRUPT


@pytest.mark.parametrize("form", FORMS)
@given(data=st.binary(max_size=200))
def test_what_is_no_cloud_is_named(data, form, folder) -> None:
    path = folder / f"none{form}"
    path.write_bytes(data)
    with pytest.raises(SaySoError) as error:
        read_cloud(path)
    assert error.value.code is Code.CORRUPT


def test_what_a_header_promises_is_not_made_before_it_is_there(folder) -> None:
    path = folder / "vast.ply"
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {10**15}"]
    head += [*(f"property double {a}" for a in "xyz"), "end_header", ""]
    path.write_bytes("\n".join(head).encode())
    with pytest.raises(SaySoError, match="ends after 0"):
        read_cloud(path)


def test_another_ending_is_refused_with_those_known(tmp_path) -> None:
    for act in (lambda p: read_cloud(p), lambda p: write_cloud(p, PointCloud(np.zeros((1, 3))))):
        with pytest.raises(SaySoError) as error:
            act(tmp_path / "cloud.las")
        assert error.value.code is Code.CONFIG
        assert set(error.value.choices) == {".ply", ".pcd"}


# -- maps ------------------------------------------------------------------------------------

SIZE_M = MappingSettings().voxel_m


@st.composite
def maps(draw) -> VoxelMap:
    """Voxels of a map, in the order in which a mapper keeps them; some are floor."""
    cell = st.tuples(st.integers(-40, 40), st.integers(-40, 40), st.integers(0, 30))
    cells = draw(st.sets(cell, min_size=1, max_size=40)) | {(0, 0, 0)}
    centres = (np.array(sorted(cells)) + 0.5) * SIZE_M
    keys = np.sort(keys_of(centres, SIZE_M))
    count = len(keys)
    hits = draw(arrays.arrays(np.int64, count, elements=st.integers(3, 10**6)))
    colors = draw(arrays.arrays(np.uint8, (count, 3)))
    share = st.floats(-0.015625, 0.015625, width=32)
    leans = draw(arrays.arrays(np.float32, (count, 4), elements=share))
    return VoxelMap(centres_of(keys, SIZE_M), hits, colors, leans)


@pytest.mark.parametrize("form", FORMS)
@given(voxels=maps())
def test_a_map_comes_back_from_its_cloud(voxels, form, folder) -> None:
    back = Mapper.of_cloud(there_and_back(cloud_of(voxels), folder, form)).voxels()
    assert np.array_equal(back.centres, voxels.centres)
    assert np.array_equal(back.hits, voxels.hits)
    assert np.array_equal(back.colors, voxels.colors)
    assert np.array_equal(back.leans, voxels.leans)


@given(cloud=clouds(finite=True))
def test_each_finite_point_of_any_cloud_is_in_a_voxel_of_its_map(cloud) -> None:
    points = np.vstack([cloud.points / 10, np.zeros((1, 3), np.float32)])
    mapper = Mapper.of_cloud(PointCloud(points))
    there = set(keys_of(mapper.voxels().centres, SIZE_M).tolist())
    assert there == set(keys_of(points.astype(float), SIZE_M).tolist())
    plan = mapper.floor_plan()
    assert (plan.cells == FREE).any() or (plan.cells == OCCUPIED).any()


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([[0.0, 0.0, 1.0]], "no floor"),
        ([[0.0, 0.0, 0.0], [3000.0, 0.0, 0.0]], "3000 m away"),
        ([[np.nan, 0.0, 0.0]], "no floor"),
        (np.zeros((0, 3)), "no floor"),
    ],
)
def test_a_cloud_of_no_flat_is_refused_with_what_is_wrong(points, said) -> None:
    with pytest.raises(SaySoError, match=said) as error:
        Mapper.of_cloud(PointCloud(np.array(points, np.float32)))
    assert error.value.code is Code.INVALID
    assert "metres" in error.value.hint
