"""A language model's predicates in their own process: what runs, and what attacks come to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from sayso.core.library import builtin_path, load
from sayso.core.predicates import Predicate, SceneView, symbolic_state
from sayso.core.scene import Picture, Scene, SceneObject
from sayso.core.vocabulary import Kind
from sayso.learning.model.predicate_sandbox import Limits, PredicateSandbox, Truths
from sayso.learning.predicate_code import NUMPY, compile_learned
from support.learning_scenes import random_scene

SCENE = random_scene(4)
CAN = SCENE.objects[0].name


@pytest.fixture(scope="module")
def process() -> Iterator[PredicateSandbox]:
    made = PredicateSandbox(Limits(cpu_s=0.1, memory_mb=128))
    yield made
    made.close()


def of(process: PredicateSandbox, name: str, source: str, arity: int = 1) -> Predicate:
    parameters = ("a", "b")[:arity]
    return Predicate(name, parameters, process.function(name, source, arity), source=source)


def tried(process: PredicateSandbox, body: str) -> Truths:
    """What `p(scene, a)` with this body comes to."""
    source = f"import numpy as np\n\ndef p(scene, a):\n    {body}\n"
    return process.evaluate(SCENE, {"p": of(process, "p", source)}, ["p"])["p"]


def test_what_it_asks_of_others_knows_their_librarys_types(process: PredicateSandbox) -> None:
    source = "def p(scene, a):\n    return any(scene.holds('in', b, a) for b in scene.objects())\n"
    boxes = {"fridge": 1.7, "table": 0.7}
    things = [
        SceneObject(k, k, "", (i, 0, h / 2), (0.6, 0.6, h))
        for i, (k, h) in enumerate(boxes.items())
    ]
    cups = [SceneObject(f"cup_{i}", "cup", "", (i, 0, 0.35), (0.1,) * 3) for i in (0, 1)]
    known = {**load(builtin_path("flat")).predicates, "p": of(process, "p", source)}
    truths = process.evaluate(Scene(0.0, (*things, *cups)), known, ["p"])["p"].values
    assert [truths[(n,)] for n in boxes] == [True, False]


def test_what_it_asks_of_others_follows_their_librarys_words(process: PredicateSandbox) -> None:
    source = "def p(scene, a):\n    return any(scene.holds('in', b, a) for b in scene.objects())\n"
    flat, words = load(builtin_path("flat")), load(builtin_path("flat")).vocabulary
    more = replace(words, kinds=(*words.kinds, Kind(("hutch",), frozenset({"enclosing"}))))
    hutch = SceneObject("hutch", "hutch", "", (0.0, 0.0, 0.4), (0.6, 0.6, 0.8))
    scene = Scene(0.0, (hutch, SceneObject("cup", "cup", "", (0.0, 0.0, 0.4), (0.1,) * 3)))
    for vocabulary, inside in ((words, False), (more, True)):
        known = replace(flat, vocabulary=vocabulary).predicates
        truths = process.evaluate(scene, {**known, "p": of(process, "p", source)}, ["p"])["p"]
        assert truths.values[("hutch",)] is inside


def test_points_are_seen_where_a_predicate_asks_for_them(process: PredicateSandbox) -> None:
    source = "def p(scene, a):\n    return scene.points(a)[:, 2].max() > 1.0\n"
    high, low = np.array([[0, 0, 1.2]], np.float32), np.array([[0, 0, 0.8]], np.float32)
    seen = [
        SceneObject(name, "can", "red", (0, 0, 0.9), (0.1, 0.1, 0.2), points=points)
        for name, points in (("high", high), ("low", low), ("unseen", low[:0]))
    ]
    found = process.evaluate(Scene(0.0, tuple(seen)), {"p": of(process, "p", source)}, ["p"])["p"]
    assert found.values == {("high",): True, ("low",): False, ("unseen",): None}


def test_pictures_are_seen_where_a_predicate_asks_for_them_and_cannot_be_changed(
    process: PredicateSandbox,
) -> None:
    bright = "def bright(scene, a):\n    picture = scene.picture(a)\n    "
    told = of(process, "bright", bright + "return picture.rgb[picture.mask].mean() > 100\n")
    writing = of(process, "bright", bright + "picture.rgb[0] = 255\n    return True\n")
    mask = np.eye(4, dtype=bool)
    things = []
    for name, value in (("pale", 200), ("dark", 20), ("unseen", None)):
        rgb = np.full((4, 4, 3), value or 0, np.uint8)
        picture = value and Picture(rgb, np.ones((4, 4), np.float32), mask)
        things.append(SceneObject(name, "can", "", (0, 0, 0.9), (0.1, 0.1, 0.2), picture=picture))
    scene = Scene(0.0, tuple(things))
    found = process.evaluate(scene, {"bright": told}, ["bright"])["bright"]
    assert found.values == {("pale",): True, ("dark",): False, ("unseen",): None}
    found = process.evaluate(scene, {"bright": writing}, ["bright"])["bright"]
    assert set(found.letters) == {"u"} and "read-only" in found.fault


def test_what_a_picture_decided_is_known_in_the_sandbox_too(process: PredicateSandbox) -> None:
    predicates = {
        "bright": of(
            process, "bright", "def bright(scene, a):\n    return scene.picture(a) != 0\n"
        ),
        "dim": of(process, "dim", "def dim(scene, a):\n    return not scene.holds('bright', a)\n"),
    }
    told = SceneObject("can", "can", "", (0, 0, 0.9), (0.1, 0.1, 0.2), attributes={"bright": True})
    found = process.evaluate(Scene(0.0, (told,)), predicates, ["bright", "dim"])
    assert (found["bright"].letters, found["dim"].letters) == ("t", "f")


ON = """
def _over(scene, a, b):
    low, high = scene.low(b), scene.high(b)
    return all(low[i] <= scene.position(a)[i] <= high[i] for i in range(2))


