"""`sayso demo --world table --teach`: one training with a person's words, then a harder task."""

from __future__ import annotations

import argparse
import queue
import threading
from pathlib import Path

from rich.console import Console
from sayso_ros.msg import Feedback, LearningEvent

from sayso.adapters.llm import options as model_options
from sayso.core import library
from sayso.core.errors import Code, SaySoError
from sayso.mission.stages import Decision
from sayso.planning.pddl import domain_text
from sayso.reporting.story import LINES, PAGE, Story
from sayso.reporting.terminal import ask
from sayso.ros.launch.launch_log import page_address
from sayso.ros.task.run_folder import Camera
from sayso.ros.task.table_trials import Teaching, run_trial, teaching_nodes
from sayso.ros.task.teach_story import tell_event
from sayso.worlds.table.tasks import TableTask, table_tasks
from sayso.worlds.table.trial import Trial

DOMAIN, SEED = "store", 0
_TITLE = "What the robot was taught"
_EXPLAINED = (
    "explained what was wrong, in words; from that it wrote predicates, and from what its actions "
    "did, operators."
)
_FEEDBACK = {
    Decision.YES: Feedback.CONFIRM,
    Decision.NO: Feedback.REJECT,
    Decision.CORRECTION: Feedback.EXPLANATION,
}
_PICTURED = (LearningEvent.ACTION, LearningEvent.DONE)


def teach(options: argparse.Namespace, folder: Path, console: Console) -> int:
    """Train, then perform a combined task; 0 if that was truly reached.

    Raises:
        SaySoError: CONFIG for another world; NODE_UNAVAILABLE if the nodes do not come up.
    """
    if options.world != "table":
        raise SaySoError(Code.CONFIG, "--teach needs --world table.")
    simulated = options.person == "simulated"
    arguments = {
        "library": str(folder / "library"),
        "namespace": options.namespace,
        "seed": str(options.seed),
        "task_seed": str(SEED),
        "noise": str(not options.no_noise).lower(),
        "speed": str(float(options.speed)),
        "simulated_person": str(simulated).lower(),
        "segmenter": options.segmenter,
        **model_options.launch_arguments(options),
        "run_folder": str(folder),
        "console": str(options.console).lower(),
    }
    story = Story(folder, console)
    person = "A simulated person" if simulated else "A person"
    opening = f"It began without symbols. {person} {_EXPLAINED}"
    happened: queue.SimpleQueue[LearningEvent] = queue.SimpleQueue()
    console.print(f"Starting nodes; who teaches: the {options.person} person.", highlight=False)
    try:
        with teaching_nodes(arguments, folder / "nodes.log", happened.put) as teaching:
            page = page_address((folder / "nodes.log").read_text(errors="replace"))
            if page:
                console.print(f"Console: {page}", highlight=False, markup=False)
            course = _Lessons(teaching, happened, story, console, simulated)
            for task in lessons(options.lessons):
                course.run(task)
            course.learned(folder / "library")
            last = course.run(table_tasks(DOMAIN, "combined", SEED, 1)[0])
    finally:
        story.write(_TITLE, opening)
        console.print(f"Run folder: [bold]{folder}[/]", highlight=False)
        console.print(
            f"  {PAGE} and {LINES} tell the story; library/ holds what was learned; nodes.log"
        )
    return 0 if last.reached else 1


def lessons(count: int) -> list[TableTask]:
    """So many training tasks, those with most in the way first: there is most to explain."""
    tasks = table_tasks(DOMAIN, "training", SEED)
    return sorted(tasks, key=lambda task: -len(task.stacked))[:count]


class _Lessons:
    """Tasks one after another, shown to who is at the terminal, who answers or only watches."""

    def __init__(
        self,
        teaching: Teaching,
        happened: queue.SimpleQueue[LearningEvent],
        story: Story,
        console: Console,
        simulated: bool,
    ) -> None:
        self._teaching = teaching
        self._happened = happened
        self._story = story
        self._console = console
        self._simulated = simulated
        topic = "camera/overview/color/image_raw/compressed"
        self._camera = Camera(teaching.client.node, topic)

    def run(self, task: TableTask) -> Trial:
        """One task, shown while it goes on. Raises what it broke off with."""
        training = task.test_set == "training"
        title = f"{'Practice' if training else 'Test'}: {task.words}"
        self._story.chapter(title)
        ended: list[Trial] = []
        worker = threading.Thread(target=lambda: ended.append(self._trial(task)), daemon=True)
        worker.start()
        while worker.is_alive() or not self._happened.empty():
            try:
                self._show(self._happened.get(timeout=0.2))
            except queue.Empty:
                continue
        trial = ended[0]
        if trial.broken:
            raise SaySoError(
                Code[trial.code], trial.message, hint="read nodes.log in the run folder."
            )
        verdict = "The goal is truly reached." if trial.reached else "The goal is not reached."
        self._story.remark(f"{verdict} {trial.actions} actions. {trial.message}".strip())
        self._story.picture(self._camera.newest(), "in the end")
        return trial

    def learned(self, folder: Path) -> None:
        """The operators, as the planner has them."""
        self._story.chapter("What was learned")
        self._story.code(domain_text(library.load(folder)), "lisp")

    def _trial(self, task: TableTask) -> Trial:
        return run_trial(self._teaching.trials, task, SEED)

    def _show(self, event: LearningEvent) -> None:
        tell_event(self._story, event)
        if event.kind in _PICTURED:
            self._story.picture(self._camera.newest(), event.text)
        if event.id and not self._simulated:
            self._answer(event)

    def _answer(self, event: LearningEvent) -> None:
        """What the person at the terminal says; Enter is a yes, or nothing to say."""
        answer = ask(self._console, "[bold]Enter[/], [bold]no[/], or say why")
        kind = _FEEDBACK[answer.decision]
        words = answer.words if kind == Feedback.EXPLANATION else ""
        try:
            self._teaching.client.give_feedback(kind, words, event.id)
        except SaySoError as error:
            self._story.remark(str(error))
