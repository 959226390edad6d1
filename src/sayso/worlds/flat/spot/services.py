"""The services of a Spot that a client finds behind its address, over gRPC with TLS."""

from __future__ import annotations

from collections.abc import Callable
from concurrent import futures
from pathlib import Path
from typing import Any, Protocol

import grpc
import jwt
import trustme
from bosdyn.api import (
    auth_pb2,
    auth_service_pb2_grpc,
    basic_command_pb2,
    directory_pb2,
    directory_service_pb2_grpc,
    estop_pb2,
    estop_service_pb2_grpc,
    header_pb2,
    image_pb2,
    image_service_pb2_grpc,
    lease_pb2,
    lease_service_pb2_grpc,
    power_pb2,
    power_service_pb2_grpc,
    robot_command_pb2,
    robot_command_service_pb2_grpc,
    robot_id_pb2,
    robot_id_service_pb2_grpc,
    robot_state_pb2,
    robot_state_service_pb2_grpc,
    time_sync_pb2,
    time_sync_service_pb2_grpc,
)
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from sayso.worlds.flat.spot.computer import RESOURCE, Computer

USER, PASSWORD = "user", "spot-double"
PAYLOAD_IMAGES = "mast-camera"
_AUTHORITIES = {
    "auth": "auth.spot.robot",
    "directory": "api.spot.robot",
    "robot-id": "id.spot.robot",
    "time-sync": "api.spot.robot",
    "lease": "api.spot.robot",
    "estop": "estop.spot.robot",
    "power": "power.spot.robot",
    "robot-state": "state.spot.robot",
    "robot-command": "command.spot.robot",
    "image": "api.spot.robot",
    PAYLOAD_IMAGES: "payload.spot.robot",
}
_TYPES = {PAYLOAD_IMAGES: "bosdyn.api.ImageService"}
_SECRET = "of a simulation on the loopback network"
_FAR_S = 600.0


class Actuators(Protocol):
    """What the computer does with the body; called from any thread."""

    @property
    def robot_time_s(self) -> float: ...

    def state(self) -> robot_state_pb2.KinematicState: ...

    def obey(self, command: robot_command_pb2.RobotCommand) -> bool: ...

    def pictures(self, names: list[str]) -> list[image_pb2.ImageResponse]: ...

    def image_sources(self) -> list[image_pb2.ImageSource]: ...


def timestamp(seconds: float) -> Timestamp:
    """Of the robot's clock."""
    stamp = Timestamp()
    stamp.FromNanoseconds(round(seconds * 1e9))
    return stamp


def seconds(stamp: Timestamp | Duration) -> float:
    """Of a stamp or a duration."""
    return float(stamp.seconds + stamp.nanos * 1e-9)


