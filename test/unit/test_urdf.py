"""The URDF that RViz gets says the same about the arm as the model that it was made from."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlparse
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

from sayso.robots.description import robot_spec
from sayso.robots.loading import load_robot
from sayso.robots.urdf import robot_urdf
from sayso.worlds.flat import robot

MOBILE = load_robot("mobile_panda")
BODIES = [*(f"link{i}" for i in range(8)), "hand", "left_finger", "right_finger"]


def compiled(urdf: str) -> mujoco.MjModel:
    """As MuJoCo reads it, which wants masses."""
    root = ElementTree.fromstring(urdf)
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
    told = ElementTree.SubElement(root, "mujoco")
    ElementTree.SubElement(
        told, "compiler", boundmass="0.1", boundinertia="0.01", fusestatic="false"
    )
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))


@pytest.mark.parametrize("name", ["panda", "fr3", "ur5e"])
def test_links_are_where_the_model_has_them(name: str) -> None:
    profile = load_robot(name)
    model, described = robot_spec(profile).compile(), compiled(robot_urdf(profile))
    truth, data = mujoco.MjData(model), mujoco.MjData(described)
    told = {j.name: j.joint for j in profile.joints} | dict(profile.hand.fingers)
    rng = np.random.default_rng(1)
    for joint, inner in told.items():
        low, high = model.joint(inner).range
        assert described.joint(joint).range == pytest.approx([low, high], rel=1e-5)
        value = rng.uniform(low, high)
        truth.joint(inner).qpos = data.joint(joint).qpos = value
    for joint in profile.hand.follow:
        truth.joint(joint).qpos = data.joint(joint).qpos = rng.uniform(-0.3, 0.3)
    mujoco.mj_kinematics(model, truth)
    mujoco.mj_kinematics(described, data)
    for body in range(1, model.nbody):
        placed = data.body(profile.frames.of(model.body(body).name))
        assert placed.xpos == pytest.approx(truth.xpos[body], abs=5e-5)
        assert placed.xmat == pytest.approx(truth.xmat[body], abs=5e-5)


def test_the_mobile_robot_carries_the_arm_where_tf_says() -> None:
    root = ElementTree.fromstring(robot.description(MOBILE))
    links = [link.attrib["name"] for link in root.iter("link")]
    assert links == [robot.BASE_FRAME, *map(MOBILE.frames.of, BODIES)]
    mount = root.find(f"joint[@name='{robot.BASE_FRAME}_to_{MOBILE.frames.base}']")
    assert mount is not None
    origin = mount.find("origin")
    assert origin is not None
    assert origin.attrib["xyz"] == " ".join(f"{v:g}" for v in MOBILE.require_base().mount.position)


def test_every_mesh_is_a_file() -> None:
    meshes = list(ElementTree.fromstring(robot.description(MOBILE)).iter("mesh"))
    assert len(meshes) > 20
    assert all(Path(urlparse(mesh.attrib["filename"]).path).is_file() for mesh in meshes)
