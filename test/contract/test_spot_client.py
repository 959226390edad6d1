"""A Spot through Boston Dynamics' own client, against a server of the real protocol with TLS."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

pytest.importorskip("bosdyn.client", reason="the extra 'spot' is not installed")
pytest.importorskip("trustme", reason="the extra 'spot' is not installed")

from bosdyn.api.estop_pb2 import EstopConfig, EstopEndpoint
from bosdyn.client import exceptions as failures
from bosdyn.client.auth import AuthClient
from bosdyn.client.estop import EstopClient
from bosdyn.client.image import ImageClient
from bosdyn.client.lease import LeaseClient, NoSuchLease
from bosdyn.client.robot import Robot
from bosdyn.client.robot_command import RobotCommandClient
from bosdyn.client.robot_state import RobotStateClient

from sayso.adapters.robots.spot_client import SpotClient
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import JointWindow
from sayso.robots.description import robot_spec
from sayso.skills.skill import Route
from sayso.worlds.flat.spot import world
from sayso.worlds.flat.spot.world import SITS_LOWER_M, SpotFlat
from support.flat_rig import build
from support.flat_scenes import item, room
from support.flats import pick
from support.spot_robot import LOGIN, PROFILE, SpotRobot, spot_robot, until

ADDRESS = "127.0.72.1:44443"
STOWED = np.array(PROFILE.base.stowed[0])
HOME = np.array(PROFILE.home)
STILL = 5e-3
"""At rest: of speeds [m/s, rad/s]."""


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    with spot_robot(ADDRESS, tmp_path_factory.mktemp("spot")) as robot:
        yield robot


@pytest.fixture(scope="module")
def client(robot):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in LOGIN.items():
            patch.setenv(name, value)
        client = SpotClient(PROFILE, ADDRESS, robot.now_s, robot.certificate)
        yield client
        client.close()


@pytest.fixture
def spot(robot, client):
    """Standing at its start, the arm stowed, nothing wrong."""
    robot.mend()

    def risen() -> bool:
        with suppress(SaySoError):
            client.recover()
            return True
        return False

    until(robot, risen)
    client.grip(PROFILE.hand.width_m, 20.0)
    return client


def window(start: np.ndarray, goal: np.ndarray, seconds: float) -> JointWindow:
    times = np.arange(0.0, seconds + 0.01, 0.05)
    return JointWindow(times, start + np.outer(times / seconds, goal - start))


def arm(client: SpotClient) -> np.ndarray:
    return client.read().positions[:6]


def trouble(client: SpotClient) -> SaySoError | None:
    """What keeps it from moving."""
    try:
        client.require_obeyed()
    except SaySoError as error:
        return error
    return None


def drive_on(robot: SpotRobot, client: SpotClient, seconds: float) -> None:
    """As the gate does, ten times a second."""
    until_s = robot.now_s() + seconds
    while robot.now_s() < until_s:
        client.drive(0.4, 0.0, 0.0)
        robot.wait(0.1)


def test_its_profile_fits_its_description() -> None:
    spec = robot_spec(PROFILE)
    assert [spec.joint(j.joint) is not None for j in PROFILE.joints] == [True] * 6
    assert spec.body("fl_hip") is None, "the legs are left out"
    for width_m in (0.0, 0.03, PROFILE.hand.width_m):
        assert PROFILE.hand.width(PROFILE.hand.position(width_m)) == pytest.approx(width_m)


def test_it_walks_as_it_is_told_and_tells_where_it_is(robot, spot: SpotClient) -> None:
    begun, told = robot.place(), spot.localisation().position[:2]
    assert told == pytest.approx(begun, abs=0.01)
    drive_on(robot, spot, 1.0)
    spot.read()
    speed = spot.odometry().velocity
    assert speed[0] == pytest.approx(0.4, abs=0.05) and abs(speed[1]) < 0.02
    assert spot.localisation().position[:2] == pytest.approx(robot.place(), abs=0.05)
    assert np.linalg.norm(robot.place() - begun) > 0.25


def test_it_stops_by_itself_when_nothing_follows(robot, spot: SpotClient) -> None:
    drive_on(robot, spot, 0.5)
    assert robot.speed() > 0.2
    robot.wait(1.0)
    assert robot.speed() < STILL
    spot.read()
    spot.require_obeyed()


def test_windows_are_followed_to_their_end_and_no_farther(robot, spot: SpotClient) -> None:
    start = arm(spot)
    for _ in range(4):  # each takes the place of the one before, as the gate's do
        spot.stream(window(start, HOME, 2.0))
        robot.wait(0.02)
    robot.wait(2.5)
    assert arm(spot) == pytest.approx(HOME, abs=0.01)
    assert robot.speed() < STILL


def test_a_stop_brings_base_and_arm_to_rest_on_their_way(robot, spot: SpotClient) -> None:
    spot.stream(window(arm(spot), HOME, 2.0))
    spot.drive(0.4, 0.0, 0.0)
    robot.wait(0.4)
    assert robot.speed() > 0.2
    spot.hold()
    robot.wait(0.6)
    assert robot.speed() < STILL
    assert np.abs(arm(spot) - HOME).max() > 0.3
    spot.require_obeyed()


def test_the_jaw_opens_and_closes_to_a_width(robot, spot: SpotClient) -> None:
    for width_m in (0.02, 0.07):
        spot.grip(width_m, 20.0)
        robot.wait(1.5)
        jaw = spot.read().positions[-1]
        assert PROFILE.hand.width(jaw) == pytest.approx(width_m, abs=0.003)


def test_pictures_come_with_depth_and_from_where_they_were_taken(robot, spot: SpotClient) -> None:
    for camera in ("front", "gripper"):
        frame = spot.picture(camera)
        true = robot.world.ask(lambda camera=camera: robot.world.render(camera))
        assert np.abs(frame.rgb.astype(int) - true.rgb).mean() < 1.0
        near = true.depth_m < 10.0
        assert np.abs(frame.depth_m - true.depth_m)[near].mean() < 2e-3
        seen_from = spot.localisation() @ frame.pose
        assert seen_from.position == pytest.approx(true.pose.position, abs=0.01)
        assert seen_from.matrix() == pytest.approx(true.pose.matrix(), abs=0.01)
        assert 0.0 <= robot.now_s() - frame.stamp_s < 1.0
        assert frame.intrinsics == true.intrinsics


WRONG = {
    "estop": (Code.STOPPED, "the e-stop is pressed"),
    "lease_taken": (Code.STOPPED, "somebody else has taken the lease (tablet)"),
    "unpowered": (Code.EXECUTION, "its motors have no power"),
    "fallen": (Code.EXECUTION, "its behaviour has a fault (fall)"),
    "low_battery": (Code.EXECUTION, "its battery is at 4 percent"),
    "link_lost": (Code.NODE_UNAVAILABLE, "the connection was lost"),
}
LASTING = ("estop", "low_battery", "link_lost")
"""A person has to see to these first."""


@pytest.mark.parametrize("fault", WRONG)
def test_what_goes_wrong_on_the_way_is_named_and_the_robot_rests(
    robot, spot: SpotClient, fault: str
) -> None:
    code, words = WRONG[fault]
    drive_on(robot, spot, 0.5)
    assert robot.speed() > 0.2
    robot.turn(fault, True)

    def told() -> bool:
        with suppress(SaySoError):
            spot.drive(0.4, 0.0, 0.0)
            spot.read()
        return trouble(spot) is not None

    until(robot, told)
    error = trouble(spot)
    assert error.code is code and words in error.message and "driver/recover" in error.hint
    robot.wait(1.0)
    assert robot.speed() < STILL
    drive_on(robot, spot, 0.3)  # nothing moves before a person says so
    spot.stream(window(STOWED, HOME, 1.0))
    robot.wait(0.2)
    assert robot.speed() < STILL
    if fault in LASTING:
        with pytest.raises(SaySoError):
            spot.recover()
        robot.turn(fault, False)

    def recovered() -> bool:
        with suppress(SaySoError):
            spot.recover()
            return True
        return False

    until(robot, recovered)
    drive_on(robot, spot, 0.5)
    assert robot.speed() > 0.2
    spot.require_obeyed()


@pytest.mark.parametrize("fault", ["", "estop"])
def test_the_gate_takes_hold_of_a_thing_through_the_client(monkeypatch, tmp_path, fault) -> None:
    """In simulated time, so that it needs no more than the client and the services need."""
    for name, value in LOGIN.items():
        monkeypatch.setenv(name, value)
    address, certificate = "127.0.72.3:44443", str(tmp_path / "authority.pem")
    scene = room(item("thing", "can", (4.3, 1.7, 0.0), 0.2), start=(2.2, 1.6, 0.0))
    world = SpotFlat(scene, 1, None, PROFILE, address, certificate)
    world.warm_up()
    client = SpotClient(PROFILE, address, lambda: world.time_s, certificate)
    try:
        client.read()
        client.recover()
        senses, gate, skills, ways = build(world, 1, client)

        def on_step() -> None:
            if fault and np.abs(world.true_joint_velocities()).max() > 0.3:
                world.switches()[fault](True)
            client.read()

        senses.on_step = on_step
        with gate.authorised(()):
            if fault:
                with pytest.raises(SaySoError) as error:
                    skills.execute(pick("thing"), route=Route(ways))
                assert error.value.code is Code.STOPPED and "e-stop" in error.value.message
                world.step(1.0)
                assert (
                    np.abs([*world._own_velocity(), *world.true_joint_velocities()]).max() < STILL
                )
            else:
                skills.execute(pick("thing"), route=Route(ways))
                (thing,) = (o for o in world.truth() if o.name == "thing")
                assert thing.position[2] - thing.size[2] / 2 > 0.03, "it is off the floor"
    finally:
        client.close()
        world.close()
    assert not list(tmp_path.iterdir())  # its certificate is good for nothing any more


@pytest.mark.parametrize(
    "error",
    [
        failures.InternalServerError(None, "not so"),
        failures.UnsetStatusError(None, "not so"),
        failures.LicenseError(None, "not so"),
        failures.TimeSyncRequired("not so"),
        NoSuchLease("not so"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("service", [RobotStateClient, LeaseClient, RobotCommandClient])
def test_whatever_it_refuses_is_told_and_a_fault(spot: SpotClient, monkeypatch, error, service):
    def refuse(*_: object, **__: object) -> None:
        raise error

    asked = {
        RobotStateClient: ("get_robot_state", spot.read),
        LeaseClient: ("take", spot.recover),
        RobotCommandClient: ("robot_command", spot.recover),
    }
    method, ask = asked[service]
    monkeypatch.setattr(service, method, refuse)
    with pytest.raises(SaySoError) as told:
        ask()
    monkeypatch.undo()
    expected = Code.STOPPED if isinstance(error, NoSuchLease) else Code.EXECUTION
    assert told.value.code is expected and trouble(spot).code is expected
    assert "driver/recover" in told.value.hint


def test_a_silent_image_service_is_named_and_nothing_else_is_lost(robot, spot: SpotClient) -> None:
    robot.turn("images_silent", True)
    with pytest.raises(SaySoError) as error:
        spot.picture("front")
    assert error.value.code is Code.STALE and "mast-camera" in error.value.message
    spot.read()
    spot.require_obeyed()
    robot.turn("images_silent", False)
    assert spot.picture("front").rgb.any()


def _nowhere(told) -> None:
    del told[0].shot.transforms_snapshot.child_to_parent_edge_map["gpe"]


def _broken_tree(told) -> None:
    told[0].shot.transforms_snapshot.child_to_parent_edge_map["gpe"].parent_frame_name = "lost"


def _cut_short(told) -> None:
    told[0].shot.image.data = told[0].shot.image.data[:-1]


def _unscaled(told) -> None:
    told[1].source.depth_scale = 0.0


@pytest.mark.parametrize("spoil", [_nowhere, _broken_tree, _cut_short, _unscaled])
def test_pictures_that_cannot_be_used_are_named(spot: SpotClient, monkeypatch, spoil) -> None:
    get = ImageClient.get_image

    def spoiled(*args, **kwargs):
        told = list(get(*args, **kwargs))
        spoil(told)
        return told

    monkeypatch.setattr(ImageClient, "get_image", spoiled)
    with pytest.raises(SaySoError) as error:
        spot.picture("front")
    assert error.value.code is Code.CONFIG and "front" in error.value.message


def test_an_image_service_that_comes_later_is_found(robot, spot: SpotClient, monkeypatch) -> None:
    """A payload may start after the robot."""
    known = spot._link._robot
    for of in (known.service_clients_by_name, known.service_type_by_name):
        of.pop("mast-camera", None)
    with monkeypatch.context() as patch, pytest.raises(SaySoError) as error:
        patch.setattr(known, "sync_with_directory", lambda: None)
        spot.picture("front")
    assert error.value.code is Code.STALE and "mast-camera" in error.value.message
    assert spot.picture("front").rgb.any()


def test_motors_that_are_not_quite_on_are_a_fault(robot, spot: SpotClient, monkeypatch) -> None:
    get = RobotStateClient.get_robot_state

    def failing(*args, **kwargs):
        state = get(*args, **kwargs)
        state.power_state.motor_power_state = state.power_state.STATE_ERROR
        return state

    monkeypatch.setattr(RobotStateClient, "get_robot_state", failing)
    spot.read()
    assert "no power" in trouble(spot).message


def test_it_sits_down_and_has_to_be_asked_to_rise(robot, spot: SpotClient) -> None:
    spot.sit()
    sunk = robot.world.ask(lambda: robot.world.render("front")).pose
    told = spot.localisation() @ spot.picture("front").pose
    assert told.position == pytest.approx(sunk.position, abs=0.01)
    spot.read()
    assert "no power" in trouble(spot).message
    assert not robot.world.computer.powered
    spot.recover()
    assert robot.world.computer.standing
    risen = spot.picture("front").pose.position[2]
    assert risen - sunk.position[2] == pytest.approx(SITS_LOWER_M, abs=0.01)
    spot.require_obeyed()


def test_who_falls_silent_is_stopped_by_the_e_stop(robot, spot: SpotClient, monkeypatch) -> None:
    """Its endpoint is not heard of for longer than was agreed, and heard again later."""
    computer = robot.world.computer
    monkeypatch.setattr(EstopClient, "check_in", lambda *_, **__: None)
    (endpoint,) = computer.endpoints.values()
    endpoint.heard_s -= PROFILE.require_client().estop_timeout_s
    until(robot, lambda: not computer.powered)
    monkeypatch.undo()
    until(robot, lambda: endpoint.heard_s > computer.steady_s() - 1.0)
    spot.recover()
    assert computer.powered


def test_after_the_robot_was_started_anew_its_e_stop_is_held_again(robot, spot) -> None:
    """It knows no endpoint any more, and its clock is another."""
    computer = robot.world.computer
    computer.cut_power(True)
    computer.configure(EstopConfig())
    spot.recover()
    assert [e.proto.name for e in computer.endpoints.values()] == ["sayso"]
    (endpoint,) = computer.endpoints.values()
    begun_s = endpoint.heard_s
    until(robot, lambda: endpoint.heard_s > begun_s)
    assert computer.powered


def test_a_clock_that_was_set_is_compared_anew_at_once(robot, spot, monkeypatch) -> None:
    """As by a robot that was started anew: by the old one commands would come too late."""
    monkeypatch.setattr(world, "EPOCH_S", world.EPOCH_S + 100.0)

    def walks() -> bool:
        spot.read()
        spot.drive(0.4, 0.0, 0.0)
        if trouble(spot) is not None:
            spot.recover()
        return robot.speed() > STILL

    until(robot, walks, 5.0)


@pytest.mark.parametrize("others", [True, False])
def test_the_e_stop_of_somebody_else_stays(robot, monkeypatch, others: bool) -> None:
    """A button in a person's hand; without one the driver is what has to be heard of."""
    for name, value in LOGIN.items():
        monkeypatch.setenv(name, value)
    computer = robot.world.computer
    computer.cut_power(True)
    button = [EstopEndpoint(role="PDB_rooted", name="button")] if others else []
    computer.configure(EstopConfig(endpoints=button))
    client = SpotClient(PROFILE, ADDRESS, robot.now_s, robot.certificate)
    try:
        client.read()
        names = [e.proto.name for e in computer.endpoints.values()]
        assert names == ["button" if others else "sayso"]
    finally:
        client.close()


