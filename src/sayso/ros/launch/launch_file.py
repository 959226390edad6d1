"""Read the XML launch files of `ros2 launch`, for machines that have no `ros2 launch`.

The subset read here has the meaning it has there: `arg`, `let`, `set_env`, `include`, `group`,
`push_ros_namespace`, `set_remap` and `node` with `param`, `remap`, `env`. A group keeps its
variables, environment, namespace and remaps to itself. Anything else is refused with file and
line, so that a launch file never runs differently here without a word.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.parsers import expat

import yaml

from sayso.core.errors import Code, SaySoError
from sayso.ros.launch import launch_text
from sayso.ros.launch.launch_text import Substitution, Template

_TRUE, _FALSE = ("true", "1"), ("false", "0")
_NUMBERS: Mapping[str, Callable[[str], object]] = {"int": int, "float": float}

# What each tag may have: any other attribute or child would be ignored, so it is an error.
_CONDITIONS = frozenset({"if", "unless"})
_ATTRIBUTES: Mapping[str, frozenset[str]] = {
    "launch": frozenset({"version"}),
    "arg": frozenset({"name", "default", "value", "description"}) | _CONDITIONS,
    "let": frozenset({"name", "value"}) | _CONDITIONS,
    "set_env": frozenset({"name", "value"}) | _CONDITIONS,
    "include": frozenset({"file"}) | _CONDITIONS,
    "group": frozenset({"scoped"}) | _CONDITIONS,
    "push_ros_namespace": frozenset({"namespace"}) | _CONDITIONS,
    "set_remap": frozenset({"from", "to"}) | _CONDITIONS,
    "node": frozenset({"pkg", "exec", "name", "namespace", "output", "args", "on_exit"})
    | _CONDITIONS,
    "param": frozenset({"name", "value", "type", "from"}),
    "remap": frozenset({"from", "to"}),
    "env": frozenset({"name", "value"}),
}
_ACTIONS = frozenset(_ATTRIBUTES) - {"launch", "param", "remap", "env"}
_CHILDREN: Mapping[str, frozenset[str]] = {
    "launch": _ACTIONS,
    "group": _ACTIONS - {"arg"},
    "include": frozenset({"arg", "let"}),
    "node": frozenset({"param", "remap", "env"}),
}


@dataclass(frozen=True)
class Argument:
    """A declared argument of a launch file. `default` None: it must be given."""

    name: str
    default: str | None
    description: str


@dataclass(frozen=True)
class NodeProcess:
    """A node to start: `command` is argv, `environment` holds only what differs from ours."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    shutdown_on_exit: bool


@dataclass(frozen=True)
class Element:
    """One XML tag with the place it was read from."""

    tag: str
    attributes: Mapping[str, str]
    children: list[Element]
    path: Path
    line: int


@dataclass(frozen=True)
class _Scope:
    """What the tags read so far have set. Variables and environment change in place."""

    variables: dict[str, str]
    environment: dict[str, str]
    namespaces: list[str]
    remaps: list[str]
    prefixes: tuple[Path, ...]

    def inner(self) -> _Scope:
        return replace(
            self,
            variables=dict(self.variables),
            environment=dict(self.environment),
            namespaces=list(self.namespaces),
            remaps=list(self.remaps),
        )


def read(
    path: Path, arguments: Mapping[str, str], environment: Mapping[str, str]
) -> tuple[NodeProcess, ...]:
    """The nodes that a launch file starts, in its order.

    Args:
        path: the launch file.
        arguments: values for its arguments.
        environment: the environment to start from; AMENT_PREFIX_PATH says where packages are.

    Raises:
        SaySoError: CONFIG, with file and line, for a tag, attribute, substitution, package,
            executable or argument that is unknown or missing.
    """
    root = parse(path)
    declared = [argument.name for argument in declared_arguments(root)]
    for name in arguments:
        if name not in declared:
            raise SaySoError(
                Code.CONFIG, f"{path.name} has no argument '{name}'.", choices=sorted(declared)
            )
    scope = _Scope(dict(arguments), dict(environment), [], [], package_prefixes(environment))
    reader = _Reader(environment)
    reader.read_children(root, scope)
    return tuple(reader.nodes)


def parse(path: Path) -> Element:
    """The tree of a launch file, its tags and attributes checked; CONFIG if it is not one."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise SaySoError(Code.CONFIG, f"Cannot read the launch file {path}: {error}.") from error
    top: list[Element] = []
    open_elements: list[Element] = []
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, [], path, parser.CurrentLineNumber)
        _check(element, open_elements[-1] if open_elements else None)
        (open_elements[-1].children if open_elements else top).append(element)
        open_elements.append(element)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _tag: open_elements.pop()
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise SaySoError(Code.CONFIG, f"{path}: not well-formed XML: {error}.") from error
    return top[0]


def declared_arguments(root: Element) -> tuple[Argument, ...]:
    """The arguments that a launch file itself declares."""
    return tuple(
        Argument(_need(e, "name"), e.attributes.get("default"), e.attributes.get("description", ""))
        for e in root.children
        if e.tag == "arg"
    )


def package_prefixes(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The folders that packages are installed in, first found first."""
    return tuple(Path(p) for p in environment.get("AMENT_PREFIX_PATH", "").split(":") if p)