class _Services:
    """Methods as in the services' definitions; those that are missing answer UNIMPLEMENTED."""

    def __init__(self, computer: Computer, body: Actuators) -> None:
        self._computer, self._body = computer, body
        self._clocks: set[str] = set()

    def __getattr__(self, name: str) -> Callable[[Any, Any], None]:
        if name.startswith("_"):
            raise AttributeError(name)

        def unknown(_: Any, context: Any) -> None:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, f"the double does not know {name}")

        return unknown

    def _answered(self, request: Any, response: Any) -> Any:
        now = timestamp(self._body.robot_time_s)
        response.header.CopyFrom(
            header_pb2.ResponseHeader(
                request_header=request.header,
                request_received_timestamp=now,
                response_timestamp=now,
                error=header_pb2.CommonError(code=header_pb2.CommonError.CODE_OK),
            )
        )
        return response

    # -- who it is, and who asks --------------------------------------------------------------

    def GetAuthToken(self, request: Any, context: Any) -> Any:
        kind = auth_pb2.GetAuthTokenResponse
        known = (request.username, request.password) == (USER, PASSWORD)
        if request.token:
            known = _valid(request.token)
        status = kind.STATUS_OK if known else kind.STATUS_INVALID_LOGIN
        token = jwt.encode({"sub": USER}, _SECRET, algorithm="HS256") if known else ""
        return self._answered(request, kind(status=status, token=token))

    def ListServiceEntries(self, request: Any, context: Any) -> Any:
        return self._answered(
            request,
            directory_pb2.ListServiceEntriesResponse(
                service_entries=[
                    directory_pb2.ServiceEntry(
                        name=name,
                        type=_TYPES.get(name, f"bosdyn.api.{_camel(name)}Service"),
                        authority=authority,
                        user_token_required=name != "auth",
                    )
                    for name, authority in _AUTHORITIES.items()
                ]
            ),
        )

    def GetRobotId(self, request: Any, context: Any) -> Any:
        who = robot_id_pb2.RobotId(serial_number="double-1", species="spot", nickname="double")
        return self._answered(request, robot_id_pb2.RobotIdResponse(robot_id=who))

    def TimeSyncUpdate(self, request: Any, context: Any) -> Any:
        clock = request.clock_identifier or f"clock-{self._computer.number()}"
        self._clocks.add(clock)
        state = time_sync_pb2.TimeSyncState(
            status=time_sync_pb2.TimeSyncState.STATUS_MORE_SAMPLES_NEEDED
        )
        if request.HasField("previous_round_trip"):
            trip = request.previous_round_trip
            there = seconds(trip.server_rx) - seconds(trip.client_tx)
            back = seconds(trip.server_tx) - seconds(trip.client_rx)
            state.best_estimate.clock_skew.FromNanoseconds(round((there + back) / 2 * 1e9))
            state.best_estimate.round_trip_time.FromNanoseconds(round((there - back) * 1e9))
            state.status = time_sync_pb2.TimeSyncState.STATUS_OK
        response = time_sync_pb2.TimeSyncUpdateResponse(state=state, clock_identifier=clock)
        return self._answered(request, response)

    # -- leases -------------------------------------------------------------------------------

    def AcquireLease(self, request: Any, context: Any) -> Any:
        kind, computer = lease_pb2.AcquireLeaseResponse, self._computer
        with computer.lock:
            if request.resource != RESOURCE:
                response = kind(status=kind.STATUS_INVALID_RESOURCE)
            elif computer.owner is not None:
                claimed = kind.STATUS_RESOURCE_ALREADY_CLAIMED
                response = kind(status=claimed, lease_owner=computer.owner)
            else:
                lease = computer.grant(request.header.client_name)
                response = kind(status=kind.STATUS_OK, lease=lease, lease_owner=computer.owner)
        return self._answered(request, response)

    def TakeLease(self, request: Any, context: Any) -> Any:
        kind = lease_pb2.TakeLeaseResponse
        lease = self._computer.grant(request.header.client_name)
        owner = self._computer.owner
        return self._answered(request, kind(status=kind.STATUS_OK, lease=lease, lease_owner=owner))

    def ReturnLease(self, request: Any, context: Any) -> Any:
        kind, computer = lease_pb2.ReturnLeaseResponse, self._computer
        with computer.lock:
            own = computer.judge(request.lease).status == lease_pb2.LeaseUseResult.STATUS_OK
            computer.owner = None if own else computer.owner
        status = kind.STATUS_OK if own else kind.STATUS_NOT_ACTIVE_LEASE
        return self._answered(request, kind(status=status))

    def RetainLease(self, request: Any, context: Any) -> Any:
        result = self._computer.judge(request.lease)
        return self._answered(request, lease_pb2.RetainLeaseResponse(lease_use_result=result))

    def ListLeases(self, request: Any, context: Any) -> Any:
        computer = self._computer
        held = lease_pb2.LeaseResource(
            resource=RESOURCE, lease=computer.lease(), lease_owner=computer.owner
        )
        return self._answered(request, lease_pb2.ListLeasesResponse(resources=[held]))

    # -- e-stop and power ---------------------------------------------------------------------

    def GetEstopConfig(self, request: Any, context: Any) -> Any:
        config = self._computer.config()
        return self._answered(request, estop_pb2.GetEstopConfigResponse(active_config=config))

    def SetEstopConfig(self, request: Any, context: Any) -> Any:
        kind = estop_pb2.SetEstopConfigResponse
        if self._computer.powered:
            on = kind.STATUS_MOTORS_ON
            response = kind(status=on, active_config=self._computer.config())
        elif request.target_config_id not in ("", self._computer.config_id):
            response = kind(status=kind.STATUS_INVALID_ID, active_config=self._computer.config())
        else:
            active = self._computer.configure(request.config)
            response = kind(status=kind.STATUS_SUCCESS, active_config=active)
        return self._answered(request, response)

    def RegisterEstopEndpoint(self, request: Any, context: Any) -> Any:
        kind = estop_pb2.RegisterEstopEndpointResponse
        new, status = None, kind.STATUS_CONFIG_MISMATCH
        if request.target_config_id == self._computer.config_id:
            new = self._computer.register(request.new_endpoint, request.target_endpoint.role)
            status = kind.STATUS_SUCCESS if new else kind.STATUS_ENDPOINT_MISMATCH
        return self._answered(request, kind(status=status, new_endpoint=new))

    def DeregisterEstopEndpoint(self, request: Any, context: Any) -> Any:
        kind = estop_pb2.DeregisterEstopEndpointResponse
        with self._computer.lock:
            known = self._computer.endpoints.pop(request.target_endpoint.unique_id, None)
        status = kind.STATUS_SUCCESS if known else kind.STATUS_ENDPOINT_MISMATCH
        return self._answered(request, kind(status=status))

    def EstopCheckIn(self, request: Any, context: Any) -> Any:
        status, challenge = self._computer.check_in(request)
        response = estop_pb2.EstopCheckInResponse(status=status, challenge=challenge)
        response.request.CopyFrom(request)
        return self._answered(request, response)

    def GetEstopSystemStatus(self, request: Any, context: Any) -> Any:
        with self._computer.lock:
            known = [
                estop_pb2.EstopEndpointWithStatus(endpoint=e.proto, stop_level=e.level)
                for e in self._computer.endpoints.values()
            ]
            level = self._computer.level()
        status = estop_pb2.EstopSystemStatus(endpoints=known, stop_level=level)
        return self._answered(request, estop_pb2.GetEstopSystemStatusResponse(status=status))

    def PowerCommand(self, request: Any, context: Any) -> Any:
        computer, result = self._computer, self._computer.judge(request.lease)
        kind = power_pb2.PowerCommandRequest
        on = request.request in (kind.REQUEST_ON, kind.REQUEST_ON_MOTORS)
        status = power_pb2.STATUS_SUCCESS
        if result.status != lease_pb2.LeaseUseResult.STATUS_OK:
            status = power_pb2.STATUS_UNKNOWN
        elif on and computer.level() != estop_pb2.ESTOP_LEVEL_NONE:
            status = power_pb2.STATUS_ESTOPPED
        else:
            with computer.lock:
                computer.powered = on
                computer.standing = computer.standing and on
            if not on:
                computer.rest()
        response = power_pb2.PowerCommandResponse(lease_use_result=result, status=status)
        return self._answered(request, response)

    def PowerCommandFeedback(self, request: Any, context: Any) -> Any:
        status = power_pb2.STATUS_SUCCESS
        return self._answered(request, power_pb2.PowerCommandFeedbackResponse(status=status))

    # -- state --------------------------------------------------------------------------------

    def GetRobotState(self, request: Any, context: Any) -> Any:
        computer, kind = self._computer, robot_state_pb2
        with computer.lock:
            power = kind.PowerState.STATE_ON if computer.powered else kind.PowerState.STATE_OFF
            faults = list(computer.behavior_faults.values())
            free = computer.level() == estop_pb2.ESTOP_LEVEL_NONE
            battery_percent, pressed = computer.battery_percent, computer.pressed
        state = kind.RobotState(
            power_state=kind.PowerState(motor_power_state=power),
            behavior_fault_state=kind.BehaviorFaultState(faults=faults),
            kinematic_state=self._body.state(),
        )
        state.power_state.locomotion_charge_percentage.value = battery_percent
        battery = state.battery_states.add(status=kind.BatteryState.STATUS_DISCHARGING)
        battery.charge_percentage.value = battery_percent
        switches = (("hardware_estop", 1, pressed), ("software_estop", 2, not free and not pressed))
        for name, type_, stopped in switches:
            stop = kind.EStopState.STATE_ESTOPPED if stopped else kind.EStopState.STATE_NOT_ESTOPPED
            state.estop_states.add(name=name, type=type_, state=stop)
        return self._answered(request, kind.RobotStateResponse(robot_state=state))

    # -- commands -----------------------------------------------------------------------------

    def RobotCommand(self, request: Any, context: Any) -> Any:
        kind, result = robot_command_pb2.RobotCommandResponse, self._computer.judge(request.lease)
        status = self._refusal(request, result)
        if status == kind.STATUS_OK and not self._body.obey(request.command):
            status = kind.STATUS_UNSUPPORTED
        number = self._computer.number()
        response = kind(lease_use_result=result, status=status, robot_command_id=number)
        return self._answered(request, response)

    def _refusal(self, request: Any, result: lease_pb2.LeaseUseResult) -> int:
        kind = robot_command_pb2.RobotCommandResponse
        if result.status != lease_pb2.LeaseUseResult.STATUS_OK:
            return int(kind.STATUS_UNKNOWN)
        if request.clock_identifier not in self._clocks:
            return int(kind.STATUS_NO_TIMESYNC)
        if not self._computer.powered:
            return int(kind.STATUS_NOT_POWERED_ON)
        if self._computer.behavior_faults:
            return int(kind.STATUS_BEHAVIOR_FAULT)
        mobility = request.command.synchronized_command.mobility_command
        if mobility.HasField("se2_velocity_request"):
            left_s = seconds(mobility.se2_velocity_request.end_time) - self._body.robot_time_s
            if not 0.0 < left_s <= _FAR_S:
                return int(kind.STATUS_EXPIRED if left_s <= 0 else kind.STATUS_TOO_DISTANT)
        return int(kind.STATUS_OK)

    def RobotCommandFeedback(self, request: Any, context: Any) -> Any:
        response = robot_command_pb2.RobotCommandFeedbackResponse()
        feedback = response.feedback.synchronized_feedback.mobility_command_feedback
        feedback.status = basic_command_pb2.RobotCommandFeedbackStatus.STATUS_PROCESSING
        if self._computer.standing:
            standing = basic_command_pb2.StandCommand.Feedback.STATUS_IS_STANDING
            feedback.stand_feedback.status = standing
        else:
            sitting = basic_command_pb2.SitCommand.Feedback.STATUS_IS_SITTING
            feedback.sit_feedback.status = sitting
        return self._answered(request, response)

    def ClearBehaviorFault(self, request: Any, context: Any) -> Any:
        kind, result = (
            robot_command_pb2.ClearBehaviorFaultResponse,
            self._computer.judge(request.lease),
        )
        status = kind.STATUS_NOT_CLEARED
        if result.status == lease_pb2.LeaseUseResult.STATUS_OK:
            with self._computer.lock:
                self._computer.behavior_faults.pop(request.behavior_fault_id, None)
            status = kind.STATUS_CLEARED
        return self._answered(request, kind(lease_use_result=result, status=status))

    # -- pictures -----------------------------------------------------------------------------

    def ListImageSources(self, request: Any, context: Any) -> Any:
        sources = self._body.image_sources()
        return self._answered(request, image_pb2.ListImageSourcesResponse(image_sources=sources))

    def GetImage(self, request: Any, context: Any) -> Any:
        names = [r.image_source_name for r in request.image_requests]
        found = self._body.pictures(names)
        return self._answered(request, image_pb2.GetImageResponse(image_responses=found))


