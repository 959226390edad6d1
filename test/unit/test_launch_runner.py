"""The launch runner: what it reads from launch files, and how it ends what it started."""

from __future__ import annotations

import io
import os
import re
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.ros.launch import launch_file, launch_runner, launching
from sayso.ros.launch.launch_file import NodeProcess

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """An install folder with the package `pack` and its executables `talker`, `listener`."""
    prefix = tmp_path / "install"
    marker = prefix / "share/ament_index/resource_index/packages/pack"
    marker.parent.mkdir(parents=True)
    marker.touch()
    (prefix / "share/pack/launch").mkdir(parents=True)
    (prefix / "lib/pack").mkdir(parents=True)
    for name in ("talker", "listener"):
        (prefix / "lib/pack" / name).touch()
    return prefix


def nodes_of(prefix: Path, body: str, **arguments: str) -> tuple[NodeProcess, ...]:
    path = prefix / "share/pack/launch/test.launch.xml"
    path.write_text(f"<launch>\n{body}\n</launch>\n")
    return launch_file.read(path, arguments, environment(prefix))


def environment(prefix: Path) -> Mapping[str, str]:
    return {"AMENT_PREFIX_PATH": f"/nowhere:{prefix}", "HOME": "/home/someone"}


def ros_arguments(node: NodeProcess) -> tuple[str, ...]:
    return node.command[node.command.index("--ros-args") + 1 :]


