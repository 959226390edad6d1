"""Write and read rosbag2 (mcap) without a running graph.

Message definitions are stored in the bag, so that it can be read where the types are not
installed.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.interfaces import Connection, Qos
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer, WriterError
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from sayso.core.errors import Code, SaySoError

log = logging.getLogger(__name__)


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
    in `metadata.yaml` written.

    Args:
        folder: must not exist yet.
        compress: zstd on the chunks of the mcap file.

    Raises:
        SaySoError: CONFIG if the folder exists or cannot be made.
    """

    def __init__(self, folder: Path, compress: bool = True) -> None:
        self.folder = folder
        self._types = _TypeTexts()
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            if self._error is None:
                self._write(item)
        try:
            self._writer.close()
        except OSError as error:
            self._error = self._error or error

    def _write(self, item: _Item) -> None:
        try:
            self._writer.write(self._connection(item), item.stamp_ns, item.data)
        except (OSError, WriterError, SaySoError) as error:
            log.error("recording stopped: %s", error)
            self._error = error

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


def read_bag(folder: Path, topics: Collection[str] | None = None) -> Iterator[BagMessage]:
    """The messages in the order of their reception; all topics, or only some.

    Raises:
        SaySoError: CORRUPT if it is no bag or was not closed.
    """
    try:
        with AnyReader([folder]) as reader:
            chosen = [c for c in reader.connections if topics is None or c.topic in topics]
            if not chosen:
                return
            for connection, stamp_ns, data in reader.messages(connections=chosen):
                message = reader.deserialize(data, connection.msgtype)
                yield BagMessage(connection.topic, connection.msgtype, stamp_ns, message)
    except (AnyReaderError, OSError) as error:
        raise unreadable(folder, error) from error


def recorded_topics(folder: Path) -> frozenset[str]:
    """The names of the topics of which a bag holds messages.

    Raises:
        SaySoError: CORRUPT if it is no bag or was not closed.
    """
    try:
        with AnyReader([folder]) as reader:
            return frozenset(c.topic for c in reader.connections if c.msgcount)
    except (AnyReaderError, OSError) as error:
        raise unreadable(folder, error) from error


def unreadable(folder: Path, error: Exception) -> SaySoError:
    return SaySoError(
        Code.CORRUPT,
        f"{folder} cannot be read as a bag: {error}",
        hint="name the folder that holds metadata.yaml; a bag whose recorder was killed has none.",
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


class _TypeTexts:
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
