"""What nobody can see is known as people told it: of each thing of which they did."""

from __future__ import annotations

from sayso.adapters import registry
from sayso.adapters.learning_backends import EMBEDDER
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.learning.priors import household
from sayso.learning.synthesis.labels import Concept, Label
from sayso.learning.synthesis.synthesizer import Synthesizer
from sayso.learning.vocabulary import Vocabulary

CUPS = tuple(
    SceneObject(f"{c}_cup", "cup", c, (0.3 + 0.1 * i, 0.0, 0.05), (0.08, 0.08, 0.1))
    for i, c in enumerate(("red", "green", "blue"))
)


def test_what_is_told_of_another_thing_is_known_as_well() -> None:
    scene = Scene(0.0, CUPS)
    vocabulary = Vocabulary({}, Synthesizer(registry.create("embedder", EMBEDDER)))
    vocabulary.meet([Concept("borrowed", ("a",), "{0} is borrowed", "{0} is not borrowed")])
    labels = [Label(scene, ("red_cup",), True), Label(scene, ("blue_cup",), False)]
    for count in (1, 2):
        vocabulary.mend({"borrowed": labels[:count]}, [scene], "said")
    truths = vocabulary.states.of(scene).truths
    assert [truths.get(Atom("borrowed", (c.name,))) for c in CUPS] == [True, None, False]


def test_what_programs_that_explain_all_labels_differ_on_is_in_dispute() -> None:
    """How far ahead, or how far from the foot: at the end of the row that is not the same."""
    places = {"near": (0.4, 0.0), "far": (0.9, 0.0), "end": (0.4, 0.9)}
    cups = tuple(
        SceneObject(n, "cup", "red", (x, y, 0.05), (0.08, 0.08, 0.1))
        for n, (x, y) in places.items()
    )
    scene, seen = Scene(0.0, cups), Scene(0.0, cups[:2])
    vocabulary = Vocabulary({}, Synthesizer(registry.create("embedder", EMBEDDER)))
    vocabulary.meet([household().predicates["reachable"]])
    labels = [Label(seen, ("near",), True), Label(seen, ("far",), False)]
    vocabulary.mend({"reachable": labels}, [seen], "said")
    assert vocabulary.disputed(scene) == {Atom("reachable", ("end",))}
    labels.append(Label(scene, ("end",), True))
    vocabulary.mend({"reachable": labels}, [scene], "said")
    assert not vocabulary.disputed(scene)