class SpotServer:
    """Listens at an address of the loopback network.

    Args:
        certificate: file into which the certificate of its authority is written: what a client
            trusts in place of Boston Dynamics' own.
    """

    def __init__(
        self, address: str, certificate: Path, computer: Computer, body: Actuators
    ) -> None:
        self._address, self._services = address, _Services(computer, body)
        authority = trustme.CA()
        own = authority.issue_cert(*sorted(set(_AUTHORITIES.values())))
        self._credentials = grpc.ssl_server_credentials(
            [(own.private_key_pem.bytes(), b"".join(p.bytes() for p in own.cert_chain_pems))]
        )
        self._certificate = certificate
        certificate.parent.mkdir(parents=True, exist_ok=True)
        authority.cert_pem.write_to_path(str(certificate))
        self._server: grpc.Server | None = None

    def listen(self) -> None:
        """Let clients connect."""
        if self._server is not None:
            return
        workers = futures.ThreadPoolExecutor(16, thread_name_prefix="spot")
        server = grpc.server(workers, interceptors=[_Tokens()], options=[("grpc.so_reuseport", 0)])
        for add in _ADD:
            add(self._services, server)
        server.add_secure_port(self._address, self._credentials)
        server.start()
        self._server = server

    def hang_up(self) -> None:
        """Nobody reaches it any more."""
        server, self._server = self._server, None
        if server is not None:
            server.stop(grace=None).wait()

    def close(self) -> None:
        """It is over: its certificate is good for nothing any more."""
        self.hang_up()
        self._certificate.unlink(missing_ok=True)


