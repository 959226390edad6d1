"""Write and read rosbag2 (mcap) without a running graph.

Message definitions are stored in the bag, so that it can be read where the types are not
installed.
"""

from __future__ import annotations

import logging
import queue
import tempfile
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.interfaces import Connection, Nodetype, Qos
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer, WriterError
from rosbags.rosbag2.storage_mcap import McapWriter
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from sayso.core.errors import Code, SaySoError

log = logging.getLogger(__name__)
CHUNK_S = 2.0
"""How long what is recorded may stay in memory alone."""
IN_RUN_FOLDER = "bag"
"""The folder within a run's folder that is its bag."""
_OWN = "sayso_ros/"
_EMPTY: Mapping[str, object] = {"string": "", "bool": False, "float32": 0.0, "float64": 0.0}
"""What fields of basic types hold by themselves, where that is not 0."""
_MAGIC = b"\x89MCAP0\r\n"
_LAST_RECORDS = (0x0F, 0x02)
"""The end of the data, and the footer."""
_FOOTER = bytes([0x02]) + (20).to_bytes(8, "little") + bytes(20)


@dataclass(frozen=True)
class BagMessage:
    """One recorded message.

    Attributes:
        stamp_ns: when it was received, wall clock.
        message: an object with the message's fields; sequences of numbers are numpy arrays.
    """

    topic: str
    msgtype: str
    stamp_ns: int
    message: Any


@dataclass(frozen=True)
class _Item:
    topic: str
    msgtype: str
    stamp_ns: int
    data: bytes
    qos: tuple[Qos, ...]


