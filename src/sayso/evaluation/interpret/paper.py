"""The figures of the InterPreT paper (Han et al., RSS 2024), its simulated domains."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

TITLES: Mapping[str, str] = {"store": "StoreObjects", "table": "SetTable", "cook": "CookMeal"}
SETS = ("canonical", "more_objects", "novel_goals", "combined")


def title(domain: str) -> str:
    """The paper's name of a domain; of others their own."""
    return TITLES.get(domain, Path(domain).name)


INTERPRET = "InterPreT"
Share = tuple[float, float]
"""Mean and standard deviation over three runs."""

SUCCESS: Mapping[str, Mapping[str, tuple[Share, Share, Share, Share]]] = {
    "IM + Object": {
        "store": ((0.60, 0.00), (0.30, 0.00), (0.00, 0.00), (0.00, 0.00)),
        "table": ((0.80, 0.10), (0.73, 0.06), (0.00, 0.00), (0.00, 0.00)),
        "cook": ((0.90, 0.00), (1.00, 0.00), (0.97, 0.06), (0.00, 0.00)),
    },
    "+ Scene": {
        "store": ((0.90, 0.00), (0.83, 0.06), (0.87, 0.15), (0.77, 0.06)),
        "table": ((0.80, 0.10), (0.83, 0.12), (0.10, 0.10), (0.03, 0.05)),
        "cook": ((1.00, 0.00), (1.00, 0.00), (0.93, 0.06), (0.23, 0.15)),
    },
    "+ Precond": {
        "store": ((1.00, 0.00), (1.00, 0.00), (0.97, 0.06), (0.87, 0.15)),
        "table": ((1.00, 0.00), (1.00, 0.00), (0.53, 0.33), (0.20, 0.16)),
        "cook": ((1.00, 0.00), (1.00, 0.00), (1.00, 0.00), (0.97, 0.06)),
    },
    "CaP": {
        "store": ((1.00, 0.00), (0.83, 0.15), (0.53, 0.21), (0.03, 0.06)),
        "table": ((0.87, 0.06), (0.73, 0.15), (0.77, 0.25), (0.33, 0.15)),
        "cook": ((0.97, 0.06), (0.93, 0.06), (1.00, 0.00), (0.77, 0.12)),
    },
    INTERPRET: {
        "store": ((0.93, 0.12), (0.90, 0.17), (1.00, 0.00), (1.00, 0.00)),
        "table": ((1.00, 0.00), (1.00, 0.00), (0.53, 0.41), (0.37, 0.45)),
        "cook": ((0.97, 0.06), (1.00, 0.00), (1.00, 0.00), (0.83, 0.12)),
    },
}
"""Table II: method -> domain -> success on each of `SETS`."""

TRANSFER: Mapping[str, Share] = dict.fromkeys(SETS, (1.0, 0.0))
"""Table III: SetTable with the predicates of StoreObjects."""

TIMES: Mapping[str, tuple[str, str, str]] = {
    "write predicates": ("2.94 s", "1.05 s", "23.3 s"),
    "learn operators": ("32 ms", "11 ms", "97 ms"),
    "translate goal": ("1.6 s", "910 ms", "5.53 s"),
    "plan": ("99 ms", "75 ms", "130 ms"),
}
"""Table IV: stage -> median, least and most."""

COUNTS: Mapping[str, Mapping[str, str]] = {
    "store": {"calls": "22 / 31 / 23", "transitions": "54 / 75 / 90", "feedback": "17 / 26 / 18"},
    "table": {"calls": "38 / 38 / 62", "transitions": "41 / 39 / 67", "feedback": "31 / 30 / 55"},
    "cook": {"calls": "32 / 29 / 46", "transitions": "62 / 34 / 48", "feedback": "23 / 22 / 38"},
}
"""Table V: of the three runs."""

PREDICATES: Mapping[str, str] = {
    "store": "obj_on_obj, obj_on_table; obj_graspable, obj_clear, gripper_empty",
    "table": "obj_on_obj, obj_on_table; obj_graspable, obj_clear, gripper_empty, obj_is_plate, "
    "obj_thin_enough",
    "cook": "obj_inside_obj, obj_on_table, obj_filled_with_water; obj_graspable, obj_clear, "
    "gripper_empty, obj_is_plate, obj_thin_enough, obj_large_enough, obj_is_food, obj_is_container",
}
"""Table I: of goals; of preconditions."""

VARIED: Mapping[str, str] = {
    "1": "obj_on_obj, obj_on_table; obj_small_enough, obj_clear, gripper_empty",
    "2": "obj_on_obj, obj_on_table; obj_size_ok_for_gripper, no_obj_on_top, hand_empty",
    "3": "obj_on_obj, obj_on_table; obj_small_enough_for_gripper, obj_free_of_objects, "
    "gripper_empty",
}
"""Tables VI and VII: run -> predicates from varied feedback; all four sets were solved."""