class TestReading:
    def test_node_becomes_command_with_name_namespace_parameters_and_remaps(
        self, prefix: Path
    ) -> None:
        parameters = prefix / "share/pack/talker.yaml"
        parameters.touch()
        (node,) = nodes_of(
            prefix,
            '<node pkg="pack" exec="talker" name="first" namespace="table" args="--fast \'a b\'">'
            '<param from="$(find-pkg-share pack)/talker.yaml"/>'
            '<param name="rate" value="2"/><remap from="chat" to="talk"/>'
            "</node>",
        )
        assert node == NodeProcess(
            name="first",
            command=(
                *(str(prefix / "lib/pack/talker"), "--fast", "a b", "--ros-args"),
                *("-r", "__node:=first", "-r", "__ns:=/table"),
                *("--params-file", str(parameters), "-p", "rate:=2", "-r", "chat:=talk"),
            ),
            environment={},
            shutdown_on_exit=False,
        )

    @pytest.mark.parametrize(
        ("text", "given"),
        [
            ("7", "7"),
            ("0.5", "0.5"),
            ("true", "true"),
            ("", "''"),
            ("none", "'none'"),
            ("record[openai]", "'record[openai]'"),
            ("[1, 2]", "[1, 2]"),
            ("[1, a]", "'[1, a]'"),
            ("a: b", "'a: b'"),
            ("2024-01-01", "'2024-01-01'"),
            ("it's", "'it''s'"),
        ],
    )
    def test_parameter_value_has_the_type_yaml_gives_it(
        self, prefix: Path, text: str, given: str
    ) -> None:
        (node,) = nodes_of(
            prefix, f'<node pkg="pack" exec="talker"><param name="x" value="{text}"/></node>'
        )
        assert ros_arguments(node) == ("-p", f"x:={given}")

    def test_argument_given_wins_over_its_default(self, prefix: Path) -> None:
        body = (
            '<arg name="who" default="nobody"/><let name="greeting" value="hello $(var who)"/>'
            '<node pkg="pack" exec="talker" args="$(var greeting)"/>'
        )
        assert nodes_of(prefix, body)[0].command[1:] == ("hello nobody",)
        assert nodes_of(prefix, body, who="you")[0].command[1:] == ("hello you",)

    @pytest.mark.parametrize(
        ("words", "given"),
        [
            ("-d $(var file) -f", ("-d", "/my files/a.rviz", "-f")),
            ("-d$(var file)/x y", ("-d/my files/a.rviz/x", "y")),
            ("$(var file) $(env HOME)", ("/my files/a.rviz", "/home/someone")),
            ("$(var file)$(env HOME)", ("/my files/a.rviz/home/someone",)),
            ("--fast 'a b'  c", ("--fast", "a b", "c")),
            ("a\\ b \\$(x) $5", ("a", "b", "$(x)", "$5")),
            ("$(env NOWHERE 'a $(env HOME)')", ("a /home/someone",)),
            ("$(env NOWHERE '')x", ("x",)),
            ("", ("",)),
        ],
    )
    def test_arguments_are_split_as_ros2_launch_splits_them(
        self, prefix: Path, words: str, given: tuple[str, ...]
    ) -> None:
        (node,) = nodes_of(
            prefix,
            '<let name="file" value="/my files/a.rviz"/>'
            f'<node pkg="pack" exec="talker" args="{words}"/>',
        )
        assert node.command[1:] == given

    def test_parameter_takes_the_type_that_the_file_states(self, prefix: Path) -> None:
        typed = (("str", "2"), ("float", "2"), ("int", "2"), ("bool", "1"))
        (node,) = nodes_of(
            prefix,
            '<node pkg="pack" exec="talker">'
            + "".join(f'<param name="{t}" type="{t}" value="{v}"/>' for t, v in typed)
            + "</node>",
        )
        assert ros_arguments(node)[1::2] == ("str:='2'", "float:=2.0", "int:=2", "bool:=true")

    def test_namespaces_are_within_one_another_and_remaps_reach_every_node(
        self, prefix: Path
    ) -> None:
        body = (
            '<push_ros_namespace namespace="left"/><set_remap from="/tf" to="tf"/>'
            '<node pkg="pack" exec="talker" namespace="arm"><remap from="/tf" to="else"/></node>'
            '<node pkg="pack" exec="talker" namespace="/arm/"/>'
        )
        inner, absolute = nodes_of(prefix, body)
        assert ros_arguments(inner) == (
            *("-r", "__ns:=/left/arm", "-r", "/tf:=tf"),
            *("-r", "/tf:=else"),
        )
        assert ros_arguments(absolute) == ("-r", "__ns:=/arm", "-r", "/tf:=tf")

    def test_conditions_and_nested_substitution(self, prefix: Path) -> None:
        body = (
            '<arg name="both" default="false"/><arg name="name" default="$(env NAME $(env HOME))"/>'
            '<node pkg="pack" exec="talker" args="$(var name)" unless="$(var both)"/>'
            '<node pkg="pack" exec="listener" if="$(var both)"/>'
        )
        assert [n.command[1:] for n in nodes_of(prefix, body)] == [("/home/someone",)]
        assert [n.name for n in nodes_of(prefix, body, both="True")] == ["listener"]

    def test_group_keeps_variables_environment_and_namespace_to_itself(self, prefix: Path) -> None:
        inner, outer = nodes_of(
            prefix,
            '<let name="x" value="outer"/><group><let name="x" value="inner"/>'
            '<set_env name="COLOUR" value="red"/><push_ros_namespace namespace="left"/>'
            '<node pkg="pack" exec="talker" args="$(var x)"/></group>'
            '<node pkg="pack" exec="talker" args="$(var x)"><env name="SIZE" value="2"/></node>',
        )
        assert inner.command[1:] == ("inner", "--ros-args", "-r", "__ns:=/left")
        assert inner.environment == {"COLOUR": "red"}
        assert outer.command[1:] == ("outer",)
        assert outer.environment == {"SIZE": "2"}

    def test_group_that_is_not_scoped_shares_them(self, prefix: Path) -> None:
        (node,) = nodes_of(
            prefix,
            '<group scoped="false"><let name="x" value="inner"/></group>'
            '<node pkg="pack" exec="talker" args="$(var x)"/>',
        )
        assert node.command[1:] == ("inner",)

    def test_include_passes_arguments_on(self, prefix: Path) -> None:
        (prefix / "share/pack/launch/part.launch.xml").write_text(
            '<launch><arg name="who"/><node pkg="pack" exec="talker" args="$(var who)"/></launch>'
        )
        (node,) = nodes_of(
            prefix,
            '<include file="$(dirname)/part.launch.xml"><arg name="who" value="me"/></include>',
        )
        assert node.command[1:] == ("me",)

    def test_on_exit_shutdown(self, prefix: Path) -> None:
        (node,) = nodes_of(prefix, '<node pkg="pack" exec="talker" on_exit="shutdown"/>')
        assert node.shutdown_on_exit

    @pytest.mark.parametrize(
        ("body", "says"),
        [
            ("<composable_node/>", "<composable_node> is not supported in <launch>"),
            ('<node pkg="pack" exec="talker"><node/></node>', "not supported in <node>"),
            ('<node pkg="pack" exec="talker" respawn="true"/>', "no attribute 'respawn'"),
            ('<node pkg="pack" exec="talker" on_exit="respawn"/>', "on_exit='respawn'"),
            ('<node pkg="pack" exec="tolker"/>', "no executable 'tolker'"),
            ('<node exec="talker"/>', "needs the attribute 'pkg'"),
            ('<let name="x" value="$(var y)"/>', "the variable 'y' is not set"),
            ('<let name="x" value="$(env NOWHERE)"/>', "NOWHERE is not set"),
            ('<let name="x" value="$(eval 1+1)"/>', "$(eval 1+1) is not supported"),
            ('<let name="x" value="$(env HOME"/>', "has the end where none may be, at letter 11"),
            ('<let name="x" value="$(env  HOME)"/>', "where none may be, at letter 7"),
            ('<node pkg="pack" exec="talker" args="\'$(env HOME)\'"/>', "no closing quotation"),
            (
                '<node pkg="pack" exec="talker"><param name="x" type="int" value="2.5"/></node>',
                "'x' must be of type int, not '2.5'",
            ),
            (
                '<node pkg="pack" exec="talker"><param name="x" type="yaml" value="2"/></node>',
                "the type 'yaml' is not supported",
            ),
            ('<group if="maybe"/>', "'maybe' is neither true nor false"),
            ('<arg name="x" description="what for"/>', "give the argument 'x:=...' (what for)"),
            ('<node pkg="pack" exec="talker"><param from="no.yaml"/></node>', "no.yaml does not"),
        ],
    )
    def test_anything_else_is_refused_with_file_and_line(
        self, prefix: Path, body: str, says: str
    ) -> None:
        with pytest.raises(SaySoError, match=re.escape(says)) as refused:
            nodes_of(prefix, body)
        assert refused.value.code is Code.CONFIG
        assert "test.launch.xml:2: " in refused.value.message

    def test_outermost_tag_and_broken_xml(self, prefix: Path) -> None:
        path = prefix / "x.xml"
        path.write_text("<robot/>")
        with pytest.raises(SaySoError, match="<robot> is not supported as the outermost tag"):
            launch_file.parse(path)
        path.write_text("<launch><node></launch>")
        with pytest.raises(SaySoError, match="not well-formed XML: mismatched tag: line 1"):
            launch_file.parse(path)
        with pytest.raises(SaySoError, match="Cannot read"):
            launch_file.parse(prefix / "missing.xml")

    def test_unknown_argument_names_the_known_ones(self, prefix: Path) -> None:
        with pytest.raises(SaySoError, match="no argument 'sed'") as refused:
            nodes_of(prefix, '<arg name="seed" default="1"/>', sed="2")
        assert refused.value.choices == ("seed",)

    def test_package_that_is_not_installed(self, prefix: Path) -> None:
        with pytest.raises(SaySoError, match="'rviz2' is not installed"):
            nodes_of(prefix, '<node pkg="rviz2" exec="rviz2"/>')