def on(scene, a, b):
    return _over(scene, a, b) and np.abs(scene.bottom(a) - scene.top(b)) < 0.01
"""
CLEAR = (
    "def clear(scene, a):\n    return not any(scene.holds('on', b, a) for b in scene.objects())\n"
)


def test_states_are_those_that_the_same_code_gives_in_one_process(
    process: PredicateSandbox,
) -> None:
    there = {"on": of(process, "on", ON, 2), "clear": of(process, "clear", CLEAR)}
    here = {n: replace(p, function=compile_learned(n, p.source, p.arity)) for n, p in there.items()}
    for seed in range(5):
        scene = random_scene(seed)
        assert symbolic_state(scene, there) == symbolic_state(scene, here)


def test_a_state_costs_one_request(
    process: PredicateSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    evaluate = process.evaluate
    monkeypatch.setattr(process, "evaluate", lambda *a: asked.append(a[2]) or evaluate(*a))
    scene = random_scene(9)
    both = {"clear": of(process, "clear", CLEAR), "on": of(process, "on", ON, 2)}
    first = symbolic_state(scene, both)
    assert symbolic_state(scene, both) == first
    assert asked == [["clear", "on"]]
    symbolic_state(scene, both | {"on": of(process, "on", ON.replace("0.01", "0.02"), 2)})
    assert asked[1:] == [["clear", "on"]], "clear depends on the predicate that changed"
    symbolic_state(scene, both | {"clear": of(process, "clear", CLEAR + "\n")})
    assert asked[2:] == [["clear"]], "on does not"


def test_what_was_not_seen_is_unknown(process: PredicateSandbox) -> None:
    state = symbolic_state(SCENE, {"clear": of(process, "clear", CLEAR)}, ["ghost"])
    assert [t for a, t in state.truths.items() if "ghost" in a.args] == [None]


def test_truths_of_numpy_are_truths(process: PredicateSandbox) -> None:
    truths = tried(process, "return np.max(scene.size(a)) > 0")
    assert set(truths.letters) == {"t"} and not truths.fault


FAULTS = {
    "return 0.5": "returned a value of type float",
    "return 'yes'": "returned a value of type str",
    "return 1": "returned a value of type int",
    "return scene.size(a) > 0": "returned a value of type ndarray",
    "return [True]": "returned a value of type list",
    "return scene.low(a)[7] > 0": "line 4 of p: IndexError: index 7 is out of bounds",
    "return bool(scene.size(a) > 0)": "line 4 of p: ValueError: The truth value of an array",
    "return scene.holds('inn', a)": "there is no predicate 'inn'",
    "return p(scene, a)": "RecursionError",
    "return 1 / 0": "line 4 of p: ZeroDivisionError",
    "return open('/etc/passwd')": "there is no 'open'",
    "import os": "line 4: Import is not allowed",
    "return scene.__class__": "'__class__' is not allowed",
    "return scene.scene": "'scene' is not allowed",
    "return np.load('x')": "'load' is not allowed",
    "return np.array([1]).tofile('x')": "'tofile' is not allowed",
    "x = [0] * 10 ** 11": "used up its memory",
    "while True: pass": "used up 0.1 s of processor time",
    "return '{0.__class__}'.format(a)": "'format' is not allowed",
    "return (": "is not Python",
}


@pytest.mark.parametrize("body", FAULTS)
def test_faults_are_told_exactly_and_make_nothing_true(
    process: PredicateSandbox, body: str
) -> None:
    truths = tried(process, body)
    assert set(truths.letters) == {"u"}
    assert FAULTS[body] in truths.fault


PAIRS = "allclose arctan2 cross dot hypot isclose logical_and logical_or maximum minimum"
CALLS = {name: f"np.{name}(v, v)" for name in PAIRS.split()}
CALLS |= {"inf": "np.inf", "pi": "np.pi", "clip": "np.clip(v, 0.0, 1.0)"}
CALLS["where"] = "np.where(v > 0, v, v)"


def test_all_of_numpy_that_is_allowed_works_there(process: PredicateSandbox) -> None:
    calls = [CALLS.get(n, f"np.{n}(v)") for n in vars(NUMPY) if n != "linalg"]
    for call in (*calls, "np.linalg.norm(v)"):
        found = tried(process, f"v = scene.position(a)\n    x = {call}\n    return True")
        assert set(found.letters) == {"t"}, f"{call}: {found.fault}"


def test_what_ends_code_that_runs_too_long_cannot_be_caught(process: PredicateSandbox) -> None:
    body = """while True:
        try:
            x = 1 / 0
        except (ArithmeticError, LookupError, TypeError, ValueError, StopIteration):
            pass"""
    assert "used up" in tried(process, body).unusable


def test_one_predicate_cannot_change_another_s_truth(process: PredicateSandbox) -> None:
    low = of(process, "low", "def low(scene, a):\n    return scene.position(a)[2] < 5.0\n")
    lift = "import numpy as np\n\ndef lift(scene, a):\n    {}\n    return True\n"
    for body in ("scene.position(a)[2] = 9.0", "np.clip(scene.low(a), 9.0, 9.5, out=scene.low(a))"):
        lifting = of(process, "lift", lift.format(body))
        found = process.evaluate(SCENE, {"lift": lifting, "low": low}, ["lift", "low"])
        assert set(found["lift"].letters) == {"u"} and "read-only" in found["lift"].fault
        assert set(found["low"].letters) == {"t"}


def test_long_texts_are_not_even_sent(process: PredicateSandbox) -> None:
    assert "20000 are allowed" in tried(process, "#" * 30_000).fault


def test_what_kills_the_process_takes_no_other_predicate_along(process: PredicateSandbox) -> None:
    bomb = "def bomb(scene, a):\n    return sum(range(10 ** 13)) > 0\n"
    predicates = {"bomb": of(process, "bomb", bomb), "clear": of(process, "clear", CLEAR)}
    predicates["on"] = of(process, "on", ON, 2)
    found = process.evaluate(SCENE, predicates, ["on", "bomb", "clear"])
    assert not found["on"].fault and not found["clear"].fault
    assert "in one step, and was killed" in found["bomb"].fault
    child = process._process._child
    again = process.evaluate(SCENE, predicates, ["bomb"])
    assert again["bomb"].fault and process._process._child is child


def test_points_of_objects_do_not_travel(process: PredicateSandbox) -> None:
    cloud = np.zeros((3_000_000, 3), np.float32)
    heavy = replace(SCENE, objects=(replace(SCENE.objects[0], points=cloud),))
    view = SceneView(heavy, {"p": of(process, "p", "def p(scene, a):\n    return True\n")})
    assert view.predicates["p"].function(view, CAN) is True
