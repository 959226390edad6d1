"""The URDF that RViz gets says the same about the arm as the model that it was made from."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlparse
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

from sayso.adapters.robots import panda_facts
from sayso.adapters.sim import panda_model
from sayso.adapters.sim.flat import robot

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


@pytest.mark.parametrize("seed", range(3))
def test_links_are_where_the_model_has_them(seed: int) -> None:
    model = panda_model.load_panda().compile()
    described = compiled(panda_model.urdf("panda"))
    names = (*panda_facts.ARM_JOINTS, *panda_facts.FINGER_JOINTS)
    truth, data = mujoco.MjData(model), mujoco.MjData(described)
    rng = np.random.default_rng(seed)
    for name in names:
        inner = model.joint(name.removeprefix("panda_"))
        assert described.joint(name).range == pytest.approx(inner.range)
        value = rng.uniform(*inner.range)
        truth.qpos[inner.qposadr] = data.qpos[described.joint(name).qposadr] = value
    mujoco.mj_kinematics(model, truth)
    mujoco.mj_kinematics(described, data)
    for body in BODIES[1:]:
        placed = data.body(panda_model.frame(body))
        assert placed.xpos == pytest.approx(truth.body(body).xpos, abs=1e-5)
        assert placed.xmat == pytest.approx(truth.body(body).xmat, abs=1e-5)


def test_the_mobile_robot_carries_the_arm_where_tf_says() -> None:
    root = ElementTree.fromstring(robot.description())
    links = [link.attrib["name"] for link in root.iter("link")]
    assert links == [robot.BASE_FRAME, *map(panda_model.frame, BODIES)]
    mount = root.find(f"joint[@name='{robot.BASE_FRAME}_to_{panda_model.BASE_FRAME}']")
    assert mount is not None
    origin = mount.find("origin")
    assert origin is not None
    assert origin.attrib["xyz"] == " ".join(f"{v:g}" for v in robot.ARM_MOUNT.position)


def test_every_mesh_is_a_file() -> None:
    meshes = list(ElementTree.fromstring(robot.description()).iter("mesh"))
    assert len(meshes) > 20
    assert all(Path(urlparse(mesh.attrib["filename"]).path).is_file() for mesh in meshes)
