"""Run one node until it is asked to end, then close it whole."""

from __future__ import annotations

import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from sayso.core.errors import SaySoError
from sayso.ros.runtime.diagnostics import TroubleNoted, tell_diagnostics
from sayso.ros.runtime.shared_memory import remove_abandoned
from sayso.ros.runtime.spinning import SpinningThread
from sayso.ros.runtime.streams import StreamThread

log = logging.getLogger(__name__)
CONFIG_EXIT = 2


class RosLogHandler(logging.Handler):
    """Passes what the library logs to a ROS logger, so that it appears with the node's own."""

    def __init__(self, logger: RcutilsLogger) -> None:
        super().__init__()
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        # rclpy remembers one severity for each line of source, hence five lines.
        if record.levelno >= logging.CRITICAL:
            self._logger.fatal(text)
        elif record.levelno >= logging.ERROR:
            self._logger.error(text)
        elif record.levelno >= logging.WARNING:
            self._logger.warning(text)
        elif record.levelno >= logging.INFO:
            self._logger.info(text)
        else:
            self._logger.debug(text)


def _nothing(_: Any) -> None:
    """Most nodes have nothing to bring to an end before they stop spinning."""


def run(
    make_node: Callable[[], Node], threads: int = 4, wind_down: Callable[[Any], None] = _nothing
) -> int:
    """Spin the node until SIGINT or SIGTERM, or until spinning fails; returns the exit code.

    The node spins on a thread of its own while the main thread waits for a signal: so no
    signal ever interrupts the closing of a file. `Node.destroy_node` is called in every case.
    `wind_down` is called with the node before that, while it still spins.
    A configuration error ends the process at once with `CONFIG_EXIT` and one clear line.
    """
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    forward_logs(get_logger("sayso"))
    remove_abandoned()
    waiter = _Waiter()
    try:
        node = make_node()
    except SaySoError as error:
        log.critical("%s", error)
        rclpy.try_shutdown()
        waiter.ignore_signals()
        return CONFIG_EXIT
    noted = TroubleNoted()
    forward_logs(node.get_logger(), noted)
    tell_diagnostics(node, noted)
    try:
        return _spin(node, threads, waiter, wind_down)
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
        waiter.ignore_signals()


def main(
    make_node: Callable[[], Node], threads: int = 4, wind_down: Callable[[Any], None] = _nothing
) -> None:
    """`run` as a process."""
    sys.exit(run(make_node, threads, wind_down))


def forward_logs(logger: RcutilsLogger, *others: logging.Handler) -> None:
    """Send the package's log records to this ROS logger and these handlers, and only there."""
    package = logging.getLogger("sayso")
    package.handlers = [RosLogHandler(logger), *others]
    package.setLevel(logging.INFO)
    package.propagate = False


class _Waiter:
    """Lets the main thread wait for a signal, or for the end of the spinning thread."""

    _SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        # A pipe, because a handler may not touch a lock that the interrupted thread holds.
        self._read, self._write = os.pipe()
        for number in self._SIGNALS:
            signal.signal(number, lambda *_: self.wake())

    def wake(self) -> None:
        os.write(self._write, b"x")

    def wait(self) -> None:
        os.read(self._read, 1)

    def ignore_signals(self) -> None:
        """From now on the process ends anyway: a second Ctrl-C must not make that a failure."""
        for number in self._SIGNALS:
            signal.signal(number, signal.SIG_IGN)


def _spin(node: Node, threads: int, waiter: _Waiter, wind_down: Callable[[Any], None]) -> int:
    executor = MultiThreadedExecutor(threads) if threads > 1 else SingleThreadedExecutor()
    executor.add_node(node)
    defects: list[Exception] = []

    def ended(defect: Exception | None) -> None:
        if defect is not None:
            text = "".join(traceback.format_exception(defect))
            log.critical("the node ends after a defect:\n%s", text)
            defects.append(defect)
        waiter.wake()

    streams = StreamThread(node, ended)
    spinning = SpinningThread(executor, node.context, ended)
    spinning.start()
    waiter.wait()
    wind_down(node)
    spinning.stop()
    streams.stop()
    return 1 if defects else 0
