"""Run one node until it is asked to end, then close it whole."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Callable

import rclpy
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.logging import get_logger
from rclpy.node import Node

from sayso.core.errors import SaySoError

CONFIG_EXIT = 2


class RosLogHandler(logging.Handler):
    """Passes what the library logs to a ROS logger, so that it appears with the node's own."""

    def __init__(self, logger: RcutilsLogger) -> None:
        super().__init__()
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        # rclpy remembers one severity for each line of source, hence four lines.
        if record.levelno >= logging.ERROR:
            self._logger.error(text)
        elif record.levelno >= logging.WARNING:
            self._logger.warning(text)
        elif record.levelno >= logging.INFO:
            self._logger.info(text)
        else:
            self._logger.debug(text)


def run(make_node: Callable[[], Node], threads: int = 4) -> int:
    """Spin the node until SIGINT, SIGTERM or shutdown; returns the exit code.

    A configuration error ends it at once with `CONFIG_EXIT` and one clear line.
    `Node.destroy_node` is called in every case, with further signals ignored meanwhile.
    """
    rclpy.init()
    log = get_logger("sayso")
    forward_logs(log)
    try:
        node = make_node()
    except SaySoError as error:
        log.fatal(str(error))
        rclpy.try_shutdown()
        return CONFIG_EXIT
    forward_logs(node.get_logger())
    try:
        _spin(node, threads)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


def main(make_node: Callable[[], Node], threads: int = 4) -> None:
    """`run` as a process."""
    sys.exit(run(make_node, threads))


def forward_logs(logger: RcutilsLogger) -> None:
    """Send the package's log records to this ROS logger, and only there."""
    package = logging.getLogger("sayso")
    package.handlers = [RosLogHandler(logger)]
    package.setLevel(logging.INFO)
    package.propagate = False


def _spin(node: Node, threads: int) -> None:
    executor = MultiThreadedExecutor(num_threads=threads)
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        executor.shutdown(timeout_sec=2.0)