class _Tokens(grpc.ServerInterceptor):  # type: ignore[misc]  # untyped
    """Whoever asks must have logged in."""

    def __init__(self) -> None:
        def refuse(_: Any, context: Any) -> None:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "a user token is needed")

        self._refuse = grpc.unary_unary_rpc_method_handler(refuse)

    def intercept_service(self, go_on: Callable[[Any], Any], call: Any) -> Any:
        told = dict(call.invocation_metadata).get("authorization", "")
        if "AuthService" in call.method or _valid(told.removeprefix("Bearer ")):
            return go_on(call)
        return self._refuse


_ADD: tuple[Callable[[Any, Any], None], ...] = (
    auth_service_pb2_grpc.add_AuthServiceServicer_to_server,
    directory_service_pb2_grpc.add_DirectoryServiceServicer_to_server,
    robot_id_service_pb2_grpc.add_RobotIdServiceServicer_to_server,
    time_sync_service_pb2_grpc.add_TimeSyncServiceServicer_to_server,
    lease_service_pb2_grpc.add_LeaseServiceServicer_to_server,
    estop_service_pb2_grpc.add_EstopServiceServicer_to_server,
    power_service_pb2_grpc.add_PowerServiceServicer_to_server,
    robot_state_service_pb2_grpc.add_RobotStateServiceServicer_to_server,
    robot_command_service_pb2_grpc.add_RobotCommandServiceServicer_to_server,
    image_service_pb2_grpc.add_ImageServiceServicer_to_server,
)


def _valid(token: str) -> bool:
    try:
        jwt.decode(token, _SECRET, algorithms=["HS256"])
    except jwt.InvalidTokenError:
        return False
    return True


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))
