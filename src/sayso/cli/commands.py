"""What the commands do that work without nodes, and which world a demo is in."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from sayso.adapters import registry
from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.adapters.llm import options as model_options
from sayso.cli.demo_options import DEMO_INSTRUCTIONS, require_options_that_count
from sayso.core import library
from sayso.core.clock import SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.scene import Scene
from sayso.core.vocabulary import Vocabulary
from sayso.evaluation.interpret.options import TASKS

if TYPE_CHECKING:
    from sayso.mission.in_process import Confirm
    from sayso.mission.stages import Answer
    from sayso.reporting.events import Understanding


def demo(options: argparse.Namespace, console: Console) -> int:
    """Starts the world that the options name, and performs or is taught in it."""
    require_options_that_count(options)
    if options.teach_skill:
        return _teach_skill(options, console)
    if options.world in ("play_table", "boil_water", "make_tea"):
        return _play_table(options, console)
    if options.world not in DEMO_INSTRUCTIONS:
        return _teach(options, console)
    options.lessons = options.lessons or 4
    options.staged = options.instruction is None and not options.console
    if options.staged:
        options.instruction = DEMO_INSTRUCTIONS[options.world]
    if options.world == "virtualhome":
        return _keep_house(options, console)
    if options.world == "errands":
        return _run_errand(options, console)
    from sayso.ros.task import demo_command

    return demo_command.demo(options, console)


def evaluate(options: argparse.Namespace, console: Console) -> int:
    """Runs a suite; that of the simulated arm starts nodes."""
    if getattr(options, "world", "") == "arm":
        from sayso.evaluation.interpret.arm_study import study

        return study(options, console)
    from sayso.evaluation import command as evaluation

    return evaluation.evaluate(options, console)


def _teach(options: argparse.Namespace, console: Console) -> int:
    from sayso.evaluation.interpret.demonstration import demonstrate

    if options.instruction:
        raise SaySoError(
            Code.INVALID,
            f"the tasks of {options.world} are made from the seed; it takes no instruction.",
            hint="leave the instruction out, or choose --world table or flat.",
        )
    options.lessons = options.lessons or TASKS
    if options.world != "kitchen2d":
        from sayso.worlds.domains.choosing import domain_named

        domain_named(options.world)  # what is wrong with it is told before any folder is made
    return demonstrate(options, _run_folder(options), console)


def _teach_skill(options: argparse.Namespace, console: Console) -> int:
    from sayso.evaluation.halp.demo import demonstrate

    if options.world != "table" or options.teach:
        raise SaySoError(
            Code.INVALID,
            "a skill is taught on the table, in one process.",
            hint="give --teach-skill with an instruction, --seed, --confirm or --record alone.",
        )
    folder, confirm = _run_folder(options), _confirming(options, console)
    what, words = options.teach_skill, options.instruction
    return 0 if demonstrate(what, words, options.seed, folder, confirm, console) else 1


def _play_table(options: argparse.Namespace, console: Console) -> int:
    from sayso.evaluation.table_run.play import demonstrate

    folder, confirm = _run_folder(options), _confirming(options, console)
    words, seed = options.instruction, options.seed
    if options.joined:
        from sayso.evaluation.table_run import joined

        return 0 if joined.demonstrate(words, seed, folder, confirm, console).succeeded else 1
    return 0 if demonstrate(options.world, words, seed, folder, confirm, console) else 1


def _run_folder(options: argparse.Namespace) -> Path:
    from sayso.reporting.report import new_run_folder

    return new_run_folder(options.record)


def _confirming(options: argparse.Namespace, console: Console, told: bool = False) -> Confirm:
    """Asks the person at this terminal, where that is wanted; told: what to has been shown."""
    from sayso.mission.confirmation import answered, question
    from sayso.mission.stages import Answer, Decision
    from sayso.reporting.terminal import ask

    def confirm(understanding: Understanding) -> Answer:
        if options.confirm != "ask":
            return Answer(Decision.YES)

        def hear() -> Answer:
            if not told:
                console.print(question(understanding), highlight=False)
            return ask(console)

        return answered(understanding, hear)

    return confirm


def domain(options: argparse.Namespace, console: Console) -> int:
    from sayso.evaluation.interpret import domain_command

    if options.what == "new":
        return domain_command.new(Path(options.folder), console)
    if options.what == "check":
        return domain_command.check(options.folder, console)
    return domain_command.teach(options, console)


def _keep_house(options: argparse.Namespace, console: Console) -> int:
    from sayso.worlds.virtualhome.demo import demonstrate

    folder, confirm = _run_folder(options), _confirming(options, console, told=True)
    words, seed = options.instruction, options.seed
    return 0 if demonstrate(words, seed, CharacterNgrams(), confirm, folder, console) else 1


def _run_errand(options: argparse.Namespace, console: Console) -> int:
    from sayso.worlds.errands.demo import demonstrate

    folder, confirm = _run_folder(options), _confirming(options, console)
    words, seed = options.instruction, options.seed
    return 0 if demonstrate(words, seed, CharacterNgrams(), folder, confirm, console) else 1


def run_program(options: argparse.Namespace, console: Console) -> int:
    """Performs a program on the table without physics; 0 if what it is for was observed."""
    from sayso.evaluation.backends import connect
    from sayso.mission.programs.functions import described
    from sayso.mission.programs.stages import words_of
    from sayso.mission.programs.writing import Given, ModelProgrammer, Programmer
    from sayso.reporting.terminal import TerminalView
    from sayso.worlds.kinematic_table import run_program

    known = library.load(options.library or library.builtin_path())
    if options.functions:
        console.print(described(known), markup=False, highlight=False)
        return 0
    if (options.program is None) == (options.task is None):
        raise SaySoError(
            Code.INVALID,
            "either a program or a task is performed.",
            hint="name a Python file, or give --task WORDS and a language model.",
        )

    model = connect(model_options.access(options))
    if options.task is not None:
        words = options.task
        programmer: Programmer = ModelProgrammer(model)
    else:
        source = _read(options.program)
        words, programmer = words_of(source), Given(source)
    confirm = _confirming(options, console, told=True)
    view, given = TerminalView(console), (known, confirm, CharacterNgrams())
    if options.simulated:
        from sayso.evaluation.table_run.programs import run_program as run_simulated

        done = run_simulated(programmer, words, *given, view.show, options.seed, model or None)
    else:
        console.print("A table without physics: motions are skipped, all else is real.")
        done = run_program(programmer, words, *given, view.show, model or None)
    return 0 if done.succeeded else 1


def read_instructions(options: argparse.Namespace, console: Console) -> int:
    """What instructions mean; 1 if anything has to be asked, or is refused."""
    from sayso.mission.understanding import TaskInterpreter
    from sayso.reporting.events import EventEmitter, EventKind
    from sayso.reporting.terminal import TerminalView

    known, scene = _things(options.world, options.scene)
    if options.library:
        known = library.load(library.named(options.library))
    model = model_options.access(options).connect()
    parser = registry.create("dependency_parser", "spacy")
    interpreter = TaskInterpreter(known, lambda _: scene, model, parser=parser)
    view, clear = TerminalView(console), True
    for words in options.instructions or map(str.strip, sys.stdin):
        events = EventEmitter(view.show, SteadyClock())
        events.emit(EventKind.INSTRUCTION, "interpret", words)
        try:
            read = interpreter.interpret(words)
            trouble = read.trouble
            events.emit(EventKind.SPECIFICATION, "interpret", understanding=read)
        except SaySoError as error:
            trouble = error
        if trouble is not None:
            clear = False
            _show_trouble(trouble, words, console)
    return 0 if clear else 1


def _things(world: str, scene: str) -> tuple[Library, Scene]:
    """A world's library, and what is there. Raises INVALID for a scene that it has not."""
    if world == "flat":
        from sayso.evaluation.limp.scenes import flat_library, true_objects
        from sayso.worlds.flat.choosing import read_scene

        return flat_library(), Scene(0.0, true_objects(read_scene(scene, 0)))
    from sayso.worlds.kinematic_table import example_objects

    if scene:
        raise SaySoError(
            Code.INVALID, "--scene is of the flat.", hint="leave it out, or add --world flat."
        )
    return library.load(library.builtin_path()), Scene(0.0, example_objects())