def package_share(package: str, prefixes: tuple[Path, ...]) -> Path:
    """The share folder of an installed ROS package; CONFIG if there is none."""
    marker = Path("share/ament_index/resource_index/packages") / package
    for prefix in prefixes:
        if (prefix / marker).exists():
            return prefix / "share" / package
    raise SaySoError(
        Code.CONFIG,
        f"The ROS package '{package}' is not installed.",
        hint="build it and source install/local_setup.bash",
    )


def _fail(element: Element, message: str, choices: tuple[str, ...] = ()) -> SaySoError:
    where = f"{element.path}:{element.line}"
    return SaySoError(Code.CONFIG, f"{where}: {message}", choices=choices)


def _need(element: Element, attribute: str) -> str:
    if attribute not in element.attributes:
        raise _fail(element, f"<{element.tag}> needs the attribute '{attribute}'.")
    return element.attributes[attribute]


def _check(element: Element, parent: Element | None) -> None:
    allowed = _CHILDREN.get(parent.tag, frozenset()) if parent else frozenset({"launch"})
    if element.tag not in allowed:
        inside = f"in <{parent.tag}>" if parent else "as the outermost tag"
        message = f"<{element.tag}> is not supported {inside}."
        raise _fail(element, message, tuple(sorted(allowed)))
    attributes = _ATTRIBUTES[element.tag]
    for name in element.attributes:
        if name not in attributes:
            message = f"<{element.tag}> has no attribute '{name}' here."
            raise _fail(element, message, tuple(sorted(attributes)))


@dataclass
class _Reader:
    """Walks the tags in order and collects the nodes."""

    outer_environment: Mapping[str, str]
    nodes: list[NodeProcess] = field(default_factory=list)

    def read_children(self, parent: Element, scope: _Scope) -> None:
        for element in parent.children:
            if _wanted(element, scope):
                getattr(self, f"_read_{element.tag}")(element, scope)

    def _read_arg(self, element: Element, scope: _Scope) -> None:
        name = _need(element, "name")
        if name in scope.variables:
            return
        if "default" not in element.attributes:
            description = element.attributes.get("description", "")
            raise _fail(element, f"give the argument '{name}:=...' ({description}).")
        scope.variables[name] = _text(element, "default", scope)

    def _read_let(self, element: Element, scope: _Scope) -> None:
        scope.variables[_need(element, "name")] = _text(element, "value", scope)

    def _read_set_env(self, element: Element, scope: _Scope) -> None:
        scope.environment[_need(element, "name")] = _text(element, "value", scope)

    def _read_push_ros_namespace(self, element: Element, scope: _Scope) -> None:
        scope.namespaces.append(_text(element, "namespace", scope))

    def _read_set_remap(self, element: Element, scope: _Scope) -> None:
        scope.remaps.extend(_remap(element, scope))

    def _read_group(self, element: Element, scope: _Scope) -> None:
        scoped = _truth(element, element.attributes.get("scoped", "true"))
        self.read_children(element, scope.inner() if scoped else scope)

    def _read_include(self, element: Element, scope: _Scope) -> None:
        for child in element.children:
            scope.variables[_need(child, "name")] = _text(child, "value", scope)
        path = Path(_text(element, "file", scope))
        self.read_children(parse(path), scope)

    def _read_node(self, element: Element, scope: _Scope) -> None:
        package, executable = _text(element, "pkg", scope), _text(element, "exec", scope)
        program = package_share(package, scope.prefixes).parents[1] / "lib" / package / executable
        if not program.is_file():
            raise _fail(element, f"the package '{package}' has no executable '{executable}'.")
        environment = dict(scope.environment)
        for child in element.children:
            if child.tag == "env":
                environment[_need(child, "name")] = _text(child, "value", scope)
        self.nodes.append(
            NodeProcess(
                name=_optional(element, "name", scope) or executable,
                command=(str(program), *_node_arguments(element, scope)),
                environment=_difference(environment, self.outer_environment),
                shutdown_on_exit=_on_exit(element),
            )
        )


def _difference(new: Mapping[str, str], old: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in new.items() if old.get(name) != value}


def _on_exit(element: Element) -> bool:
    value = element.attributes.get("on_exit")
    if value not in (None, "shutdown"):
        raise _fail(element, f"on_exit='{value}' is not supported.", ("shutdown",))
    return value == "shutdown"


