"""`sayso eval`: the options that all suites share, and the run with its progress."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sayso.adapters import registry
from sayso.adapters.llm import options as model_options
from sayso.adapters.vision.finder_options import add_finder_options, finder_settings
from sayso.adapters.vision.finders import SIMULATOR
from sayso.core.errors import Code, SaySoError
from sayso.evaluation import runner
from sayso.evaluation.backends import Stages
from sayso.evaluation.baselines import code_writing, step_list
from sayso.evaluation.blade import options as blade
from sayso.evaluation.cape import options as cape
from sayso.evaluation.cape.strategies import STRATEGIES
from sayso.evaluation.cases import Origin, Row, SuiteSpec
from sayso.evaluation.halp import options as halp
from sayso.evaluation.interpret import options as interpret
from sayso.evaluation.limp.options import METHODS, PERCEPTIONS
from sayso.evaluation.report import Prices
from sayso.evaluation.upsets import options as upsets
from sayso.language import one_stage, two_stage
from sayso.learning.model import coder, reader
from sayso.mission.model_repair import PROMPT as REPAIR
from sayso.mission.programs.writing import PROMPTS as PROGRAM

Options = argparse.Namespace


@dataclass(frozen=True)
class Entry:
    """A suite that is offered.

    Attributes:
        help: one line.
        add: gives the suite's parser its own options.
        spec: what they, with the shared ones, mean.
        prompts: names and versions of what a model would be asked.
    """

    help: str
    add: Callable[[argparse.ArgumentParser], None]
    spec: Callable[[Options], SuiteSpec]
    prompts: Callable[[Options], tuple[tuple[str, int], ...]]


def add_suites(command: argparse.ArgumentParser) -> None:
    """A parser for each suite, with its own options and the shared ones."""
    suites = command.add_subparsers(
        dest="suite", required=True, metavar="SUITE", help="what to evaluate"
    )
    for name, entry in SUITES.items():
        parser = suites.add_parser(name, help=entry.help, description=entry.help)
        entry.add(parser)
        _add_model_options(parser)
        _add_run_options(parser)


def evaluate(options: Options, console: Console) -> int:
    """Runs the suite that the options name and prints its report; 0 if every case was run."""
    entry = SUITES[options.suite]
    origin = Origin(
        seed=options.seed,
        commit=source_commit(),
        backend=_backend(options),
        revision=_revision(options, entry),
    )
    options.out = folder = options.out or _new_folder(options.suite)
    pool = _pool(options)
    rows = _with_progress(entry.spec(options), origin, options, pool, console)
    report = (folder / "report.md").read_text(encoding="utf-8")
    console.print(report, markup=False, highlight=False)
    console.print(f"Rows and report: {folder}", highlight=False)
    unfinished = sum(r.code in runner.AGAIN for r in rows)
    if unfinished:
        console.print(f"{unfinished} cases broke off; --out {folder} runs them again.")
    return 1 if unfinished else 0


def _new_folder(suite: str) -> Path:
    return Path("runs") / f"{datetime.now():%Y-%m-%d_%H-%M-%S}-eval-{suite}"


def _with_progress(
    spec: SuiteSpec, origin: Origin, options: Options, pool: Any, console: Console
) -> tuple[Row, ...]:
    prices = Prices(*options.price) if options.price else None
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(spec.name, total=None)

        def tell(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return runner.run(spec, origin, options.out, pool, tell, prices)


# -- shared options ------------------------------------------------------------------------


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("language model")
    group.add_argument(
        "--llm", default="none", metavar="NAME", help="none (default), openai or replay"
    )
    group.add_argument("--base-url", default="", help="of an OpenAI-compatible server")
    group.add_argument("--model", default="", help="the model's name")
    group.add_argument("--cassette", default="", metavar="FILE", help="recorded replies to replay")
    group.add_argument(
        "--record",
        default="",
        metavar="FILE",
        help="keep the replies in this file, and do not ask again for those that it has (default: "
        "replies.jsonl in the run's folder)",
    )
    group.add_argument(
        "--price",
        type=float,
        nargs=2,
        metavar=("PROMPT", "COMPLETION"),
        help="for a million tokens of each, to reckon the cost",
    )
    model_options.add(group, "--timeout")


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("run")
    group.add_argument("--seed", type=int, default=0, help="of all random choices")
    group.add_argument(
        "--pool",
        choices=registry.names("worker_pool"),
        default="local",
        help="local: processes here; ray: a Ray cluster (extra sayso[ray])",
    )
    group.add_argument("--workers", type=int, default=1, metavar="N", help="processes")
    group.add_argument("--address", default="", help="of a running Ray cluster, such as auto")
    group.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="rows and report; a run that was stopped goes on there (default: a new folder)",
    )


def _pool(options: Options) -> Any:
    given = {"address": options.address} if options.address else {}
    if given and options.pool == "local":
        raise SaySoError(Code.CONFIG, "--address is an option of --pool ray.")
    return registry.create("worker_pool", options.pool, workers=options.workers, **given)


def _access(options: Options) -> dict[str, Any]:
    """How the model is reached, with its replies kept."""
    llm, cassette = options.llm, options.cassette
    if options.record and llm in ("none", "replay"):
        raise SaySoError(
            Code.CONFIG, f"--record has nothing to record with --llm {llm}.",
            hint="name the model to ask, such as --llm openai.",
        )  # fmt: skip
    if cassette and llm == "none":
        raise SaySoError(Code.CONFIG, "--cassette needs --llm replay.")
    if not cassette and llm not in ("none", "replay"):
        # Of all the workers and cases that ask the same, only one is to pay for it.
        llm, cassette = f"cached[{llm}]", options.record or str(options.out / "replies.jsonl")
    # Worker processes may run in another folder.
    place = str(Path(cassette).resolve()) if cassette else ""
    return asdict(model_options.access(options, llm, place))


def _backend(options: Options) -> str:
    if getattr(options, "given", False):
        return "gold formulas given"
    if options.llm == "none":
        return "no model" if options.suite in ("cape", "upsets") else "controlled English"
    model = str(options.model or f"{options.llm}, no model named")
    by_both = getattr(options, "only_model", None) is False
    if by_both and getattr(options, "method", "limp") == "limp":
        return f"controlled English, then {model}"
    return model


def _revision(options: Options, entry: Entry) -> str:
    """The prompts' versions: what else decides a model's replies."""
    if options.llm == "none":
        return ""
    return " ".join(f"{name}.v{number}" for name, number in entry.prompts(options))


def source_commit() -> str:
    """The commit of SaySo's source, with `+` if files differ from it; else the release."""
    git = ("git", "-C", str(Path(__file__).parent))
    try:
        head = subprocess.run(
            (*git, "rev-parse", "--short=12", "HEAD"), capture_output=True, text=True, check=True
        ).stdout.strip()
        changes = subprocess.run(
            (*git, "status", "--porcelain", "--untracked-files=no"),
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return _release()
    return f"{head}+" if changes.strip() else head


def _release() -> str:
    try:
        return f"release {version('sayso')}"
    except PackageNotFoundError:
        return "unknown"


# -- suites --------------------------------------------------------------------------------


def _add_limp_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "instructions", type=Path, help="JSON list of instructions with set, n and text"
    )
    parser.add_argument(
        "--gold", type=Path, metavar="FILE", help="gold formulas (default: those of SaySo)"
    )


