"""What a person sees in the terminal, in order and without markup of its own."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Check, Literal
from sayso.mission.stages import Decision
from sayso.pipeline import perform
from sayso.reporting.events import Event, EventKind
from sayso.reporting.terminal import TerminalView, ask
from sayso.worlds.kinematic_table import KinematicTable

DEMO = (
    "Put the red block on the plate, then put the blue block on the red block. Never touch the mug."
)


def console(**options):
    return Console(file=io.StringIO(), soft_wrap=True, **options)


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        ("", Decision.YES), ("yep, looks good", Decision.YES), ("go ahead", Decision.YES),
        ("nope", Decision.NO), ("no, not that", Decision.NO), ("please stop", Decision.NO),
        ("no, the red one", Decision.CORRECTION), ("yes, but not the bowl", Decision.CORRECTION),
        ("never mind", Decision.CORRECTION), ("why?", Decision.CORRECTION),
        (None, Decision.NO),
    ],
)  # fmt: skip
def test_an_answer_is_taken_as_it_is_said(said, decision, monkeypatch):
    screen = console()
    typed = io.StringIO("" if said is None else f"{said}\n")
    monkeypatch.setattr("sys.stdin", typed)
    answer = ask(screen)
    assert (answer.decision, answer.words) == (decision, said or "")


def shown(*events):
    screen = console()
    view = TerminalView(screen)
    for event in events:
        view.show(event)
    return screen.file.getvalue()


def events_of(instruction, table=None):
    events = []
    perform(instruction, table or KinematicTable(), events.append)
    return events


def in_order(text, *parts):
    """Whether each part is found after the one before it."""
    place = 0
    for part in parts:
        place = text.find(part, place) + len(part)
        if place < len(part):
            return False
    return True


@pytest.fixture(scope="module")
def run():
    return events_of(DEMO)


def test_the_whole_chain_is_shown_in_order(run):
    text = shown(*run)
    assert in_order(
        text,
        "Instruction",
        DEMO,
        "Formula",
        "G(!touching",
        "Understood as",
        "Referents",
        "->  red_block",
        "Plan",
        "4 steps by",
        "because",
        "step 1/4",
        "before ok",
        "after  ok",
        "step 4/4",
        "progress: satisfied",
        "Result",
        "SUCCEEDED [OK]",
    )


def test_what_did_not_change_is_not_said_again(run):
    (first, *_) = (e for e in run if e.kind is EventKind.PROGRESS)
    assert shown(first, first, first).count("progress:") == 1
    further = replace(first, progress=replace(first.progress, states=(9,)))
    assert shown(first, further, first).count("progress:") == 3


def test_without_a_terminal_there_are_no_escape_codes(run):
    assert "\x1b" not in shown(*run)
    screen = console(force_terminal=True)
    TerminalView(screen).show(run[-1])
    assert "\x1b[" in screen.file.getvalue()


def test_a_failed_skill_is_shown_with_its_cause_and_the_next_attempt():
    failures = iter([SaySoError(Code.EXECUTION, "the [grip] slipped.")])
    table = KinematicTable(fails=lambda action: next(failures, None))
    text = shown(*events_of("Put the red block on the plate.", table))
    assert in_order(
        text, "FAILED EXECUTION: the [grip] slipped.", "repair (replan)", "attempt 2", "SUCCEEDED"
    )


def test_a_refusal_shows_where_what_is_valid_and_the_next_step():
    text = shown(*events_of("Put the red sofa on the plate."))
    assert in_order(text, "NOT DONE [UNKNOWN_OBJECT]", "sofa", "Valid: red_block", "Next: ")
    assert "^^^^" in shown(*events_of("Juggle the mug."))


def test_what_is_not_observed_is_marked_apart():
    skill = next(e for e in events_of(DEMO) if e.skill is not None)
    checks = tuple(
        Check(Literal(Atom("clear", ("mug",))), truth, "mug [far] away")
        for truth in (True, False, None)
    )
    text = shown(replace(skill, skill=replace(skill.skill, checks=checks, finished=False)))
    assert [line.split()[1] for line in text.splitlines() if "clear(mug)" in line] == [
        "ok",
        "NO",
        "??",
    ]
    assert text.count("mug [far] away") == 3


def test_markup_in_words_is_shown_and_harmless():
    text = shown(
        Event(EventKind.INSTRUCTION, "interpret", 0.0, "Put [/red] there [bold]now."),
        Event(EventKind.MESSAGE, "recover", 1.0, "no [/x]\nsecond line"),
        Event(EventKind.QUESTION, "confirm", 2.0, "[y/n]?"),
        Event(
            EventKind.RESULT, "x", 3.0, "[a]", code=Code.CONFIG, hint="[b]", choices=("record[x]",)
        ),
    )
    for part in ('"Put [/red] there [bold]now."', "  no [/x]\n  second line", "[y/n]?", "[a]"):
        assert part in text
    assert "Valid: record[x]" in text and "Next: [b]" in text


def test_events_that_lack_what_their_kind_carries_are_passed_over():
    for kind in (EventKind.SPECIFICATION, EventKind.PLAN, EventKind.SKILL, EventKind.PROGRESS):
        assert shown(Event(kind, "x", 0.0)).strip() == ""