@pytest.mark.parametrize("name", sorted(p.name for p in (ROOT / "launch").glob("*.xml")))
def test_every_shipped_launch_file_is_accepted(name: str) -> None:
    root = launch_file.parse(ROOT / "launch" / name)
    for argument in launch_file.declared_arguments(root):
        assert argument.description
        # `--show-args` prints it as it stands.
        assert not re.search(r"\s{2}", argument.description), argument.name


def python_node(name: str, code: str, shutdown_on_exit: bool = False) -> NodeProcess:
    return NodeProcess(
        name, (sys.executable, "-S", "-c", code), {"COLOUR": "red"}, shutdown_on_exit
    )


WAITS = "import sys, threading; print('ready', flush=True); threading.Event().wait()"
IGNORES_SIGINT = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); " + WAITS
IGNORES_TERM_TOO = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + IGNORES_SIGINT


class Lines(io.StringIO):
    """Text output that calls back on each line, so that tests wait on events."""

    def __init__(self, on_line: Mapping[str, threading.Event]) -> None:
        super().__init__()
        self.on_line = on_line

    def write(self, text: str) -> int:
        for part, event in self.on_line.items():
            if part in text:
                event.set()
        return super().write(text)


class TestRunning:
    def test_output_carries_the_name_and_success_is_zero(self) -> None:
        output = io.StringIO()
        code = "import os; print(os.environ['COLOUR']); print('two')"
        assert launch_runner.Runner([python_node("talker", code)], output).run() == 0
        assert "[talker] red\n[talker] two\n" in output.getvalue()
        assert "[launch] talker has ended, exit code 0" in output.getvalue()

    def test_failure_is_reported_and_the_others_go_on(self) -> None:
        output = io.StringIO()
        nodes = [python_node("bad", "raise SystemExit(3)"), python_node("good", "print('done')")]
        assert launch_runner.Runner(nodes, output).run() == 1
        assert "bad has ended, exit code 3" in output.getvalue()
        assert "[good] done" in output.getvalue()

    def test_end_of_a_marked_node_ends_all(self) -> None:
        output = io.StringIO()
        nodes = [python_node("waits", WAITS), python_node("world", "pass", shutdown_on_exit=True)]
        assert launch_runner.Runner(nodes, output).run() == 0
        assert "world has ended, so all others are stopped" in output.getvalue()
        assert re.search(r"waits has ended, (signal SIGINT|exit code)", output.getvalue())

    @pytest.mark.parametrize(
        ("code", "last"), [(IGNORES_SIGINT, "SIGTERM"), (IGNORES_TERM_TOO, "SIGKILL")]
    )
    def test_a_node_that_does_not_listen_is_ended_harder(self, code: str, last: str) -> None:
        ready = threading.Event()
        output = Lines({"[deaf] ready": ready})
        runner = launch_runner.Runner([python_node("deaf", code)], output, grace_s=0.2)
        stopper = threading.Thread(target=lambda: ready.wait(20) and runner.request_stop())
        stopper.start()
        assert runner.run() == 0
        stopper.join()
        assert f"deaf has ended, signal {last}" in output.getvalue()
        assert "deaf still running after SIGINT" in output.getvalue()

    def test_second_request_does_not_wait_for_the_first(self) -> None:
        ready = threading.Event()
        output = Lines({"[deaf] ready": ready})
        runner = launch_runner.Runner([python_node("deaf", IGNORES_SIGINT)], output, grace_s=600)

        def stop_twice() -> None:
            ready.wait(20)
            runner.request_stop()
            runner.request_stop()

        threading.Thread(target=stop_twice).start()
        runner.run()
        assert "deaf has ended, signal SIGTERM" in output.getvalue()

    def test_children_of_a_node_end_with_it(self, tmp_path: Path) -> None:
        child = tmp_path / "child"
        code = (
            "import pathlib, signal, subprocess, sys; "
            f"c = subprocess.Popen([sys.executable, '-S', '-c', {WAITS!r}]); "
            f"pathlib.Path({str(child)!r}).write_text(str(c.pid)); c.wait()"
        )
        ready = threading.Event()
        output = Lines({"[parent] ready": ready})
        runner = launch_runner.Runner([python_node("parent", code)], output)
        threading.Thread(target=lambda: ready.wait(20) and runner.request_stop()).start()
        runner.run()
        # Its pipe is ours as well: the runner has read it to its end, so the child has let go.
        assert not Path(f"/proc/{child.read_text()}/fd/1").exists()

    def test_logs_go_to_one_file_each(self, tmp_path: Path) -> None:
        output = io.StringIO()
        nodes = [python_node("talker", "print('one')"), python_node("talker", "print('two')")]
        launch_runner.Runner(nodes, output, log_folder=tmp_path / "logs").run()
        assert (tmp_path / "logs/talker.log").read_text() == "one\n"
        assert (tmp_path / "logs/talker_2.log").read_text() == "two\n"
        assert "one" not in output.getvalue()

    def test_a_program_that_cannot_start_ends_those_that_did(self) -> None:
        output = io.StringIO()
        nodes = [python_node("waits", WAITS), NodeProcess("none", ("/no/such/program",), {}, False)]
        with pytest.raises(SaySoError, match="Cannot start /no/such/program"):
            launch_runner.Runner(nodes, output).run()
        assert "waits has ended" in output.getvalue()


