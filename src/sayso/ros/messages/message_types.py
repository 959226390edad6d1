"""The classes of messages whose types are named in words."""

from __future__ import annotations

from importlib import import_module

from sayso.core.errors import Code, SaySoError


def message_class(msgtype: str) -> type:
    """The class of `package/msg/Name`. Raises MISSING_DEPENDENCY if it is not built."""
    package, _, name = msgtype.split("/")
    try:
        found: type = getattr(import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError) as error:
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            f"the type {msgtype} is not installed.",
            hint=f"build or install the ROS package {package}.",
        ) from error
    return found
