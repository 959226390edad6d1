"""What the cameras see: a simulated RGB-D pair, named objects, and the symbolic state of it."""

import sys

from sayso.adapters.vision.self_filter import RobotSelfFilter
from sayso.core import library
from sayso.core.predicates import symbolic_state
from sayso.perception.rgbd_segmenter import RgbdSegmenter
from sayso.perception.scene_perception import ScenePerception
from sayso.worlds.table.table_world import TableWorld


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    world = TableWorld(seed)
    perception = ScenePerception(RgbdSegmenter(), RobotSelfFilter())
    frames = [world.render(camera) for camera in ("left", "right")]
    scene = perception.observe(frames, world.robot_state())
    for obj in scene.objects:
        place = ", ".join(f"{v:.3f}" for v in obj.position)
        size = " x ".join(f"{v:.3f}" for v in obj.size)
        print(f"{obj.name:12} at ({place}) m, {size} m, confidence {obj.confidence:.2f}")
    predicates = library.load(library.builtin_path()).predicates
    state = symbolic_state(scene, predicates)
    print("true:", ", ".join(sorted(map(str, state.true_atoms()))))


if __name__ == "__main__":
    main()
