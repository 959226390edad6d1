"""What a Spot's computer decides: who may command it, whether its motors have power, what ails it.

Written from what Boston Dynamics documents of these services (https://dev.bostondynamics.com).
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from bosdyn.api import estop_pb2, lease_pb2, robot_state_pb2

RESOURCE = "body"
EPOCH = "sayso"
TABLET = lease_pb2.LeaseOwner(client_name="tablet", user_name="somebody at the tablet")
FULL_PERCENT, EMPTY_PERCENT = 87.0, 4.0
_CUT: int = estop_pb2.ESTOP_LEVEL_CUT
_SETTLE: int = estop_pb2.ESTOP_LEVEL_SETTLE_THEN_CUT
_FREE: int = estop_pb2.ESTOP_LEVEL_NONE
_BITS = 1 << 64


@dataclass
class Endpoint:
    """Somebody who can stop the robot, and must be heard of."""

    proto: estop_pb2.EstopEndpoint
    heard_s: float
    challenge: int
    level: int = _SETTLE


@dataclass
class Computer:
    """Safe from any thread.

    Args:
        steady_s: of check-ins: of a clock that nobody sets.
        rest: brings the robot to rest.
    """

    steady_s: Callable[[], float]
    rest: Callable[[], None]
    powered: bool = False
    standing: bool = False
    battery_percent: float = FULL_PERCENT
    pressed: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)
    owner: lease_pb2.LeaseOwner | None = None
    sequence: int = 0
    behavior_faults: dict[int, robot_state_pb2.BehaviorFault] = field(default_factory=dict)
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    config_id: str = "config-0"
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def number(self) -> int:
        """One that was not given before."""
        return next(self._numbers)

    # -- what may happen to it ----------------------------------------------------------------

    def take_by_tablet(self, taken: bool) -> None:
        """Somebody takes the lease at the tablet, or hands it back."""
        with self.lock:
            self.sequence += 1
            self.owner = TABLET if taken else None
        self.rest()

    def press_estop(self, pressed: bool) -> None:
        """The button on the robot."""
        self.pressed = pressed
        self.look()

    def cut_power(self, cut: bool) -> None:
        """Somebody switches the motors off; a client can switch them on again."""
        if cut:
            with self.lock:
                self.powered = self.standing = False
            self.rest()

    def fall(self, fallen: bool) -> None:
        """A fault of its behaviour, which has to be cleared."""
        with self.lock:
            if fallen:
                number = self.number()
                self.behavior_faults[number] = robot_state_pb2.BehaviorFault(
                    behavior_fault_id=number,
                    cause=robot_state_pb2.BehaviorFault.CAUSE_FALL,
                    status=robot_state_pb2.BehaviorFault.STATUS_CLEARABLE,
                )
            else:
                self.behavior_faults.clear()
        self.rest()

    def empty_battery(self, empty: bool) -> None:
        """It is nearly empty, or charged again."""
        self.battery_percent = EMPTY_PERCENT if empty else FULL_PERCENT

    # -- leases -------------------------------------------------------------------------------

    def lease(self) -> lease_pb2.Lease:
        """The newest."""
        return lease_pb2.Lease(resource=RESOURCE, epoch=EPOCH, sequence=[self.sequence])

    def grant(self, client: str) -> lease_pb2.Lease:
        """A new lease for a client, whoever had the one before."""
        with self.lock:
            self.sequence += 1
            self.owner = lease_pb2.LeaseOwner(client_name=client)
            return self.lease()

    def judge(self, lease: lease_pb2.Lease) -> lease_pb2.LeaseUseResult:
        """Whether a lease entitles to command."""
        result = lease_pb2.LeaseUseResult
        with self.lock:
            status = result.STATUS_OK
            if lease.resource != RESOURCE or not lease.sequence:
                status = result.STATUS_INVALID_LEASE
            elif lease.epoch != EPOCH:
                status = result.STATUS_WRONG_EPOCH
            elif self.owner is None:
                status = result.STATUS_REVOKED
            elif lease.sequence[0] < self.sequence:
                status = result.STATUS_OLDER
            return result(
                status=status,
                owner=self.owner,
                attempted_lease=lease,
                latest_known_lease=self.lease(),
            )

    # -- e-stop -------------------------------------------------------------------------------

    def configure(self, config: estop_pb2.EstopConfig) -> estop_pb2.EstopConfig:
        """Replace all endpoints."""
        with self.lock:
            self.endpoints.clear()
            self.config_id = f"config-{self.number()}"
            for proto in config.endpoints:
                self._add(proto)
            return self.config()

    def config(self) -> estop_pb2.EstopConfig:
        """The endpoints that must be heard of."""
        known = [endpoint.proto for endpoint in self.endpoints.values()]
        return estop_pb2.EstopConfig(endpoints=known, unique_id=self.config_id)

    def register(self, proto: estop_pb2.EstopEndpoint, role: str) -> estop_pb2.EstopEndpoint | None:
        """Take the place of the endpoint in this role; None where there is none such."""
        with self.lock:
            known = [n for n, e in self.endpoints.items() if e.proto.role == role]
            if not known:
                return None
            del self.endpoints[known[0]]
            return self._add(proto).proto

    def check_in(self, request: estop_pb2.EstopCheckInRequest) -> tuple[int, int]:
        """A sign of an endpoint; the status, and what it is asked next time."""
        status = estop_pb2.EstopCheckInResponse
        with self.lock:
            endpoint = self.endpoints.get(request.endpoint.unique_id)
            if endpoint is None:
                return status.STATUS_ENDPOINT_UNKNOWN, 0
            answer = ~endpoint.challenge % _BITS
            right = (request.challenge, request.response) == (endpoint.challenge, answer)
            endpoint.challenge = hash((self.number(), endpoint.proto.unique_id)) % _BITS
            if not right:
                return status.STATUS_INCORRECT_CHALLENGE_RESPONSE, endpoint.challenge
            endpoint.heard_s, endpoint.level = self.steady_s(), request.stop_level
        self.look()
        return status.STATUS_OK, endpoint.challenge

    def level(self) -> int:
        """What all of them together ask for."""
        if self.pressed:
            return _CUT
        now_s = self.steady_s()
        levels = [
            _SETTLE
            if now_s - e.heard_s > e.proto.timeout.ToTimedelta().total_seconds()
            else e.level
            for e in self.endpoints.values()
        ]
        return min(levels, default=_CUT)

    def look(self) -> None:
        """Cut the motors' power where the e-stop asks for it; to be called all the time."""
        with self.lock:
            cut = self.powered and self.level() != _FREE
            if cut:
                self.powered = self.standing = False
        if cut:
            self.rest()

    def _add(self, proto: estop_pb2.EstopEndpoint) -> Endpoint:
        known = estop_pb2.EstopEndpoint()
        known.CopyFrom(proto)
        known.unique_id = f"endpoint-{self.number()}"
        challenge = hash((self.number(), known.unique_id)) % _BITS
        self.endpoints[known.unique_id] = endpoint = Endpoint(known, self.steady_s(), challenge)
        return endpoint
