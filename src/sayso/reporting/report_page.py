"""A run's report as a Markdown page for people, from the values of `report.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

_HOLDS = {True: "yes", False: "**no**", None: "unknown"}
Data = Mapping[str, Any]


def as_markdown(data: Data) -> str:
    """The page. Pictures are linked by their names in the run folder."""
    lines = ["# Run report", "", f"> {data['instruction']}", "", *_result(data)]
    lines += [x for p in data["pictures"] if p["skill"] is None for x in (_image(p), "")]
    lines += _specification(data["specification"])
    lines += _versions(data["specification_versions"])
    for number, plan in enumerate(data["plans"], 1):
        lines += _plan(number, plan)
    lines += _repairs(data["repairs"])
    lines += _skills(data["skills"], data["pictures"])
    lines += _trace(data["trace"])
    lines += _automaton(data["automaton"])
    if data["messages"]:
        lines += [
            "## Messages",
            "",
            *("- " + m.replace("\n", "<br>") for m in data["messages"]),
            "",
        ]
    lines += ["## Times", "", *_table(("stage", "seconds"), data["stages_s"].items()), ""]
    lines += _settings(data)
    return "\n".join(lines)


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """A table; cells may hold anything."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return lines + [f"| {' | '.join(map(_cell, row))} |" for row in rows]


def _cell(value: Any) -> str:
    """Bars and line breaks would end a cell."""
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", "<br>")


def _image(picture: Data) -> str:
    return f"![{picture['caption']}]({picture['file']})"


def _result(data: Data) -> list[str]:
    result = data["result"]
    if result is None:
        return ["**The task has not ended.**", ""]
    word = "Succeeded" if result["succeeded"] else "Not done"
    first, *others = result["message"].splitlines() or [""]
    lines = [f"**{word}** (`{result['code']}`) after {result['elapsed_s']:.1f} s: {first}", ""]
    lines += ["```text", *others, "```", ""] if others else []
    lines += [f"Valid: {', '.join(result['choices'])}", ""] if result["choices"] else []
    lines += [f"Next: {result['hint']}", ""] if result["hint"] else []
    if data["trace"]:
        lines += [f"Verdict of the observed trace: `{data['verdict']}`.", ""]
    if data["first_motion_s"] is not None:
        lines += [f"The first skill began {data['first_motion_s']:.2f} s after the words.", ""]
    return lines


def _specification(spec: Data | None) -> list[str]:
    if not spec:
        return []
    lines = ["## What was understood", "", f"By {spec['source']}, version {spec['version']}:", ""]
    lines += ["```text", spec["formula"], "```", "", *spec["english"].splitlines(), ""]
    lines += [f"{i}. {sentence}" for i, sentence in enumerate(spec["structure"], 1)]
    lines += [""] if spec["structure"] else []
    rows = [
        (words, f"`{descriptor}`", ", ".join(f"`{o}`" for o in spec["grounding"].get(words, ())))
        for words, descriptor in spec["referents"].items()
    ]
    return [*lines, *_table(("words", "referent", "things seen"), rows), ""] if rows else lines


def _versions(versions: Sequence[Data]) -> list[str]:
    """How the reading came about, if it was corrected."""
    if len(versions) < 2:
        return []
    rows = [
        (
            v["version"],
            f"{v['elapsed_s']:.1f}",
            v["said"],
            f"`{v['formula']}`",
            v["source"],
            v["question"]["message"] if v["question"] else "",
        )
        for v in versions
    ]
    head = ("version", "time [s]", "the person said", "read as", "by", "asked back")
    return ["## Versions", "", *_table(head, rows), ""]


def _plan(number: int, plan: Data) -> list[str]:
    title = "## Plan" if number == 1 else f"## Plan {number}, made anew"
    checked = "each step checked when its turn comes" if plan["step_by_step"] else "validated"
    lines = [title, "", f"By {plan['planner']} in {1e3 * plan['time_s']:.0f} ms, {checked}.", ""]
    rows = [
        (i, s["does"] or s["action"], f"`{s['action']}`", s["why"])
        for i, s in enumerate(plan["steps"], 1)
    ]
    head = ("step", "does", "operator", "because")
    told = len(head) if any(s["why"] for s in plan["steps"]) else len(head) - 1
    return [*lines, *_table(head[:told], [row[:told] for row in rows]), ""]


