"""Starting a launch file's nodes in the background, and ending them whatever happens."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from sayso.core.errors import Code, SaySoError
from sayso.ros.launch.launch_log import failed_node, page_address
from sayso.ros.launch.launch_runner import end_with_parent

END_TIMEOUT_S = 30.0
PAGE_TIMEOUT_S = 30.0


def launch_command(launch_file: str, arguments: Mapping[str, str]) -> list[str]:
    """The command that starts the nodes: `ros2 launch` where there is one, else our runner."""
    if shutil.which("ros2"):
        command = ["ros2", "launch"]
    else:
        command = [sys.executable, "-m", "sayso.ros.launch.launch_runner"]
    given = [f"{name}:={value}" for name, value in arguments.items() if value]
    return [*command, "sayso_ros", launch_file, *given]


@contextmanager
def launched(
    launch_file: str, arguments: Mapping[str, str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """The nodes running in a process group of their own; always ended.

    Args:
        log: file that their output is written to.
    """
    log.touch(mode=0o600)  # the address of a console, which is in it, lets its reader in
    with log.open("wb") as output:
        process = subprocess.Popen(
            launch_command(launch_file, arguments),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a Ctrl-C at the terminal reaches only us; we end the nodes
            preexec_fn=end_with_parent(),  # noqa: PLW1509 - nodes end even when we are killed
        )
        try:
            yield process
        finally:
            _end(process)


@contextmanager
def alone(namespace: str) -> Iterator[None]:
    """Keep a second demo of this user out of this ROS domain and namespace, until the end.

    Raises:
        SaySoError: BUSY, if one is there.
    """
    domain = os.environ.get("ROS_DOMAIN_ID") or "0"
    name = "_".join(["sayso", str(os.getuid()), domain, *filter(None, namespace.split("/"))])
    with (Path(tempfile.gettempdir()) / f"{name}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SaySoError(
                Code.BUSY,
                f"another demo runs in ROS domain {domain}: its nodes would answer for these.",
                hint="wait for it to end, or set --namespace NAME or another ROS_DOMAIN_ID.",
            ) from error
        yield


def raise_if_failed(process: subprocess.Popen[bytes], log: Path) -> None:
    """Raises NODE_UNAVAILABLE as soon as a launched node has failed, instead of waiting for it."""
    failed = failed_node(log.read_text(errors="replace"))
    if failed is None and process.poll() is None:
        return
    name, words = failed or ("", "")
    cause = f"the node {name} has failed. {words}" if name else "the nodes have ended."
    raise SaySoError(Code.NODE_UNAVAILABLE, cause.rstrip(), hint=f"read {log}.")


def console_address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Where the launched console serves its page.

    Raises:
        SaySoError: NODE_UNAVAILABLE if it does not come to that.
    """
    end_s = time.monotonic() + PAGE_TIMEOUT_S
    while not (page := page_address(log.read_text(errors="replace"))):
        raise_if_failed(process, log)
        if time.monotonic() > end_s:
            raise SaySoError(Code.NODE_UNAVAILABLE, "there is no console.", hint=f"read {log}.")
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
    return page


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the nodes to end, in the end by force; another Ctrl-C does not leave them behind."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    deadline = time.monotonic() + END_TIMEOUT_S
    while process.poll() is None:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except KeyboardInterrupt:
            continue
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            deadline += END_TIMEOUT_S
