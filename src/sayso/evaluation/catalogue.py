"""The suites that `sayso eval` offers: their options, and what these mean."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sayso.adapters.llm import options as model_options
from sayso.adapters.vision.finder_options import add_finder_options, finder_settings
from sayso.adapters.vision.finders import SIMULATOR
from sayso.core.errors import Code, SaySoError
from sayso.core.options import add, option, read
from sayso.evaluation.blade import options as blade
from sayso.evaluation.cape import options as cape
from sayso.evaluation.cases import SuiteSpec
from sayso.evaluation.halp import options as halp
from sayso.evaluation.interpret import options as interpret
from sayso.evaluation.limp import options as limp

Options = argparse.Namespace
Prompts = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Entry:
    """A suite that is offered.

    Attributes:
        help: one line.
        settings: gives its own options, whose modules are loaded when they are asked for.
        spec: what they, with the shared ones, mean.
        prompts: names and versions of what a model would be asked.
        files: gives its parser the files that are read.
    """

    help: str
    settings: Callable[[], Sequence[type[Any]]]
    spec: Callable[[Options], SuiteSpec]
    prompts: Callable[[Options], Prompts] = lambda _: ()
    files: Callable[[argparse.ArgumentParser], None] = lambda _: None

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Give the suite's parser its own options."""
        self.files(parser)
        for settings in self.settings():
            about = (settings.__doc__ or "").splitlines()[0]
            add(parser.add_argument_group(about.rstrip(".").lower()), settings)


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


# -- instructions ----------------------------------------------------------------------------


def _add_limp_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "instructions", type=Path, help="JSON list of instructions with set, n and text"
    )
    parser.add_argument(
        "--gold", type=Path, metavar="FILE", help="gold formulas (default: those of SaySo)"
    )


def _limp_and_finder(parser: argparse.ArgumentParser) -> None:
    _add_limp_files(parser)
    add_finder_options(parser)


def _lifted(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", type=Path, help="CSV file of lifted utterances and formulas")


@dataclass(frozen=True)
class Baselines:
    """Compared planners."""

    planner: str = option("steps", "what the model writes", choices=("steps", "code"))


def _of_stages() -> Sequence[type[Any]]:
    from sayso.evaluation.backends import Stages

    return (Stages,)


def _stages(options: Options) -> Mapping[str, Any]:
    (settings,) = _of_stages()
    place = options.examples_file and str(Path(options.examples_file).resolve())
    stages = replace(read(options, settings), examples_file=place, seed=options.seed)
    return asdict(stages) if options.llm != "none" else {}


def _limp_files(options: Options) -> dict[str, str]:
    gold = str(options.gold.resolve()) if options.gold else ""
    return {"instructions": str(options.instructions.resolve()), "gold": gold}


def _limp_language(options: Options) -> SuiteSpec:
    given = {**_limp_files(options), "stages": _stages(options)}
    target = "sayso.evaluation.suites:LimpLanguage"
    return SuiteSpec("limp-language", target, given, {"access": _access(options)})


def _lang2ltl(options: Options) -> SuiteSpec:
    given = {"data": str(options.data.resolve()), "stages": _stages(options)}
    target = "sayso.evaluation.suites:Lang2Ltl"
    return SuiteSpec("lang2ltl", target, given, {"access": _access(options)})


def _limp_baselines(options: Options) -> SuiteSpec:
    if options.llm == "none":
        raise SaySoError(
            Code.CONFIG, "limp-baselines needs a language model.", hint="add --llm openai."
        )
    given = {**_limp_files(options), "planner": options.planner}
    target = "sayso.evaluation.suites:LimpBaselines"
    return SuiteSpec("limp-baselines", target, given, {"access": _access(options)})


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
        **asdict(read(options, limp.Settings)),
        "finder": options.finder,
        "finder_settings": settings,
        "stages": {} if options.given or options.method != "limp" else _stages(options),
    }
    target = "sayso.evaluation.limp.suite:Limp"
    return SuiteSpec("limp", target, given, {"access": _access(options)})


def _limp_prompts(options: Options) -> tuple[tuple[str, int], ...]:
    if options.method == "limp":
        return () if options.given else _stage_prompts(options)
    return _baseline_prompt(options.method)


def _stage_prompts(options: Options) -> tuple[tuple[str, int], ...]:
    from sayso.language import one_stage, two_stage

    if options.stages == 1:
        return (one_stage.PROMPT,)
    return (two_stage.FIRST_PROMPT, two_stage.SECOND_PROMPT)


def _baseline_prompts(options: Options) -> tuple[tuple[str, int], ...]:
    return _baseline_prompt(options.planner)


