"""What a client of a Spot keeps while it is connected: clock, lease, e-stop, names of refusals."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from bosdyn.api import time_sync_pb2
from bosdyn.client import exceptions as failures
from bosdyn.client.estop import EstopClient, EstopEndpoint, EstopKeepAlive, MotorsOnError
from bosdyn.client.image import ImageClient
from bosdyn.client.lease import Error as LeaseError
from bosdyn.client.lease import LeaseClient, LeaseKeepAlive, LeaseResponseError
from bosdyn.client.power import EstoppedError, PowerClient
from bosdyn.client.robot import UnregisteredServiceError
from bosdyn.client.robot_command import RobotCommandClient
from bosdyn.client.robot_state import RobotStateClient
from bosdyn.client.time_sync import TimeSyncClient, TimeSyncEndpoint
from bosdyn.util import set_timestamp_from_nsec
from google.protobuf.duration_pb2 import Duration

from sayso.core.errors import Code, SaySoError

log = logging.getLogger(__name__)
NAME = "sayso"
ANSWER_S = 2.0
AGAIN = "then call the service driver/recover."
BY_HAND = "see to it at the robot or its tablet, " + AGAIN
_SYNC_EVERY_S, _ESTIMATES = 0.5, 40
_JUMP_S = 0.5
"""Two estimates of the clocks' difference are no further apart but for what the questions took."""
_SOON = (("grpc.max_reconnect_backoff_ms", 1000),)


class Clock(TimeSyncEndpoint):  # type: ignore[misc]  # untyped
    """The robot's clock beside that of readings and commands, which may be a simulation's.

    Of the newest estimates that one counts whose question and answer took least (Cristian's
    algorithm); of those the smallest: a clock that is told by messages is never ahead.
    """

    def __init__(self, client: TimeSyncClient, now_s: Callable[[], float]) -> None:
        super().__init__(client)
        self._now_s, self._synced_s = now_s, -np.inf
        self._estimates: deque[tuple[float, float]] = deque(maxlen=_ESTIMATES)

    def get_new_estimate(self) -> bool:
        """As of the client's own, by the other clock."""
        sent_s = self._now_s()
        response = self._get_update()
        trip = time_sync_pb2.TimeSyncRoundTrip()
        set_timestamp_from_nsec(trip.client_tx, round(sent_s * 1e9))
        trip.server_rx.CopyFrom(response.header.request_received_timestamp)
        trip.server_tx.CopyFrom(response.header.response_timestamp)
        received_s = self._now_s()
        set_timestamp_from_nsec(trip.client_rx, round(received_s * 1e9))
        with self._lock:
            self._locked_previous_round_trip = trip
            self._locked_previous_response = response
            self._locked_clock_identifier = response.clock_identifier
        rx_s, tx_s = _seconds(trip.server_rx), _seconds(trip.server_tx)
        skew_s = (rx_s - sent_s + tx_s - received_s) / 2
        took_s = received_s - sent_s - (tx_s - rx_s)
        if self._estimates and abs(skew_s - self._estimates[-1][1]) > max(took_s, 0.0) + _JUMP_S:
            self._estimates.clear()  # the robot was started anew, or its clock was set
        self._estimates.append((round(max(took_s, 0.0), 3), skew_s))
        return bool(self.has_established_time_sync)

    @property
    def clock_skew(self) -> Duration:
        """Of the best of the newest estimates."""
        best = Duration()
        best.FromNanoseconds(round(min(self._estimates)[1] * 1e9))
        return best

    def keep(self, now_s: float) -> None:
        """Compare the clocks anew, if it is time for it."""
        if now_s - self._synced_s > _SYNC_EVERY_S:
            self._synced_s = now_s
            self.get_new_estimate()

    def local_s(self, stamp: Any) -> float:
        """By the clock of readings."""
        return _seconds(stamp) - min(self._estimates)[1]


def _seconds(stamp: Any) -> float:
    return float(stamp.seconds + stamp.nanos * 1e-9)


