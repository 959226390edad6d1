"""Which things a flat must hold so that a formula can be judged in it.

For each referent of the formula there are things that fit its description, one for "the", two
for "a" and "all", and distractors: of the same kind, but of another colour, or out of one of the
relations.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sayso.core.errors import SaySoError
from sayso.evaluation.measures import inlined
from sayso.logic.formula import COLORS, Formula, Referent, nested, propositions
from sayso.perception.categories import is_a
from sayso.worlds.flat.colors import PALETTE
from sayso.worlds.flat.generate import Wanted
from sayso.worlds.flat.kinds import KINDS, WALKING, understand
from sayso.worlds.flat.relations import Relation as Placing

MANY = 2
"""How many things fit "a ..." and "all ..."."""

_CARRIED = ("holding", "placed", "on", "in", "graspable")
_DOORS = ("door", "doorway")
_MATERIALS = {"steel": "metal"}
_SOMETHING_SMALL, _SOMETHING_LARGE = "packet", "machine"
_SUPPORTS = ("counter", "desk", "cabinet", "table", "washing_machine")
_NUMBERED = re.compile(r".*_\d+$")


@dataclass(frozen=True)
class Role:
    """One thing that the flat must hold.

    Attributes:
        noun: what people call it; the scene's category.
        color: of a palette; "" for its kind's own.
        wish: what the generator of flats is asked for.
        fits: the referents whose description it fits.
    """

    noun: str
    color: str
    wish: Wanted
    fits: tuple[Referent, ...] = ()


@dataclass(frozen=True)
class Cast:
    """All that a flat must hold for one formula."""

    roles: tuple[Role, ...]

    @property
    def wishes(self) -> tuple[Wanted, ...]:
        """For the generator."""
        return tuple(role.wish for role in self.roles)

    def fitting(self, referent: Referent) -> tuple[str, ...]:
        """The names of the things that fit a referent's description."""
        wanted = plain(referent)
        return tuple(sorted(r.wish.name for r in self.roles if wanted in (*r.fits, *_kinds(r))))

    def by_name(self) -> Mapping[str, Role]:
        """The roles by the names of their things."""
        return {role.wish.name: role for role in self.roles}


@dataclass
class _Casting:
    """Fills the roles, landmarks before what is described by them."""

    carried: frozenset[Referent]
    many: frozenset[Referent]
    every: tuple[Referent, ...]
    roles: list[Role] = field(default_factory=list)

    def add(self, referent: Referent) -> tuple[str, ...]:
        """The names of the things for a description; made if there are none yet."""
        found = tuple(r.wish.name for r in self.roles if referent in r.fits)
        if found:
            return found
        placings = tuple(self._placing(r.comparator, r.others) for r in referent.relations)
        same = (referent, *(o for o in self.every if _says_less(o, referent)))
        count = MANY if referent in self.many and not _is_numbered(referent) else 1
        for _ in range(count):
            self._role(referent, _color(referent), placings or self._rest(referent), (), same)
        return tuple(r.wish.name for r in self.roles if referent in r.fits)

    def add_distractors(self, referent: Referent) -> None:
        """Things of the same noun that break the description, where that disturbs no other."""
        if _is_numbered(referent) or any(o != referent and _says_less(o, referent)
                                         for o in self.every):  # fmt: skip
            return
        if (color := self._other_color(referent)) and not any(
            o.noun == referent.noun and not _colors(o) for o in self.every
        ):
            self._role(referent, color, self._rest(referent), (), ())
        if referent.relations and not _is_door(referent.noun):
            lacking = tuple(self._placing(r.comparator, r.others) for r in referent.relations)
            self._role(referent, _color(referent), self._rest(referent), lacking[:1], ())

    def _rest(self, referent: Referent) -> tuple[Placing, ...]:
        """Where a small thing of which nothing is said lies: on what nobody speaks of.

        What is to be carried lies apart from where it is to be brought.
        """
        carried = referent in self.carried
        kind = kind_of(referent.noun, carried)
        free = [n for n in _SUPPORTS if not any(_alike(n, o.noun) for o in self.every)]
        if kind == "door" or KINDS[kind].stand != "on" or len(free) < 2:
            return ()
        noun = free[0 if carried else 1]
        wish = Wanted(f"{noun}_to_lie_on", noun)
        if not any(r.wish == wish for r in self.roles):
            self.roles.append(Role(noun, "", wish))
        return (Placing("isabove", (wish.name,)),)

    def _placing(self, comparator: str, others: Sequence[Referent]) -> Placing:
        return Placing(comparator, tuple(self.add(plain(o))[0] for o in others))

    def _other_color(self, referent: Referent) -> str:
        """A colour that no description with this noun has; "" where colour does not matter."""
        if not _colors(referent):
            return ""
        taken = {c for o in self.every if o.noun == referent.noun for c in _colors(o)}
        free = [c for c in COLORS if c in PALETTE and c not in taken]
        return free[len(self.roles) % len(free)] if free else ""

    def _role(
        self,
        referent: Referent,
        color: str,
        placings: tuple[Placing, ...],
        unlike: tuple[Placing, ...],
        fits: tuple[Referent, ...],
    ) -> None:
        kind = kind_of(referent.noun, carried=referent in self.carried)
        what = f"{color}_{kind}" if color else kind
        wish = Wanted(self._name(referent, color), what, placings, unlike)
        if wish.is_door:  # doors stand where they are
            wish = replace(wish, relations=(), unlike=())
        self.roles.append(Role(referent.kind, color, wish, fits))

    def _name(self, referent: Referent, color: str) -> str:
        words = [*([color] if _colors(referent) else []), *referent.noun.split()]
        name = "_".join(words)
        if _is_numbered(referent):
            return name
        used = {r.wish.name for r in self.roles}
        letters = "abcdefghijklmnopqrstuvwxyz"
        return next(n for n in (f"{name}_{c}" for c in letters) if n not in used)