def _add_stages(parser: argparse.ArgumentParser) -> None:
    default = Stages()
    group = parser.add_argument_group("translation by a model")
    group.add_argument(
        "--stages",
        type=int,
        choices=(1, 2),
        default=default.stages,
        help="2: plain LTL first, with examples chosen for the instruction (default: 1)",
    )
    group.add_argument(
        "--examples", choices=("similar", "random"), default="similar", help="how they are chosen"
    )
    group.add_argument("--examples-file", default="", metavar="CSV", help="default: SaySo's own")
    group.add_argument(
        "--embedder",
        choices=registry.names("embedder"),
        default=default.embedder,
        help="which sentences are alike (minilm: extra sayso[embeddings])",
    )
    group.add_argument("--count", type=int, default=default.count, help="of examples")
    group.add_argument(
        "--only-model",
        action="store_true",
        help="ask the model for every instruction (default: for those that controlled English "
        "does not cover)",
    )


def _stages(options: Options) -> Mapping[str, Any]:
    place = options.examples_file and str(Path(options.examples_file).resolve())
    stages = Stages(
        options.stages, options.examples, place, options.embedder, options.count, options.seed,
        options.only_model,
    )  # fmt: skip
    return asdict(stages) if options.llm != "none" else {}


def _limp_files(options: Options) -> dict[str, str]:
    gold = str(options.gold.resolve()) if options.gold else ""
    return {"instructions": str(options.instructions.resolve()), "gold": gold}