class TestCommandLine:
    @pytest.fixture
    def command_environment(self, prefix: Path) -> dict[str, str]:
        talker = prefix / "lib/pack/talker"
        talker.write_text(f"#!{sys.executable} -S\n{WAITS}\n")
        talker.chmod(talker.stat().st_mode | stat.S_IXUSR)
        (prefix / "share/pack/launch/one.launch.xml").write_text(
            '<launch><arg name="seed" default="1" description="of the layout"/>'
            '<node pkg="pack" exec="talker" args="$(var seed)"/></launch>'
        )
        return {**os.environ, "AMENT_PREFIX_PATH": str(prefix), "PYTHONPATH": str(ROOT / "src")}

    def run(self, env: Mapping[str, str], *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "sayso.ros.launch.launch_runner", *words],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def test_interrupt_ends_the_nodes_and_succeeds(
        self, command_environment: dict[str, str]
    ) -> None:
        with self.run(command_environment, "pack", "one.launch.xml", "seed:=5") as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line == "[talker] ready\n":
                    process.send_signal(signal.SIGINT)
                    break
            rest = process.stdout.read()
            assert process.wait(20) == 0
        assert "[launch] stopping" in rest
        assert "talker has ended" in rest

    def test_show_args(self, command_environment: dict[str, str]) -> None:
        with self.run(command_environment, "pack", "one.launch.xml", "--show-args") as process:
            out, _ = process.communicate()
        assert out == "seed: of the layout (default '1')\n"

    def test_who_reads_only_the_first_arguments_sees_no_defect(
        self, command_environment: dict[str, str]
    ) -> None:
        with self.run(command_environment, "pack", "one.launch.xml", "--show-args") as process:
            assert process.stdout is not None and process.stderr is not None
            process.stdout.close()
            assert process.stderr.read() == ""
            assert process.wait(20) == 0

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (("pack", "two.launch.xml"), "no launch file 'two.launch.xml'. Valid: one.launch.xml"),
            (("pack", "one.launch.xml", ":=2"), "':=2' is not of the form name:=value"),
            (("a", "b", "c"), "Name a package and a launch file"),
            (("nopack", "one.launch.xml"), "'nopack' is not installed"),
        ],
    )
    def test_mistakes_are_named(
        self,
        command_environment: dict[str, str],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        words: tuple[str, ...],
        says: str,
    ) -> None:
        monkeypatch.setenv("AMENT_PREFIX_PATH", command_environment["AMENT_PREFIX_PATH"])
        assert launch_runner.main(words) == 2
        assert says in capsys.readouterr().err

    def test_nodes_end_with_who_launched_them_even_when_that_is_killed(
        self, command_environment: dict[str, str], tmp_path: Path
    ) -> None:
        log = tmp_path / "nodes.log"
        os.mkfifo(log)
        code = (
            "import pathlib, threading; from sayso.ros.launch import launching; "
            f"launching.launch_command = lambda *_: [{sys.executable!r}, '-m', "
            "'sayso.ros.launch.launch_runner', 'pack', 'one.launch.xml']\n"
            f"with launching.launched('', {{}}, pathlib.Path({str(log)!r})):\n"
            "    threading.Event().wait()"
        )
        command = [sys.executable, "-c", code]
        with (
            subprocess.Popen(command, env=command_environment) as caller,
            log.open(encoding="utf-8") as lines,
        ):
            assert any(line == "[talker] ready\n" for line in lines)
            caller.kill()
            # The file ends when nobody is left who writes into it.
            assert "talker has ended" in lines.read()


class TestTwoDemos:
    def test_the_second_in_one_domain_is_told_why_not(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        monkeypatch.setenv("ROS_DOMAIN_ID", "7")
        with launching.alone("left"):
            with pytest.raises(SaySoError, match="another demo runs in ROS domain 7") as refused:
                launching.alone("/left/").__enter__()
            assert refused.value.code is Code.BUSY
            with launching.alone("right"):
                pass
            monkeypatch.setenv("ROS_DOMAIN_ID", "8")
            with launching.alone("left"):
                pass
        monkeypatch.setenv("ROS_DOMAIN_ID", "7")
        with launching.alone("left"):
            pass
