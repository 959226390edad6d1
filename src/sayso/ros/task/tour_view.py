"""The tour under way for RViz: its ways as markers, and the goals and "nevers" of each leg."""

from __future__ import annotations

from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node
from sayso_ros.msg import TourLeg
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from sayso.mission.tour_planning import Planned
from sayso.planning.navigation.itinerary import Leg
from sayso.planning.navigation.planned import costmap
from sayso.ros.messages.conversions import header
from sayso.ros.messages.maps import cells_to_msg
from sayso.ros.messages.qos import LATCHED

_COSTS = (TourLeg.BLOCKED, TourLeg.GOAL, TourLeg.NEUTRAL, TourLeg.AVOID)
_COLORS = ((0.1, 0.35, 0.9), (0.9, 0.5, 0.0), (0.6, 0.15, 0.75), (0.0, 0.6, 0.6))
_WIDTH_M, _ABOVE_M, _LETTER_M = 0.06, 0.05, 0.18


class TourView:
    """Publishes `/tour_markers` and `/task_progression_map`, latched."""

    def __init__(self, node: Node, frame: str = "map") -> None:
        self._frame = frame
        self._markers = node.create_publisher(MarkerArray, "tour_markers", LATCHED)
        self._goals = node.create_publisher(OccupancyGrid, "task_progression_map", LATCHED)

    def show_tour(self, planned: Planned, stamp_s: float) -> None:
        """All ways anew, each with its number."""
        markers = [Marker(header=header(stamp_s, self._frame), action=Marker.DELETEALL)]
        for number, leg in enumerate(planned.tour.legs):
            if leg.drives:
                markers += [self._way(leg, number, stamp_s), self._label(leg, number, stamp_s)]
        self._markers.publish(MarkerArray(markers=markers))

    def show_leg(self, planned: Planned, index: int, stamp_s: float) -> None:
        """Where one leg has to lead, and what it keeps off."""
        outset = planned.outset
        if planned.tour.legs[index].drives:
            values = costmap(planned.tour.progression(index), outset, _COSTS)
            grid = outset.flat.grid
            self._goals.publish(
                cells_to_msg(values, grid.origin, grid.resolution_m, stamp_s, self._frame)
            )

    def _way(self, leg: Leg, number: int, stamp_s: float) -> Marker:
        red, green, blue = _COLORS[number % len(_COLORS)]
        points = [Point(x=float(x), y=float(y), z=_ABOVE_M) for x, y in leg.path]
        return Marker(
            header=header(stamp_s, self._frame),
            ns="way",
            id=number,
            type=Marker.LINE_STRIP if len(points) > 1 else Marker.POINTS,
            pose=Pose(orientation=Quaternion(w=1.0)),
            scale=Vector3(x=_WIDTH_M, y=_WIDTH_M),
            color=ColorRGBA(r=red, g=green, b=blue, a=1.0),
            points=points,
        )

    def _label(self, leg: Leg, number: int, stamp_s: float) -> Marker:
        x, y = (float(v) for v in leg.path[-1])
        return Marker(
            header=header(stamp_s, self._frame),
            ns="number",
            id=number,
            type=Marker.TEXT_VIEW_FACING,
            pose=Pose(position=Point(x=x, y=y, z=0.3), orientation=Quaternion(w=1.0)),
            scale=Vector3(z=_LETTER_M),
            color=ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0),
            text=f"{number + 1}. {leg}",
        )
