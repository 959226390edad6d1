"""Options of a command line, made from the fields of a settings' dataclass."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, field, fields
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


class CommandParser(ArgumentParser):
    """The parser of one command.

    Attributes:
        late: adds the command's options once it is given, or asked for help: whoever says `stop`
            has no time to load what `eval` offers, and whoever runs one suite not all others.
    """

    late: Callable[[CommandParser], None] | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.complete()
        return super().parse_known_args(args, namespace)

    def complete(self) -> None:
        """Add the options that are still to come."""
        late, self.late = self.late, None
        if late is not None:
            late(self)


def option(
    default: Any,
    text: str,
    metavar: str | None = None,
    *,
    choices: Iterable[Any] | None = None,
    flags: tuple[str, ...] = (),
    dest: str = "",
) -> Any:
    """A field of a dataclass that people can set.

    Args:
        text: the help.
        flags: how it is called, where that is not its name: that of a truth which is so by default
            says the contrary, as `--no-finding`.
        dest: what it is called among the options that were read; by default the field's name.
    """
    known = None if choices is None else tuple(choices)
    about = {"text": text, "metavar": metavar, "choices": known, "flags": flags, "dest": dest}
    return field(default=default, metadata=about)


def add(
    parser: ArgumentParser | _ArgumentGroup, settings: type[Any], **flags: tuple[str, ...]
) -> None:
    """An option for each field made by `option`: its type is the field's, several for a tuple.

    Args:
        flags: how some are called here, by the field's name.
    """
    kinds = get_type_hints(settings)
    for one in _set_by_people(settings):
        about, kind = one.metadata, kinds[one.name]
        named = flags.get(one.name) or about["flags"] or (f"--{one.name.replace('_', '-')}",)
        if kind is bool:
            action = "store_false" if one.default else "store_true"
            parser.add_argument(*named, dest=_dest(one), action=action, help=about["text"])
            continue
        several = get_origin(kind) is tuple
        inner = [k for k in get_args(kind) if k not in (type(None), ...)]  # of a tuple, or X | None
        parser.add_argument(
            *named,
            dest=_dest(one),
            type=inner[0] if inner else kind,
            nargs="+" if several else None,
            default=one.default,
            metavar=about["metavar"],
            choices=about["choices"],
            help=about["text"],
        )


def read(options: Namespace, settings: type[T]) -> T:
    """What the options say; all other fields are as by default."""
    given = {f.name: getattr(options, _dest(f)) for f in _set_by_people(settings)}
    return settings(**{n: tuple(v) if isinstance(v, list) else v for n, v in given.items()})


def _set_by_people(settings: type[Any]) -> Iterable[Field[Any]]:
    return (f for f in fields(settings) if "text" in f.metadata and f.default is not MISSING)


def _dest(one: Field[Any]) -> str:
    return one.metadata["dest"] or one.name
