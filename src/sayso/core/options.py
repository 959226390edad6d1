"""Options of a command line, made from the fields of a settings' dataclass."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Iterable
from dataclasses import MISSING, Field, field, fields
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


def option(
    default: Any,
    text: str,
    metavar: str | None = None,
    *,
    choices: Iterable[Any] | None = None,
    flags: tuple[str, ...] = (),
) -> Any:
    """A field of a dataclass that people can set.

    Args:
        text: the help.
        flags: how it is called, where that is not its name: that of a truth which is so by default
            says the contrary, as `--no-finding`.
    """
    known = None if choices is None else tuple(choices)
    about = {"text": text, "metavar": metavar, "choices": known, "flags": flags}
    return field(default=default, metadata=about)


def add(parser: ArgumentParser | _ArgumentGroup, settings: type[Any]) -> None:
    """An option for each field made by `option`: its type is the field's, several for a tuple."""
    kinds = get_type_hints(settings)
    for one in _set_by_people(settings):
        about, kind = one.metadata, kinds[one.name]
        flags = about["flags"] or (f"--{one.name.replace('_', '-')}",)
        if kind is bool:
            action = "store_false" if one.default else "store_true"
            parser.add_argument(*flags, dest=one.name, action=action, help=about["text"])
            continue
        several = get_origin(kind) is tuple
        inner = [k for k in get_args(kind) if k not in (type(None), ...)]  # of a tuple, or X | None
        parser.add_argument(
            *flags,
            dest=one.name,
            type=inner[0] if inner else kind,
            nargs="+" if several else None,
            default=one.default,
            metavar=about["metavar"],
            choices=about["choices"],
            help=about["text"],
        )


def read(options: Namespace, settings: type[T]) -> T:
    """What the options say; all other fields are as by default."""
    given = {f.name: getattr(options, f.name) for f in _set_by_people(settings)}
    return settings(**{n: tuple(v) if isinstance(v, list) else v for n, v in given.items()})


def _set_by_people(settings: type[Any]) -> Iterable[Field[Any]]:
    return (f for f in fields(settings) if "text" in f.metadata and f.default is not MISSING)
