"""Things that new frames show and nobody knew: they count once enough frames agree."""

from __future__ import annotations

from sayso.perception.flat.merging import Cluster, belongs
from sayso.perception.flat.settings import LiveSettings, LookSettings
from sayso.perception.flat.sightings import Sighting


class Candidates:
    """Sightings of what is not known yet, by place."""

    def __init__(self, look: LookSettings, live: LiveSettings) -> None:
        self._look, self._live = look, live
        self._clusters: list[Cluster] = []

    def add(self, sighting: Sighting) -> Cluster | None:
        """Take one more in; the whole cluster, once it is believed."""
        same = [c for c in self._clusters if c.seen[0].noun == sighting.noun]
        scores = [belongs(sighting, c, self._look) for c in same]
        if max(scores, default=0.0) > 0:
            cluster = same[scores.index(max(scores))]
            cluster.add(sighting)
        else:
            cluster = Cluster(sighting)
            self._clusters.append(cluster)
        if len(cluster.frames) < self._live.believe_after:
            return None
        self._clusters.remove(cluster)
        return cluster

    def expire(self, number: int) -> None:
        """Drop what was not seen again for long; `number` is that of the newest frame."""
        self._clusters = [c for c in self._clusters if max(c.frames) > number - self._live.expire]