class Link:
    """The clients of a robot that let us in. They find it again after the connection was lost.

    Args:
        estop_timeout_s: as of the profile's client.
    """

    def __init__(self, robot: Any, now_s: Callable[[], float], estop_timeout_s: float) -> None:
        self._robot, self._timeout_s = robot, estop_timeout_s
        self._retained: LeaseKeepAlive | None = None
        self._estop: EstopKeepAlive | None = None
        self._endpoint: EstopEndpoint | None = None
        self.state = self._client(RobotStateClient)
        self.power = self._client(PowerClient)
        self.commands = self._client(RobotCommandClient)
        robot.stop_time_sync()  # by the wall clock; ours is below
        self._leases, self._stops = self._client(LeaseClient), self._client(EstopClient)
        self.clock = Clock(self._client(TimeSyncClient), now_s)
        self.commands._timesync_endpoint = self.clock
        self.clock.establish_timesync(break_on_success=True)
        self.hold_estop()

    def images(self, service: str) -> ImageClient:
        """The client of an image service. Raises `UnregisteredServiceError` where there is none."""
        try:
            return self._robot.ensure_client(service, options=list(_SOON))
        except UnregisteredServiceError:  # a payload's, which may have come since
            self._robot.sync_with_directory()
            return self._robot.ensure_client(service, options=list(_SOON))

    def send(self, command: Any, end_s: float | None) -> None:
        """A command, and when it ends, where it does."""
        self.commands.robot_command(command, end_s, timesync_endpoint=self.clock, timeout=ANSWER_S)

    def hold_estop(self) -> None:
        """Be the endpoint of its e-stop where it has none; one of somebody else stays."""
        if not self._timeout_s:
            return
        config = self._stops.get_config(timeout=ANSWER_S)
        if self._estop is not None and self._endpoint is not None:
            if self._endpoint.unique_id in [e.unique_id for e in config.endpoints]:
                return
            self._estop.shutdown()  # the robot was started anew, or somebody took its place
            self._estop = None
        endpoint = EstopEndpoint(self._stops, NAME, self._timeout_s)
        if others := [e.name for e in config.endpoints if e.name != NAME]:
            log.warning(
                "its e-stop stays with '%s', which has to allow motion; deregister it there, then "
                "call the service driver/recover, to have this driver stop it on silence.",
                ", ".join(others),
            )
            return
        try:
            endpoint.force_simple_setup()
        except MotorsOnError:
            log.warning("its motors are on: its e-stop stays as it is.")
            return
        self._endpoint, self._estop = endpoint, EstopKeepAlive(endpoint)

    def acquire_lease(self) -> None:
        """Where nobody else has it."""
        self._leases.acquire(timeout=ANSWER_S)
        self._retain()

    def take_lease(self) -> None:
        """From whoever has it."""
        self._leases.take(timeout=ANSWER_S)
        self._retain()

    def close(self) -> None:
        """Give back what was taken, if it can still be reached."""
        for kept in (self._retained, self._estop):
            if kept is not None:
                with suppress(failures.Error, LeaseError):
                    kept.shutdown()
        self._robot.shutdown()

    def _client(self, kind: Any) -> Any:
        return self._robot.ensure_client(kind.default_service_name, options=list(_SOON))

    def _retain(self) -> None:
        if self._retained is None or not self._retained.is_alive():
            self._retained = LeaseKeepAlive(self._leases, warnings=False, return_at_exit=True)


@contextmanager
def named(address: str) -> Iterator[None]:
    """Raises what the robot refuses by the name of its cause; lost connections pass."""
    try:
        yield
    except EstoppedError as error:
        text = f"{address}: the e-stop is pressed."
        raise SaySoError(Code.STOPPED, text, hint="release it, " + AGAIN) from error
    except (failures.LeaseUseError, LeaseResponseError, LeaseError) as error:
        text = f"{address}: somebody else has taken the lease ({_owner(error)})."
        hint = "have it handed back, or take it by the service driver/recover."
        raise SaySoError(Code.STOPPED, text, hint=hint) from error
    except failures.RpcError:
        raise
    except failures.Error as error:
        text = f"{address}: it refused a command ({type(error).__name__}: {error})."
        raise SaySoError(Code.EXECUTION, text, hint=BY_HAND) from error


def _owner(error: Any) -> str:
    result = getattr(error, "lease_use_result", None) or getattr(error, "response", None)
    owner = getattr(result, "owner", None) or getattr(result, "lease_owner", None)
    return getattr(owner, "client_name", "") or "nobody said who"