@pytest.mark.parametrize("wrong", LOGIN)
def test_a_wrong_name_or_password_is_said(robot, monkeypatch, wrong: str) -> None:
    for name, value in LOGIN.items():
        monkeypatch.setenv(name, "somebody" if name == wrong else value)
    client = SpotClient(PROFILE, ADDRESS, robot.now_s, robot.certificate)
    with pytest.raises(SaySoError) as error:
        client.read()
    with monkeypatch.context() as patch, pytest.raises(SaySoError) as again:
        patch.setattr(AuthClient, "auth", lambda *_, **__: pytest.fail("it would be locked"))
        client.read()
    assert again.value.code is Code.CONFIG
    monkeypatch.setenv(wrong, LOGIN[wrong])
    with suppress(SaySoError):
        client.recover()
    assert client.read().names
    client.close()
    assert error.value.code is Code.CONFIG and "BOSDYN_CLIENT_PASSWORD" in error.value.hint


def test_a_robot_that_is_lost_after_the_login_is_looked_for_again(robot, monkeypatch) -> None:
    """The link that was half made is closed."""
    for name, value in LOGIN.items():
        monkeypatch.setenv(name, value)
    closed = []

    def lost(_: LeaseClient, **__: float) -> None:
        raise failures.UnableToConnectToRobotError(OSError("cut"))

    def close(link: Robot) -> None:
        closed.append(link)
        shutdown(link)

    shutdown = Robot.shutdown
    monkeypatch.setattr(Robot, "shutdown", close)
    client = SpotClient(PROFILE, ADDRESS, robot.now_s, robot.certificate)
    with monkeypatch.context() as patch, pytest.raises(SaySoError) as error:
        patch.setattr(LeaseClient, "acquire", lost)
        client.read()
    assert error.value.code is Code.NODE_UNAVAILABLE and closed
    try:
        assert client.read().names
    finally:
        client.close()


def test_another_certificate_is_not_trusted(robot) -> None:
    with pytest.raises(SaySoError) as error:
        SpotClient(PROFILE, ADDRESS, robot.now_s).read()
    assert error.value.code is Code.NODE_UNAVAILABLE


def test_without_a_robot_at_the_address_that_is_said(robot) -> None:
    with pytest.raises(SaySoError) as error:
        SpotClient(PROFILE, "127.0.72.2:44443", robot.now_s, robot.certificate).read()
    assert error.value.code is Code.NODE_UNAVAILABLE