def _baseline_prompt(planner: str) -> Prompts:
    from sayso.evaluation.baselines import code_writing, step_list

    return (code_writing.PROMPT if planner == "code" else step_list.PROMPT,)


# -- learning --------------------------------------------------------------------------------


def _tasks(given: int | None) -> int:
    return interpret.TASKS if given is None else given


def _interpret(options: Options) -> SuiteSpec:
    course = replace(
        read(options, interpret.Course),
        training=_tasks(options.training),
        testing=_tasks(options.testing),
    )
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


def _interpret_prompts(options: Options) -> tuple[tuple[str, int], ...]:
    from sayso.learning.model import coder, reader

    asked = (interpret.PROMPTS[options.baseline],) if options.baseline else ()
    if options.baseline and options.baseline not in interpret.TRAINED_BASELINES:
        return asked
    return (
        *asked, reader.GOAL_PROMPT, reader.UNSATISFIED_PROMPT, reader.INFEASIBLE_PROMPT,
        reader.TRANSLATE_PROMPT, coder.CODE_PROMPT, coder.CORRECT_PROMPT,
    )  # fmt: skip


def _without_model(
    name: str, target: str, settings: type[Any], why: str
) -> Callable[[Options], SuiteSpec]:
    """What the options of a suite mean that asks no language model."""

    def spec(options: Options) -> SuiteSpec:
        if options.llm != "none":
            raise SaySoError(Code.CONFIG, why, hint="leave --llm out.")
        return SuiteSpec(name, target, asdict(read(options, settings)))

    return spec


def _blade(options: Options) -> SuiteSpec:
    """Raises CONFIG for what is asked of a part that is not concerned with it."""
    chosen = read(options, blade.Part)
    given = asdict(read(options, blade.Settings))
    if chosen.part == "behaviours":
        if options.llm != "none":
            why = "a language model reads what was said, which --part tasks measures."
            raise SaySoError(Code.CONFIG, why, hint="leave --llm or --part out.")
        return SuiteSpec("blade-behaviours", _BEHAVIOURS, _of_behaviours(given, chosen.shown))
    if chosen != blade.Part():
        raise SaySoError(Code.CONFIG, "--shown is for --part behaviours.")
    return SuiteSpec("blade", _BLADE, given, {"access": _access(options)})


def _blade_prompts(options: Options) -> Prompts:
    from sayso.learning.model.wordings import PROMPT
    from sayso.mission.word_planner import PROMPTS

    if options.part == "behaviours" or options.method == blade.GOAL_CONDITIONED:
        return ()
    if options.method == blade.PLANNED:
        return (PROMPT,)
    return (PROMPTS["steps" if options.method == blade.SAYCAN else "whole"],)


_BLADE = "sayso.evaluation.blade.suite:Generalisation"
_BEHAVIOURS = "sayso.evaluation.blade.single:SingleBehaviours"


def _of_behaviours(given: Mapping[str, Any], shown: Sequence[int]) -> dict[str, Any]:
    """Raises CONFIG for options of the tasks alone."""
    mine = ("plays", "wrong", "labels", "physics", "world", "starts", "first_start", "learnings")
    usual = asdict(blade.Settings())
    if strange := [n for n in given if n not in mine and given[n] != usual[n]]:
        what = ", ".join(strange)
        raise SaySoError(Code.CONFIG, f"{what} is for --part tasks.", hint="leave it out.")
    return {**{n: given[n] for n in mine}, "shown": list(shown)}


@dataclass(frozen=True)
class Language:
    """What is drawn."""

    sentences: int = option(2000, "for each library", "N")
    insertions: int = option(
        100, "sentences of each library into which words are put that change a meaning", "N"
    )


def _of_upsets() -> Sequence[type[Any]]:
    from sayso.evaluation.upsets.options import Settings

    return (Settings,)


def _upsets(options: Options) -> SuiteSpec:
    suite, why = "sayso.evaluation.upsets.suite:Upsets", "upset tasks ask no language model."
    (settings,) = _of_upsets()
    spec = _without_model("upsets", suite, settings, why)(options)
    return replace(spec, options={**spec.options, "first": options.seed})