def _show_trouble(error: SaySoError, words: str, console: Console) -> None:
    """Why an instruction is not taken as it stands, and what could be said."""
    console.print(f"\n[bold]{error.code.name}[/]")
    said = filter(None, (error.message, error.pointed_at(words)))
    for line in "\n".join(said).splitlines():
        console.print(f"  {line}", markup=False, highlight=False)
    for title, text in (("Valid", ", ".join(error.choices)), ("Next", error.hint)):
        if text:
            console.print(f"  {title}: {text}", markup=False, highlight=False)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise SaySoError(
            Code.INVALID, f"{file} cannot be read: {error}.", hint="name a text file."
        ) from error


def show_scene(options: argparse.Namespace, console: Console) -> int:
    """What stands in a flat, after it was written where that is wanted."""
    from sayso.worlds.flat.choosing import read_scene
    from sayso.worlds.flat.scene_file import to_yaml
    from sayso.worlds.flat.sdf import to_sdf

    scene = read_scene(options.scene or "", options.seed or 0)
    for file, as_text in ((options.sdf, to_sdf), (options.yaml, to_yaml)):
        if file is not None:
            _write(file, as_text(scene))
            console.print(f"Written: {file}", markup=False, highlight=False)
    for title, things in (
        ("rooms", [r.name for r in scene.rooms]),
        ("doors", [d.name for d in scene.doors]),
        ("things", [i.name for i in scene.items]),
        ("walkers", [w.name for w in scene.walkers]),
    ):
        text = f"{title + ':':9}{', '.join(things) or 'none'}"
        console.print(text, markup=False, highlight=False)
    return 0


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SaySoError(
            Code.INVALID,
            f"{file} cannot be written: {error.strerror}.",
            hint="name a file in a folder that is there and may be written to.",
        ) from error


