"""A predicate of your own: one Python function in a library folder, used in a goal at once."""

import tempfile
from dataclasses import replace
from pathlib import Path

from sayso.core import library
from sayso.core.predicates import Predicate, SceneView
from sayso.core.symbols import Atom
from sayso.worlds.kinematic_table import KinematicTable

SOURCE = '''"""a stands near the edge of the table that faces the robot."""

EDGE_X = 0.4


def near_edge(scene, a):
    return scene.low(a)[0] < EDGE_X
'''


def main() -> None:
    base = library.load(library.builtin_path())
    predicate = Predicate(
        name="near_edge",
        parameters=("a",),
        function=library.compile_predicate("near_edge", SOURCE),
        english="{0} is near the edge",
        english_not="{0} is not near the edge",
        source=SOURCE,
        provenance={"origin": "example"},
    )
    mine = replace(base, name="mine", predicates={**base.predicates, "near_edge": predicate})
    with tempfile.TemporaryDirectory() as folder:
        library.save(mine, Path(folder))
        loaded = library.load(Path(folder))
    scene = KinematicTable(library=loaded).scene
    view = SceneView(scene, loaded.predicates)
    for obj in scene.objects:
        print(f"near_edge({obj.name}) = {view.truth(Atom('near_edge', (obj.name,)))}")


if __name__ == "__main__":
    main()