def _add_limp_language(parser: argparse.ArgumentParser) -> None:
    _add_limp_files(parser)
    _add_stages(parser)


def _limp_language(options: Options) -> SuiteSpec:
    given = {**_limp_files(options), "stages": _stages(options)}
    target = "sayso.evaluation.suites:LimpLanguage"
    return SuiteSpec("limp-language", target, given, {"access": _access(options)})


def _add_lang2ltl(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", type=Path, help="CSV file of lifted utterances and formulas")
    _add_stages(parser)


def _lang2ltl(options: Options) -> SuiteSpec:
    given = {"data": str(options.data.resolve()), "stages": _stages(options)}
    target = "sayso.evaluation.suites:Lang2Ltl"
    return SuiteSpec("lang2ltl", target, given, {"access": _access(options)})


def _add_limp_baselines(parser: argparse.ArgumentParser) -> None:
    _add_limp_files(parser)
    parser.add_argument(
        "--planner", choices=("steps", "code"), default="steps", help="what the model writes"
    )


def _limp_baselines(options: Options) -> SuiteSpec:
    if options.llm == "none":
        raise SaySoError(
            Code.CONFIG, "limp-baselines needs a language model.", hint="add --llm openai."
        )
    given = {**_limp_files(options), "planner": options.planner}
    target = "sayso.evaluation.suites:LimpBaselines"
    return SuiteSpec("limp-baselines", target, given, {"access": _access(options)})


def _add_limp(parser: argparse.ArgumentParser) -> None:
    _add_limp_files(parser)
    group = parser.add_argument_group("what is carried out")
    group.add_argument("--scenes", type=int, default=3, metavar="N", help="flats an instruction")
    group.add_argument(
        "--sets", nargs="+", default=[], metavar="SET", help="such as CT (default: all with gold)"
    )
    group.add_argument(
        "--given", action="store_true", help="give the gold formulas instead of the words"
    )
    group.add_argument(
        "--perception",
        choices=PERCEPTIONS,
        default="known",
        help="known: true map and things; camera: from the frames of a tour",
    )
    group.add_argument(
        "--method",
        "--baseline",
        dest="method",
        choices=METHODS,
        default="limp",
        help="limp, or a compared planner: saycan or code",
    )
    group.add_argument(
        "--path-planner",
        choices=registry.names("path_planner"),
        default="grid",
        help="of the way of each leg of a tour (--method limp)",
    )
    add_finder_options(parser)
    _add_stages(parser)


def _limp(options: Options) -> SuiteSpec:
    if options.method != "limp" and options.llm == "none":
        raise SaySoError(
            Code.CONFIG, f"--method {options.method} needs a language model.",
            hint="add --llm openai.",
        )  # fmt: skip
    if options.method != "limp" and options.given:
        raise SaySoError(Code.CONFIG, "--given is for --method limp: the others read words.")
    settings = finder_settings(options)
    if options.perception != "camera" and (settings or options.finder != SIMULATOR):
        raise SaySoError(
            Code.CONFIG, "a finder and its settings are for what a camera shows.",
            hint="add --perception camera.",
        )  # fmt: skip
    given = {
        **_limp_files(options),
        "scenes": options.scenes,
        "sets": options.sets,
        "given": options.given,
        "perception": options.perception,
        "method": options.method,
        "path_planner": options.path_planner,
        "finder": options.finder,
        "finder_settings": settings,
        "stages": {} if options.given or options.method != "limp" else _stages(options),
    }
    target = "sayso.evaluation.limp.suite:Limp"
    return SuiteSpec("limp", target, given, {"access": _access(options)})


def _limp_prompts(options: Options) -> tuple[tuple[str, int], ...]:
    if options.method == "limp":
        return () if options.given else _stage_prompts(options)
    return ({"saycan": step_list.PROMPT, "code": code_writing.PROMPT}[options.method],)


def _stage_prompts(options: Options) -> tuple[tuple[str, int], ...]:
    if options.stages == 1:
        return (one_stage.PROMPT,)
    return (two_stage.FIRST_PROMPT, two_stage.SECOND_PROMPT)


def _baseline_prompts(options: Options) -> tuple[tuple[str, int], ...]:
    return ({"steps": step_list.PROMPT, "code": code_writing.PROMPT}[options.planner],)


def _add_interpret(parser: argparse.ArgumentParser) -> None:
    default = interpret.Course()
    group = parser.add_argument_group("training and testing")
    group.add_argument(
        "--domains", nargs="+", default=list(interpret.DOMAINS), metavar="DOMAIN",
        help="store, table, cook (StoreObjects, SetTable, CookMeal, the default), lighting, "
        "sorting, discs, tools, or folders of domains",
    )  # fmt: skip
    group.add_argument("--seeds", type=int, default=3, metavar="N", help="runs of each domain")
    group.add_argument(
        "--style", choices=interpret.STYLES, default=default.style, help="of the person's words"
    )
    group.add_argument(
        "--wrong", type=float, default=default.wrong, metavar="SHARE",
        help="of the person's explanations that are wrong",
    )  # fmt: skip
    group.add_argument(
        "--noise", type=float, default=default.noise, metavar="SHARE",
        help="of the actions in the 2D kitchen's training that fail or are seen wrongly by chance",
    )  # fmt: skip
    group.add_argument(
        "--strategy", choices=interpret.STRATEGIES, default=default.strategy,
        help="what is tried where no plan is followed",
    )  # fmt: skip
    group.add_argument(
        "--priors", default=default.priors, metavar="FILE|none",
        help="what is known of words, kinds and usual tolerances before anybody says anything",
    )  # fmt: skip
    group.add_argument(
        "--transfer-from", default="", metavar="DOMAIN",
        help="learn this domain first and keep its predicates",
    )  # fmt: skip
    group.add_argument(
        "--unmet", type=int, default=default.unmet, metavar="N",
        help="proposals after each training task of what was never tried so (default: none)",
    )  # fmt: skip
    group.add_argument("--training", type=int, help="training tasks (default: 10)")
    group.add_argument(
        "--testing", type=int, help="tasks of a test set (default: 10; on the arm 5)"
    )
    group.add_argument(
        "--baseline", choices=interpret.BASELINES, default="", help="test another planner"
    )
    group.add_argument(
        "--world", choices=interpret.WORLDS, default=interpret.WORLDS[0],
        help="kitchen2d, or arm: the simulated table over ROS (store and table)",
    )  # fmt: skip
    group.add_argument(
        "--speed", type=float, default=1.0, metavar="N",
        help="of the arm's world: simulated seconds per second, at most",
    )  # fmt: skip


def _tasks(given: int | None) -> int:
    return interpret.TASKS if given is None else given


def _interpret(options: Options) -> SuiteSpec:
    course = interpret.Course(
        options.style, options.wrong, options.strategy, options.transfer_from,
        _tasks(options.training), _tasks(options.testing), options.noise, options.priors,
        options.unmet,
    )  # fmt: skip
    given = {
        "domains": options.domains,
        "seeds": options.seeds,
        "first": options.seed,
        "course": asdict(course),
        "baseline": options.baseline,
    }
    target = "sayso.evaluation.interpret.suite:Interpret"
    access = {"access": _access(options), "folder": str(options.out.resolve())}
    return SuiteSpec("interpret", target, given, access)


def _add_predicates(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--labels", type=int, nargs="+", default=[10, 30], metavar="N", help="right labels for each"
    )
    parser.add_argument(
        "--priors", default=interpret.PRIORS[0], metavar="FILE|none",
        help="what is known of words, kinds and usual tolerances beforehand",
    )  # fmt: skip
    parser.add_argument("--half", choices=interpret.HALVES, default="all", help="by number")


def _predicates(options: Options) -> SuiteSpec:
    if options.llm != "none":
        raise SaySoError(Code.CONFIG, "the suite predicates is about learning without a model.")
    given = {"labels": options.labels, "priors": options.priors, "half": options.half}
    return SuiteSpec("predicates", "sayso.evaluation.interpret.unnamed:Unnamed", given)


def _interpret_prompts(options: Options) -> tuple[tuple[str, int], ...]:
    asked = (interpret.PROMPTS[options.baseline],) if options.baseline else ()
    if options.baseline and options.baseline not in interpret.TRAINED_BASELINES:
        return asked
    return (
        *asked, reader.GOAL_PROMPT, reader.UNSATISFIED_PROMPT, reader.INFEASIBLE_PROMPT,
        reader.TRANSLATE_PROMPT, coder.CODE_PROMPT, coder.CORRECT_PROMPT,
    )  # fmt: skip


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sentences", type=int, default=2000, metavar="N", help="for each library")
    parser.add_argument(
        "--insertions", type=int, default=100, metavar="N",
        help="sentences of each library into which words are put that change a meaning",
    )  # fmt: skip


def _language(options: Options) -> SuiteSpec:
    if options.llm != "none":
        raise SaySoError(Code.CONFIG, "the suite language is about controlled English alone.")
    given = {"sentences": options.sentences, "insertions": options.insertions}
    return SuiteSpec("language", "sayso.evaluation.language.suite:Language", given)


def _add_cape(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is carried out")
    group.add_argument(
        "--part", choices=tuple(cape.PARTS),
        help="; ".join(f"{name}: {what}" for name, what in cape.PARTS.items())
        + " (default: words with --strategy, else gold)",
    )  # fmt: skip
    group.add_argument(
        "--strategy", nargs="+", default=[], metavar="NAME", choices=tuple(STRATEGIES),
        help=f"for --part words, one or several of {', '.join(STRATEGIES)}",
    )  # fmt: skip
    group.add_argument(
        "--plan", choices=cape.PLANS, default=cape.PLANS[0],
        help="whether a model says a plan step by step or as a whole (--part words)",
    )  # fmt: skip
    group.add_argument(
        "--goal", choices=cape.GOALS, default=cape.GOALS[0],
        help="whether repairs see it and a model is told it (--part perturbed and words)",
    )  # fmt: skip
    group.add_argument(
        "--titles", choices=cape.TITLES, default=cape.TITLES[0],
        help="whether tasks of a task's own title may be examples for it (--part words)",
    )  # fmt: skip
    group.add_argument(
        "--embedder", choices=registry.names("embedder"), default="character_ngrams",
        help="which tasks and actions are alike (minilm: extra sayso[embeddings])",
    )  # fmt: skip
    group.add_argument(
        "--votes", type=Path, metavar="CSV", help="case, person and correct: people's judgements"
    )
    group.add_argument(
        "--every", type=int, default=1, metavar="N", help="only each N-th of the tasks"
    )
    group.add_argument("--limit", type=int, default=0, metavar="N", help="at most so many cases")
    group.add_argument(
        "--copies", type=int, default=2, metavar="N", help="of each error in each program"
    )
    group.add_argument(
        "--steps", type=int, default=60, metavar="N", help="random steps from each task's beginning"
    )


def _cape(options: Options) -> SuiteSpec:
    part = options.part or ("words" if options.strategy else "gold")
    if part != "words" and (options.llm != "none" or options.strategy):
        raise SaySoError(
            Code.CONFIG, f"--part {part} has no plans in words: it asks no model.",
            hint="leave --part out, or take --part words.",
        )  # fmt: skip
    names = ("every", "goal", "copies", "steps", "titles", "embedder", "plan", "limit")
    given = {
        **{n: getattr(options, n) for n in names},
        "part": part,
        "strategies": options.strategy or ["rules"],
    }
    access = {**_access(options), "logprobs": True}
    votes = str(options.votes.resolve()) if options.votes else ""
    target = "sayso.evaluation.cape.suite:Cape"
    return SuiteSpec("cape", target, given, {"access": access, "votes": votes})


def _cape_prompts(options: Options) -> tuple[tuple[str, int], ...]:
    from sayso.mission.word_planner import PROMPTS

    asked = PROMPTS[options.plan]
    return (asked, REPAIR) if any(STRATEGIES[s].asks_model for s in options.strategy) else (asked,)


def _add_halp(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--part", choices=halp.PARTS, default="skills",
        help="skills: taught and tried; decisions: whether a skill is asked for when it is lacking",
    )  # fmt: skip
    parser.add_argument(
        "--task-files", type=Path, nargs="+", default=[], metavar="FILE",
        help="decisions: further tasks, as JSON lines",
    )  # fmt: skip
    parser.add_argument(
        "--tasks", nargs="+", choices=halp.TASKS, default=list(halp.TASKS), help="what is shown"
    )
    parser.add_argument(
        "--learners", nargs="+", choices=registry.names("motion_learner"), default=["mixtures"],
        help="mixtures, or what they are compared with",
    )  # fmt: skip
    parser.add_argument(
        "--demonstrations", type=int, nargs="+", default=[5], metavar="N", help="learned from each"
    )
    parser.add_argument(
        "--unseen", type=int, default=20, metavar="N", help="shapes to try each on (at most 20)"
    )
    parser.add_argument(
        "--physics", action="store_true",
        help="done by the arm as its cameras see it, judged by the simulator; else by geometry",
    )  # fmt: skip


def _halp(options: Options) -> SuiteSpec:
    if options.part == "decisions":
        files = [str(f.resolve()) for f in options.task_files]
        target = "sayso.evaluation.halp.decisions:Decisions"
        return SuiteSpec("halp-decisions", target, {"files": files}, {"access": _access(options)})
    if options.llm != "none":
        raise SaySoError(
            Code.CONFIG, "taught skills ask no language model.", hint="add --part decisions."
        )
    names = ("tasks", "learners", "demonstrations", "unseen")
    given = {n: getattr(options, n) for n in names}
    suite = "played:PlayedSkills" if options.physics else "suite:TaughtSkills"
    return SuiteSpec("halp", f"sayso.evaluation.halp.{suite}", given)


def _add_blade(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--plays", type=int, default=40, metavar="N", help="learned from, of 14 behaviours each"
    )
    parser.add_argument(
        "--wrong", type=float, default=0.0, metavar="SHARE", help="of annotations that are wrong"
    )
    parser.add_argument(
        "--labels", choices=blade.LABELS, default=blade.LABELS[0],
        help="propagated: of what words tell along plays; ends: just before and after alone",
    )  # fmt: skip
    parser.add_argument(
        "--misread", type=float, default=0.0, metavar="CHANCE",
        help="that a thing is seen grossly wrong in a scene",
    )  # fmt: skip
    parser.add_argument("--starts", type=int, default=60, metavar="N", help="of each task")
    parser.add_argument(
        "--learnings", type=int, default=3, metavar="N", help="from other plays each time"
    )
    parser.add_argument(
        "--no-geometric", dest="geometric", action="store_false",
        help="without looking at what is in the way",
    )  # fmt: skip
    parser.add_argument(
        "--no-finding", dest="finding", action="store_false",
        help="without looking for what is hidden",
    )  # fmt: skip


def _blade(options: Options) -> SuiteSpec:
    names = (
        "plays", "wrong", "labels", "misread", "starts", "learnings", "geometric", "finding",
    )  # fmt: skip
    given = {n: getattr(options, n) for n in names}
    return SuiteSpec("blade", "sayso.evaluation.blade.suite:Generalisation", given)


def _add_upsets(parser: argparse.ArgumentParser) -> None:
    worlds = upsets.UPSETS
    parser.add_argument(
        "--world", choices=tuple(worlds), default=next(iter(worlds)),
        help="table and flat: simulated, with physics and noisy cameras; kinematic_table: without",
    )  # fmt: skip
    parser.add_argument(
        "--upsets", nargs="+", default=[], metavar="NAME",
        choices=tuple(dict.fromkeys(name for names in worlds.values() for name in names)),
        help=f"kinds (default: all of the world); {_listed(worlds)}",
    )  # fmt: skip
    parser.add_argument(
        "--seeds", type=int, default=20, metavar="N", help="of each kind, from --seed on"
    )


def _listed(worlds: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{world}: {', '.join(names)}" for world, names in worlds.items())


def _upsets(options: Options) -> SuiteSpec:
    if options.llm != "none":
        raise SaySoError(Code.CONFIG, "upset tasks ask no language model.", hint="leave --llm out.")
    given = {n: getattr(options, n) for n in ("world", "upsets", "seeds")}
    target = "sayso.evaluation.upsets.suite:Upsets"
    return SuiteSpec("upsets", target, {**given, "first": options.seed})


SUITES: Mapping[str, Entry] = {
    "blade": Entry(
        "BLADE's generalisation tasks with behaviours learned from annotated play",
        _add_blade, _blade, lambda _: (),
    ),
    "cape": Entry(
        "plans for VirtualHome's tasks, carried out in its simulator", _add_cape, _cape,
        _cape_prompts,
    ),
    "halp": Entry(
        "skills: asked for when they are lacking; taught, and tried on shapes never seen",
        _add_halp, _halp, lambda o: PROGRAM if o.part == "decisions" else (),
    ),
    "interpret": Entry(
        "InterPreT's experiments: learning symbols from a person's words, tested on harder tasks",
        _add_interpret, _interpret, _interpret_prompts,
    ),
    "language": Entry(
        "drawn sentences of every construct, judged by their meanings on traces, for each library",
        _add_language, _language, lambda _: (),
    ),
    "upsets": Entry(
        "tasks on the table and in the flat that somebody upsets once, carried out with physics",
        _add_upsets, _upsets, lambda _: (),
    ),
    "predicates": Entry(
        "forty everyday predicates that no prior names, learned from a few right labels",
        _add_predicates, _predicates, lambda _: (),
    ),
    "limp": Entry(
        "LIMP's instructions carried out in flats made for them, judged by the true trace",
        _add_limp, _limp, _limp_prompts,
    ),
    "limp-language": Entry(
        "LIMP's instructions to formulas, compared with gold formulas",
        _add_limp_language, _limp_language, _stage_prompts,
    ),
    "lang2ltl": Entry(
        "Lang2LTL's lifted utterances to formulas, compared with the data's",
        _add_lang2ltl, _lang2ltl, _stage_prompts,
    ),
    "limp-baselines": Entry(
        "plans of two other kinds of planner for LIMP's instructions, judged without geometry",
        _add_limp_baselines, _limp_baselines, _baseline_prompts,
    ),
}  # fmt: skip