def _repairs(repairs: Sequence[Data]) -> list[str]:
    """Failure, cause and repair side by side."""
    if not repairs:
        return []
    rows = [
        (
            f"{r['elapsed_s']:.1f}",
            r["does"] or r["action"],
            f"`{r['failure']}`: {r['cause']}",
            r["repairer"],
            ("taken: " if r["taken"] else "not taken: ") + r["reason"],
            ", ".join(f"`{s}`" for s in r["steps"]) or "nothing",
        )
        for r in repairs
    ]
    head = ("time [s]", "failed", "because", "repair", "what became of it", "proposed instead")
    return ["## Failures and repairs", "", *_table(head, rows), ""]


def _skills(skills: Sequence[Data], pictures: Sequence[Data]) -> list[str]:
    """A section for each skill that began: outcome, conditions before and after, pictures."""
    lines = ["## What was done", ""] if skills else []
    for index, begun in enumerate(skills):
        if begun["phase"] != "started":
            continue
        after = skills[index + 1] if index + 1 < len(skills) else None
        ended = after if after and after["phase"] == "finished" else None
        shown = [p for p in pictures if p["skill"] in (index, index + 1 if ended else index)]
        lines += [*_skill(begun, ended), *_pictures(shown)]
    return lines


def _skill(begun: Data, ended: Data | None) -> list[str]:
    again = f", attempt {begun['attempt']}" if begun["attempt"] > 1 else ""
    lines = [f"### Step {begun['step'] + 1}: {begun['does'] or begun['action']}{again}", ""]
    outcome = "did not end"
    if ended:
        took_s = ended["elapsed_s"] - begun["elapsed_s"]
        outcome = f"`{ended['code']}` after {took_s:.1f} s"
        outcome += f": {ended['message']}" if ended["message"] else ""
    lines += [f"`{begun['action']}`, begun at {begun['elapsed_s']:.1f} s, {outcome}", ""]
    rows = [
        (when, check["english"], _HOLDS[check["observed"]], check["detail"])
        for when, event in (("before", begun), ("after", ended))
        for check in (event["checks"] if event else ())
    ]
    return [*lines, *_table(("", "condition", "holds", "observed"), rows), ""]


def _pictures(pictures: Sequence[Data]) -> list[str]:
    if not pictures:
        return []
    return [*_table([p["caption"] for p in pictures], [[_image(p) for p in pictures]]), ""]


def _trace(trace: Sequence[Data]) -> list[str]:
    if not trace:
        return []
    changes = [trace[0], *(b for a, b in pairwise(trace) if _letter(a) != _letter(b))]
    rows = [
        (
            f"{step['elapsed_s']:.1f}",
            step["automaton_state"],
            step["verdict"],
            ", ".join(f"`{p}`" for p in step["true"]) or "none",
            "; ".join(step["remaining"]) or "nothing",
        )
        for step in changes
    ]
    head = ("time [s]", "automaton state", "verdict", "true of what the task is about", "left")
    return ["## Observed trace", "", *_table(head, rows), ""]


def _letter(step: Data) -> tuple[Any, ...]:
    return step["automaton_state"], step["true"]


def _automaton(automaton: Data | None) -> list[str]:
    if not automaton:
        return []
    lines = ["## Automaton", "", f"{automaton['states']} states.", ""]
    lines += [f"![The automaton, with the way taken]({automaton['picture']})", ""]
    lines += [*(f"- {sentence}" for sentence in automaton["transitions"]), ""]
    if automaton["mermaid"]:
        lines += ["```mermaid", automaton["mermaid"], "```", ""]
    return lines


def _settings(data: Data) -> list[str]:
    lines = []
    if data["repeat"]:
        lines += ["## Again", "", "```sh", data["repeat"], "```", ""]
        lines += [
            "The table and the noise come out the same; times, and so the motion, may not.",
            "",
        ]
    return [*lines, "## Settings", "", "```json", json.dumps(data["settings"], indent=2), "```", ""]
