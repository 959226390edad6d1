"""Each question that learning asks a language model, once, for the test of its prompts."""

from __future__ import annotations

from dataclasses import replace

from sayso.core.errors import SaySoError
from sayso.core.geometry import Pose
from sayso.core.library import parse_literal
from sayso.core.ports import Message
from sayso.core.predicates import Predicate
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.language.lexicon import Lexicon
from sayso.learning.feedback import Action
from sayso.learning.model.coder import coder_request, corrector_request
from sayso.learning.model.reader import GoalTranslator, ModelReader
from sayso.learning.model.scene_text import scene_in_words
from sayso.learning.model.utilities import Utility
from sayso.learning.synthesis.labels import Bound, Concept, Label
from support.scripted_model import ScriptedModel

OBJECTS = {"red_can": "can", "big_shelf": "shelf"}
ON = Predicate(
    "on", ("a", "b"), lambda *_: None, "{0} is on {1}", "{0} is not on {1}",
    source="def on(scene, a, b):\n    return scene.bottom(a) > scene.top(b)\n",
)  # fmt: skip
PICK = Action("pick_up", ("red_can",))
GOAL = parse_literal("on(red_can, big_shelf)")
CAN = SceneObject(
    "red_can", "can", "red", (0.1, 0.0, 0.035), (0.06, 0.1, 0.07), attributes={"water_l": 0.2}
)
SCENE = Scene(1.0, (CAN,), RobotState(gripper=Pose((0.0, 0.0, 0.5))))
NARROW = Concept(
    "narrow",
    ("a",),
    "{0} is narrow",
    "{0} is too wide",
    ("slim",),
    (Bound("width", 0, True, 0.08),),
)
TOP = Utility("top", "def top(scene, a):\n    return scene.high(a)[2]", "on", frozenset())


def learning_conversations() -> tuple[Message, ...]:
    """Three readings, a translation, and the last of a draft and its correction."""
    model = ScriptedModel()
    asked: list[Message] = []
    for reader, more in (
        (ModelReader(model), {}),
        (ModelReader(model), {"goal": (GOAL,)}),
        (ModelReader(model), {"action": PICK}),
        (GoalTranslator(model), {}),
    ):
        try:
            reader.read("The can is somewhat odd.", OBJECTS, known=Lexicon({"on": ON}), **more)
        except SaySoError:
            asked += model.asked[-1]
    wide = Label(SCENE, ("red_can",), False, "the can is too wide")
    labels = [wide, Label(SCENE, ("red_can",), True), wide]
    before = "def narrow(scene, a):\n    return scene.size(a)[0] < 0.05\n"
    request = coder_request(NARROW, labels, [SCENE], {"on": ON}, {"top": TOP}, before)
    fault = f"narrow(red_can) should be False, and is True.\n{scene_in_words(SCENE)}"
    code = 'def narrow(scene, a):\n    return not scene.holds("on", a, a)\n'
    known = {"on": ON, "in": replace(ON, name="in", source="def in_(scene, a, b):\n    return 0\n")}
    return (*asked, *corrector_request(request, code, [fault], [before], known))