def _halp(options: Options) -> SuiteSpec:
    if options.part == "decisions":
        files = [str(f.resolve()) for f in options.task_files]
        target = "sayso.evaluation.halp.decisions:Decisions"
        given = {"sets": options.sets, "files": files}
        return SuiteSpec("halp-decisions", target, given, {"access": _access(options)})
    if options.part == "execution":
        if options.llm == "none" and tuple(options.relations) != ("told",):
            raise SaySoError(
                Code.CONFIG, "without a model nothing reads the scene's text.",
                hint="name one with --llm, or leave --relations out.",
            )  # fmt: skip
        given = {n: getattr(options, n) for n in ("rows", "tables", "first", "relations", "grasps")}
        target = "sayso.evaluation.halp.executing:Execution"
        return SuiteSpec("halp-execution", target, given, {"access": _access(options)})
    if options.llm != "none":
        raise SaySoError(
            Code.CONFIG, f"--part {options.part} asks no language model.",
            hint="add --part decisions or --part execution.",
        )  # fmt: skip
    names = ("tasks", "learners", "demonstrations", "unseen")
    given = {n: getattr(options, n) for n in names}
    suite = "played:PlayedSkills" if options.physics else "suite:TaughtSkills"
    return SuiteSpec("halp", f"sayso.evaluation.halp.{suite}", given)


# -- plans in words --------------------------------------------------------------------------


def _cape(options: Options) -> SuiteSpec:
    part = options.part or ("words" if options.strategies else "gold")
    if part != "words" and (options.llm != "none" or options.strategies):
        raise SaySoError(
            Code.CONFIG, f"--part {part} has no plans in words: it asks no model.",
            hint="leave --part out, or take --part words.",
        )  # fmt: skip
    given = {
        **asdict(read(options, cape.Settings)),
        "part": part,
        "strategies": options.strategies or ["rules"],
    }
    del given["votes"]
    access = {**_access(options), "logprobs": True}
    votes = options.votes and str(Path(options.votes).resolve())
    target = "sayso.evaluation.cape.suite:Cape"
    return SuiteSpec("cape", target, given, {"access": access, "votes": votes})


def _cape_prompts(options: Options) -> tuple[tuple[str, int], ...]:
    from sayso.evaluation.cape.strategies import STRATEGIES
    from sayso.mission.model_repair import PROMPT as REPAIR
    from sayso.mission.word_planner import PROMPTS

    asked = PROMPTS[options.plan]
    return (
        (asked, REPAIR) if any(STRATEGIES[s].asks_model for s in options.strategies) else (asked,)
    )


def _halp_prompts(options: Options) -> Prompts:
    from sayso.mission.programs.writing import PROMPTS

    return PROMPTS if options.part in ("decisions", "execution") else ()


SUITES: Mapping[str, Entry] = {
    "blade": Entry(
        "BLADE's generalisation tasks with behaviours learned from annotated play",
        lambda: (blade.Part, blade.Settings),
        _blade,
        _blade_prompts,
    ),
    "cape": Entry(
        "plans for VirtualHome's tasks, carried out in its simulator",
        lambda: (cape.Settings,), _cape, _cape_prompts,
    ),
    "halp": Entry(
        "skills: asked for when they are lacking; taught, and tried on shapes never seen",
        lambda: (halp.Settings,), _halp, _halp_prompts,
    ),
    "interpret": Entry(
        "InterPreT's experiments: learning symbols from a person's words, tested on harder tasks",
        lambda: (interpret.Settings, interpret.Course), _interpret, _interpret_prompts,
    ),
    "language": Entry(
        "drawn sentences of every construct, judged by their meanings on traces, for each library",
        lambda: (Language,),
        _without_model(
            "language", "sayso.evaluation.language.suite:Language", Language,
            "the suite language is about controlled English alone.",
        ),
    ),
    "upsets": Entry(
        "tasks on the table and in the flat that somebody upsets once, carried out with physics",
        _of_upsets, _upsets,
    ),
    "predicates": Entry(
        "forty everyday predicates that no prior names, learned from a few right labels",
        lambda: (interpret.Predicates,),
        _without_model(
            "predicates", "sayso.evaluation.interpret.unnamed:Unnamed", interpret.Predicates,
            "the suite predicates is about learning without a model.",
        ),
    ),
    "limp": Entry(
        "LIMP's instructions carried out in flats made for them, judged by the true trace",
        lambda: (limp.Settings, *_of_stages()), _limp, _limp_prompts, _limp_and_finder,
    ),
    "limp-language": Entry(
        "LIMP's instructions to formulas, compared with gold formulas",
        _of_stages, _limp_language, _stage_prompts, _add_limp_files,
    ),
    "lang2ltl": Entry(
        "Lang2LTL's lifted utterances to formulas, compared with the data's",
        _of_stages, _lang2ltl, _stage_prompts, _lifted,
    ),
    "limp-baselines": Entry(
        "plans of two other kinds of planner for LIMP's instructions, judged without geometry",
        lambda: (Baselines,), _limp_baselines, _baseline_prompts, _add_limp_files,
    ),
}  # fmt: skip