def cast_of(formula: Formula) -> Cast:
    """The things that a formula is about, and distractors."""
    spoken = [(p.predicate, i, a) for p in propositions(inlined(formula))
              for i, a in enumerate(p.args)
              if isinstance(a, Referent)]  # fmt: skip
    terms = tuple(dict.fromkeys(r for _, _, a in spoken for r in nested(a)))
    every = tuple(dict.fromkeys(map(plain, terms)))
    single = {plain(r) for r in terms if r.quantifier == "the"}
    carried = frozenset(plain(a) for name, i, a in spoken if i == 0 and name in _CARRIED)
    casting = _Casting(carried, frozenset(set(every) - single), every)
    # What says most comes first, so that "the sofa" is the red sofa where both are spoken of.
    for referent in sorted(every, key=lambda r: -(len(r.attributes) + len(r.relations))):
        casting.add(referent)
    for referent in every:
        casting.add_distractors(referent)
    return Cast(tuple(casting.roles))


def _kinds(role: Role) -> tuple[Referent, ...]:
    """What a role fits without the numbers that tell things apart: they are chosen together."""
    return tuple(replace(r, noun=r.kind) for r in role.fits)


def plain(referent: Referent) -> Referent:
    """The description alone, without quantifiers."""
    relations = tuple(
        replace(r, others=tuple(plain(o) for o in r.others)) for r in referent.relations
    )
    return replace(referent, quantifier="the", relations=relations)


def kind_of(noun: str, carried: bool) -> str:
    """The kind of the catalogue, or `door`, that stands for a noun.

    What must be carried but is furniture in the catalogue is a packet; what the catalogue does
    not know is a packet or a machine.
    """
    if _is_door(noun) and not carried:
        return "door"
    kind = _known_kind(noun)
    if kind in WALKING and "toy" in noun:
        kind = "plush_toy"
    if carried and not (kind and KINDS[kind].movable):
        kind = _SOMETHING_SMALL
    return kind or _SOMETHING_LARGE


def _alike(a: str, b: str) -> bool:
    return is_a(a, b) or is_a(b, a)


def _known_kind(noun: str) -> str:
    try:
        return understand("_".join(noun.split())).kind
    except SaySoError:
        return ""


def _says_less(less: Referent, more: Referent) -> bool:
    """Whether whatever fits `more` fits `less` too, as far as the words tell."""
    return (
        less != more
        and is_a(more.noun, less.noun)
        and set(less.attributes) <= set(more.attributes)
        and set(less.relations) <= set(more.relations)
    )


def _colors(referent: Referent) -> Collection[str]:
    return [a for a in referent.attributes if a in COLORS]


def _color(referent: Referent) -> str:
    """The colour to paint a thing with; "" for the kind's own."""
    return next(iter((*_colors(referent), *_material(referent.noun))), "")


def _material(noun: str) -> list[str]:
    words = (_MATERIALS.get(w, w) for w in noun.split())
    return [w for w in words if w in PALETTE and w not in COLORS][:1]


def _is_door(noun: str) -> bool:
    return noun.split()[-1] in _DOORS


def _is_numbered(referent: Referent) -> bool:
    return bool(_NUMBERED.match("_".join((*_colors(referent), *referent.noun.split()))))