def _node_arguments(element: Element, scope: _Scope) -> list[str]:
    """What follows the executable: its own arguments, then ROS's."""
    ros: list[str] = []
    name = _optional(element, "name", scope)
    if name:
        ros += ["-r", f"__node:={name}"]
    namespace = _namespace([*scope.namespaces, _optional(element, "namespace", scope)])
    if namespace != "/":
        ros += ["-r", f"__ns:={namespace}"]
    for child in element.children:
        if child.tag == "param":
            ros += _parameter(child, scope)
    # As in `launch`: the first rule that fits is the one that counts.
    ros += scope.remaps
    for child in element.children:
        if child.tag == "remap":
            ros += _remap(child, scope)
    own = _words(element, scope) if "args" in element.attributes else []
    return [*own, *(["--ros-args", *ros] if ros else [])]


def _namespace(pushed: list[str]) -> str:
    """Each within the one before it, but for one that begins with '/'."""
    joined = ""
    for namespace in pushed:
        joined = namespace if namespace.startswith("/") else f"{joined}/{namespace}"
    return "/" + "/".join(part for part in joined.split("/") if part)


def _remap(element: Element, scope: _Scope) -> list[str]:
    return ["-r", f"{_text(element, 'from', scope)}:={_text(element, 'to', scope)}"]


def _words(element: Element, scope: _Scope) -> list[str]:
    """The arguments of the executable itself."""
    try:
        words = launch_text.split(launch_text.parse(_need(element, "args")))
    except SaySoError as error:
        raise _fail(element, error.message) from error
    return [_filled(element, word, scope) for word in words]


def _parameter(element: Element, scope: _Scope) -> list[str]:
    if "from" in element.attributes:
        path = Path(_text(element, "from", scope))
        if not path.is_file():
            raise _fail(element, f"the parameter file {path} does not exist.")
        return ["--params-file", str(path)]
    value = _typed(element, _text(element, "value", scope))
    return ["-p", f"{_need(element, 'name')}:={_as_yaml(value)}"]


def _typed(element: Element, text: str) -> object:
    """A parameter's value: of the type that the file states, else of the one that YAML sees."""
    kind = element.attributes.get("type")
    if kind is None:
        return _guessed(text)
    if kind == "str":
        return text
    if kind == "bool":
        return _truth(element, text)
    if kind not in _NUMBERS:
        choices = ("str", "bool", *_NUMBERS)
        raise _fail(element, f"the type '{kind}' is not supported.", choices)
    try:
        return _NUMBERS[kind](text)
    except ValueError as error:
        name = _need(element, "name")
        raise _fail(element, f"'{name}' must be of type {kind}, not '{text}'.") from error


def _as_yaml(value: object) -> str:
    """One line as rcl reads it: strings in quotes, lists in brackets."""
    style = "'" if isinstance(value, str) else None
    text = yaml.safe_dump(value, default_flow_style=True, default_style=style, width=math.inf)
    return str(text).splitlines()[0]


def _guessed(text: str) -> object:
    """The value that `ros2 launch` takes a text for: YAML if it is a parameter's type."""
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    uniform = isinstance(value, list) and len({type(item) for item in value}) == 1
    kind = type(value[0]) if uniform else type(value)
    return value if kind in (bool, int, float, str) else text


def _wanted(element: Element, scope: _Scope) -> bool:
    attributes = element.attributes
    if "if" in attributes and not _truth(element, _text(element, "if", scope)):
        return False
    return not ("unless" in attributes and _truth(element, _text(element, "unless", scope)))


def _truth(element: Element, text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise _fail(element, f"'{text}' is neither true nor false.")


def _optional(element: Element, attribute: str, scope: _Scope) -> str:
    return _text(element, attribute, scope) if attribute in element.attributes else ""


def _text(element: Element, attribute: str, scope: _Scope) -> str:
    """An attribute with its substitutions done."""
    try:
        template = launch_text.parse(_need(element, attribute))
    except SaySoError as error:
        raise _fail(element, error.message) from error
    return _filled(element, template, scope)


def _filled(element: Element, template: Template, scope: _Scope) -> str:
    return "".join(p if isinstance(p, str) else _value(element, p, scope) for p in template)


def _value(element: Element, substitution: Substitution, scope: _Scope) -> str:
    kind, given = substitution.kind, len(substitution.arguments)
    rest = [_filled(element, argument, scope) for argument in substitution.arguments]
    if kind == "var" and given == 1:
        if rest[0] in scope.variables:
            return scope.variables[rest[0]]
        message = f"the variable '{rest[0]}' is not set."
        raise _fail(element, message, tuple(sorted(scope.variables)))
    if kind == "env" and given in (1, 2):
        if rest[0] not in scope.environment and given == 1:
            raise _fail(element, f"the environment variable {rest[0]} is not set.")
        return scope.environment.get(rest[0], rest[-1])
    if kind == "find-pkg-share" and given == 1:
        return str(package_share(rest[0], scope.prefixes))
    if kind == "dirname" and given == 0:
        return str(element.path.parent)
    choices = ("var NAME", "env NAME [DEFAULT]", "find-pkg-share PACKAGE", "dirname")
    written = " ".join([kind, *rest])
    raise _fail(element, f"the substitution $({written}) is not supported.", choices)