def _show_versions(options: argparse.Namespace, console: Console) -> int:
    """All versions of a learned library, after another was put to use if that is wanted."""
    from sayso.ros.teaching.learning_folder import LearningFolder

    path = options.path
    if path is None or not (path / "versions").is_dir():
        raise SaySoError(
            Code.INVALID,
            f"{path or 'the built-in library'} has no versions: nothing was learned there.",
            hint="name the folder of a learner.",
        )
    with closing(LearningFolder(path)) as folder:
        if options.undo:
            folder.undo()
        if options.use is not None:
            folder.use(options.use)
        for version in folder.versions.all():
            mark = ">" if version.number == folder.versions.current else " "
            line = f"{mark} {version.number} (after {version.parent}): {version.why}"
            console.print(line, markup=False, highlight=False)
    return 0


def show_library(options: argparse.Namespace, console: Console) -> int:
    """What a library has, or its versions."""
    if options.versions or options.undo or options.use is not None:
        return _show_versions(options, console)
    shown = library.load(options.path or library.builtin_path())
    if options.pddl:
        from sayso.planning.pddl import domain_text

        console.print(domain_text(shown), markup=False, highlight=False)
        return 0
    console.print(f"[bold]Library {escape(shown.name)}[/]\n\n[bold]Predicates[/]")
    for predicate in shown.predicates.values():
        origin = escape(str(predicate.provenance.get("origin", "unknown")))
        signature = f"{predicate.name}({', '.join(predicate.parameters)})"
        words = escape(f"{signature:18} {predicate.english}")
        console.print(f"  {words}  [dim]{origin}[/]", highlight=False)
    console.print("\n[bold]Operators[/]")
    for operator in shown.operators.values():
        console.print(f"  {operator.name}({', '.join(operator.parameters)})", highlight=False)
        for label, items in (
            ("needs", operator.preconditions),
            ("makes true", operator.add),
            ("makes false", operator.delete),
            ("meanwhile", operator.during),
        ):
            if items:
                text = ", ".join(sorted(map(str, items)))
                console.print(f"    {label + ':':12} {text}", highlight=False, markup=False)
        tries = shown.operator_provenance.get(operator.name, {})
        if "tries" in tries:
            text = f"as predicted in {tries['successes']:g} of {tries['tries']} tries"
            console.print(f"    {'learned:':12} {text}", highlight=False, markup=False)
    _show_words(shown.vocabulary, console)
    return 0


def _show_words(vocabulary: Vocabulary, console: Console) -> None:
    """What can be said with a library: its verbs, and the nouns of each kind of thing."""
    console.print("\n[bold]Words[/]")
    for action in vocabulary.actions:
        console.print(f"  {'; '.join(action.say)}", highlight=False, markup=False)
    for kind in vocabulary.kinds:
        text = f"  {', '.join(sorted(kind.types)) or 'thing'}: {', '.join(kind.nouns)}"
        console.print(text, highlight=False, markup=False)