class BagWriter:
    """Writes serialised messages from any thread; one thread of its own does the disk work.

    Close it in every case (it is a context manager): only then are the index and the counts
    in `metadata.yaml` written. If the process is killed before, `read_bag` still finds what was
    received until `CHUNK_S` before.

    Args:
        folder: must not exist yet.
        compress: zstd on the chunks of the mcap file.

    Raises:
        SaySoError: CONFIG if the folder exists or cannot be made.
    """

    def __init__(self, folder: Path, compress: bool = True) -> None:
        self.folder = folder
        self._types = MessageTypes()
        self._connections: dict[tuple[str, str], Connection] = {}
        self._queue: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
        self._closed = False
        self._lock = threading.Lock()
        self._error: Exception | None = None
        self._writer = _open_writer(folder, compress)
        self._thread = threading.Thread(target=self._work, name="bag-writer")
        self._thread.start()

    def write(
        self, topic: str, msgtype: str, stamp_ns: int, data: bytes, qos: tuple[Qos, ...] = ()
    ) -> None:
        """Queue one message in CDR form; ignored once the bag is closed."""
        with self._lock:
            if not self._closed:
                self._queue.put(_Item(topic, msgtype, stamp_ns, data, qos))

    def close(self) -> None:
        """Write out what is queued and finish the files; a second call does nothing.

        Raises:
            SaySoError: CORRUPT if writing failed on the way (for example, a full disk).
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._thread.join()
        if self._error is not None:
            raise SaySoError(
                Code.CORRUPT,
                f"the bag {self.folder} is incomplete: {self._error}.",
                hint="check the free space on the disk.",
            ) from self._error

    def __enter__(self) -> BagWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(self) -> None:
        due_s = time.monotonic() + CHUNK_S
        while (item := self._next(due_s)) is not None:
            if self._error is None and isinstance(item, _Item):
                self._write(item)
            if self._error is None and time.monotonic() >= due_s:
                self._finish_chunk()
                due_s = time.monotonic() + CHUNK_S
        try:
            self._writer.close()
        except OSError as error:
            self._error = self._error or error

    def _next(self, due_s: float) -> _Item | Literal["late"] | None:
        try:
            return self._queue.get(timeout=max(0.0, due_s - time.monotonic()))
        except queue.Empty:
            return "late"

    def _finish_chunk(self) -> None:
        """Put what was written so far on the disk: a killed process takes the rest with it."""
        storage = self._writer.storage
        if not isinstance(storage, McapWriter) or not storage.chunk.msgs:
            return
        try:
            storage.close_chunk()
            storage.bio.flush()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        log.error("recording stopped: %s", error)
        self._error = error

    def _write(self, item: _Item) -> None:
        try:
            self._writer.write(self._connection(item), item.stamp_ns, item.data)
        except (OSError, WriterError, SaySoError) as error:
            self._fail(error)

    def _connection(self, item: _Item) -> Connection:
        key = (item.topic, item.msgtype)
        if key not in self._connections:
            self._connections[key] = self._writer.add_connection(
                item.topic,
                item.msgtype,
                typestore=self._types.store_with(item.msgtype),
                offered_qos_profiles=item.qos,
            )
        return self._connections[key]


def read_bag(
    folder: Path, topics: Collection[str] | None = None, namespace: str = ""
) -> Iterator[BagMessage]:
    """The messages in the order of their reception; all topics, or only some.

    Args:
        namespace: of the robot's nodes; topics are named without it, and others are passed over.

    Of a bag whose recorder was killed, all whole chunks are read. What was recorded before one of
    SaySo's types got a field is read with that field empty.

    Raises:
        SaySoError: CORRUPT if it is no bag.
    """
    types = MessageTypes()
    try:
        with opened(folder) as reader:
            names = names_within(reader.connections, namespace)
            chosen = [
                c
                for c in reader.connections
                if c.topic in names and (topics is None or names[c.topic] in topics)
            ]
            if not chosen:
                return
            for connection, stamp_ns, data in reader.messages(connections=chosen):
                message = types.as_now(reader.deserialize(data, connection.msgtype))
                name = names[connection.topic]
                yield BagMessage(name, connection.msgtype, stamp_ns, message)
    except (AnyReaderError, OSError) as error:
        raise unreadable(folder, error) from error


def names_within(connections: Iterable[Connection], namespace: str) -> dict[str, str]:
    """The recorded names of the topics in a namespace, with what they are called in it."""
    prefix = "".join(f"/{part}" for part in namespace.split("/") if part)
    topics = (c.topic for c in connections)
    return {t: t[len(prefix) :] for t in topics if t.startswith(f"{prefix}/")}


def recorded_topics(folder: Path, namespace: str = "") -> frozenset[str]:
    """The names of the topics of which a bag holds messages, as `read_bag` gives them.

    Of a bag whose recorder was killed, all whole chunks are read.

    Raises:
        SaySoError: CORRUPT if it is no bag.
    """
    try:
        with opened(folder) as reader:
            names = names_within((c for c in reader.connections if c.msgcount), namespace)
            return frozenset(names.values())
    except (AnyReaderError, OSError) as error:
        raise unreadable(folder, error) from error


@contextmanager
def opened(folder: Path) -> Iterator[AnyReader]:
    """A bag to read, or that of a run's folder; where its recorder was killed, a copy that ends
    after the last whole chunk."""
    if (folder / IN_RUN_FOLDER).is_dir():
        folder /= IN_RUN_FOLDER
    files = list(folder.glob("*.mcap"))
    if (folder / "metadata.yaml").exists() or len(files) != 1:
        with AnyReader([folder]) as reader:
            yield reader
        return
    with tempfile.TemporaryDirectory(prefix="sayso_bag_") as place:
        copy = Path(place) / files[0].name
        lost = _copy_whole_records(files[0], copy)
        log.warning("%s was not closed: read without its last %d bytes", folder, lost)
        with AnyReader([copy]) as reader:
            yield reader


def _copy_whole_records(file: Path, copy: Path) -> int:
    """Copy an mcap file as far as its records are whole, and end it; returns the bytes left out.

    The format: https://mcap.dev/spec. Each record is a byte that tells its kind, its length, and
    its content; an end without a summary lets readers go through all records.
    """
    size = file.stat().st_size
    with file.open("rb") as source, copy.open("wb") as target:
        target.write(source.read(len(_MAGIC)))
        while len(head := source.read(9)) == 9:
            length = int.from_bytes(head[1:], "little")
            if head[0] in _LAST_RECORDS or source.tell() + length > size:
                break
            target.write(head + source.read(length))
        lost = size - target.tell()
        target.write(_FOOTER + _MAGIC)
    return lost


def unreadable(folder: Path, error: Exception) -> SaySoError:
    return SaySoError(
        Code.CORRUPT,
        f"{folder} cannot be read as a bag: {error}",
        hint="name a run's folder, or the one that holds metadata.yaml and an .mcap file.",
    )


def _open_writer(folder: Path, compress: bool) -> Writer:
    try:
        writer = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
        if compress:
            writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        writer.open()
    except (WriterError, OSError) as error:
        raise SaySoError(
            Code.CONFIG,
            f"a bag cannot be written to {folder}: {error}",
            hint="name a folder that does not exist yet, in a place that can be written.",
        ) from error
    return writer


class MessageTypes:
    """Message definitions: the standard ones, others from their packages' .msg files."""

    def __init__(self) -> None:
        self._store = get_typestore(Stores.ROS2_JAZZY)

    def store_with(self, msgtype: str) -> Typestore:
        """The store, holding this type and all types that it uses."""
        pending = [msgtype]
        found: dict[str, Any] = {}
        while pending:
            name = pending.pop()
            if name in self._store.fielddefs or name in found:
                continue
            found.update(get_types_from_msg(_definition(name), name))
            pending.extend(_used_types(found[name]))
        if found:
            self._store.register(found)
        return self._store

    def bytes_as_now(self, reader: AnyReader, msgtype: str, data: bytes) -> bytes:
        """What was recorded, serialised as its type is now: other programs know no older one."""
        if not msgtype.startswith(_OWN):
            return bytes(data)
        now = self.store_with(msgtype)
        if reader.typestore.generate_msgdef(msgtype) == now.generate_msgdef(msgtype):
            return bytes(data)
        message = self.as_now(reader.deserialize(data, msgtype))
        return bytes(now.serialize_cdr(message, msgtype))

    def as_now(self, message: Any) -> Any:
        """A recorded message with the fields that its type has now, if it is one of SaySo's.

        Where SaySo's types are not installed it stays as it was recorded.
        """
        if isinstance(message, list):
            return [self.as_now(m) for m in message]
        name = getattr(message, "__msgtype__", "")
        if not name.startswith(_OWN):
            return message
        try:
            store = self.store_with(name)
        except SaySoError:
            return message
        fields = {
            field: self.as_now(getattr(message, field))
            if hasattr(message, field)
            else self._empty(*kind)
            for field, kind in store.fielddefs[name][1]
        }
        return store.types[name](**fields)

    def _empty(self, kind: Nodetype, detail: Any) -> Any:
        """What a field holds that nothing is said of."""
        if kind is Nodetype.BASE:
            return _EMPTY.get(detail[0], 0)
        if kind is Nodetype.NAME:
            fields = self._store.fielddefs[detail][1]
            return self._store.types[detail](**{f: self._empty(*k) for f, k in fields})
        element, most = detail
        count = most if kind is Nodetype.ARRAY else 0
        if element[0] is Nodetype.BASE and element[1][0] != "string":
            return np.zeros(count, element[1][0])
        return [self._empty(*element) for _ in range(count)]


def _used_types(definition: Any) -> Iterator[str]:
    """Names of the message types among a definition's fields, arrays and sequences included."""
    for _, (_, field) in definition[1]:
        detail = field
        while isinstance(detail, tuple) and isinstance(detail[0], tuple):
            detail = detail[0][1]
        if isinstance(detail, str):
            yield detail


def _definition(msgtype: str) -> str:
    package, _, name = msgtype.split("/")
    try:
        share = Path(get_package_share_directory(package))
        return (share / "msg" / f"{name}.msg").read_text()
    except (PackageNotFoundError, OSError) as error:
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            f"the definition of {msgtype} is not installed.",
            hint=f"build or install the ROS package {package} and source its workspace.",
        ) from error
