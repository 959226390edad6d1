"""The experience on disk, and learners that take it up again."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.errors import Code, SaySoError
from sayso.core.library import parse_literal
from sayso.learning.events import NotUnderstood
from sayso.learning.experience import Answered, Said
from sayso.learning.feedback import Action, Feedback, FeedbackKind, read_feedback
from sayso.learning.journal import Journal
from sayso.learning.learner import Learner
from sayso.learning.memory import Memory
from sayso.learning.synthesis.labels import Concept
from sayso.learning.synthesis.synthesizer import Learned, Synthesizer
from sayso.learning.teaching import PredicateWriter
from sayso.learning.training import Limits, train
from sayso.learning.versions import Versions
from support.teaching import SKILLS, PlainReader, QuickWriter, Table, TableTeacher, block


def resumed(folder: Path, **options: object) -> Learner:
    return Learner.resume(folder, SKILLS, PlainReader(), QuickWriter(), **options)  # type: ignore[arg-type]


def practised(folder: Path, tasks: int = 1) -> Learner:
    pupil = resumed(folder, rng=random.Random(1))
    for _ in range(tasks):
        world = Table(block("cup", 0.0), block("jar", 0.3), block("lid", 0.6, width=0.12))
        train(world, TableTeacher(world, "cup", "jar"), pupil, Limits(20))
    return pupil


def test_a_learner_is_taken_up_exactly_as_it_was(tmp_path: Path) -> None:
    pupil = practised(tmp_path)
    versions = len(list((tmp_path / "versions").glob("0*")))
    events: list[object] = []
    again = resumed(tmp_path, watcher=events.append)
    assert again.library == pupil.library
    assert again.experience.scenes == pupil.experience.scenes
    assert len(again.experience.entries) == len(pupil.experience.entries)
    said = {name: [x.words for x in labels] for name, labels in pupil.labels.items()}
    assert said and said == {n: [x.words for x in labels] for n, labels in again.labels.items()}
    assert not events and len(list((tmp_path / "versions").glob("0*"))) == versions


def test_what_was_heard_but_not_concluded_from_is_concluded_from_later(tmp_path: Path) -> None:
    before = set(practised(tmp_path).library.predicates)
    scene, action = Table(block("cup", 0.0)).observe(), Action("pick_up", ("cup",))
    words = "You cannot because the cup is hot."
    read = read_feedback(words, {"cup": "block"}, action=action)
    Journal(tmp_path / "experience.jsonl").keep(Said(scene, words, read, action))
    again = resumed(tmp_path)
    assert set(again.library.predicates) == {*before, "hot"}
    assert resumed(tmp_path).library == again.library


def hot(pupil: Learner) -> None:
    scene, action = Table(block("cup", 0.0)).observe(), Action("pick_up", ("cup",))
    pupil.said_about(action, "You cannot because the cup is hot.", scene)


def test_undoing_a_version_takes_its_words_back(tmp_path: Path) -> None:
    pupil = practised(tmp_path)
    before, entries = pupil.library, len(pupil.experience.entries)
    hot(pupil)
    versions = Versions(tmp_path)
    undone = versions.current
    versions.undo()
    events: list[object] = []
    again = resumed(tmp_path, watcher=events.append)
    assert again.library == before and not events
    assert "hot" not in again.labels and len(again.experience.entries) == entries
    assert versions.current == undone - 1
    versions.use(undone)
    once_more = resumed(tmp_path)
    assert once_more.library == pupil.library
    assert [x.words for x in once_more.labels["hot"]] == [x.words for x in pupil.labels["hot"]]


def test_what_is_said_after_an_undo_counts_and_what_was_undone_does_not(tmp_path: Path) -> None:
    hot(practised(tmp_path))
    Memory(tmp_path).undo()
    hot(resumed(tmp_path))
    again = resumed(tmp_path)
    assert len(again.experience.stated()["hot"]) == 1
    memory = Memory(tmp_path)
    while memory.versions.current > 1:
        known = len(memory.experience.entries)
        memory.undo()
        assert len(memory.experience.entries) < known
    assert not Memory(tmp_path).experience.labels()
    with pytest.raises(SaySoError, match="no version before"):
        memory.undo()


def test_every_beginning_of_a_journal_loads(tmp_path: Path) -> None:
    practised(tmp_path / "whole")
    whole = (tmp_path / "whole" / "experience.jsonl").read_bytes()
    entries = 0
    for end in sorted(random.Random(0).sample(range(len(whole)), 40)):
        file = tmp_path / "cut.jsonl"
        file.write_bytes(whole[:end])
        found = len(Journal(file).experience.entries)
        assert found >= entries
        assert file.read_bytes() in (whole[: whole[:end].rfind(b"\n") + 1], b'{"format": 1}\n')
        entries = found


def test_an_unknown_format_and_a_broken_line_are_named(tmp_path: Path) -> None:
    file = tmp_path / "experience.jsonl"
    file.write_text('{"format": 7}\n')
    with pytest.raises(SaySoError, match="format 7") as caught:
        Journal(file)
    assert caught.value.code is Code.INVALID
    for line in ('{"said": {}}', "}", '{"sung": {}}', "[]", '{"tried": {"before": 4}}'):
        file.write_text('{"format": 1}\n' + line + "\n")
        with pytest.raises(SaySoError, match="line 2") as caught:
            Journal(file)
        assert caught.value.code is Code.CORRUPT


def test_a_library_of_an_unknown_version_is_refused(tmp_path: Path) -> None:
    practised(tmp_path)
    index = json.loads((tmp_path / "library.json").read_text())
    (tmp_path / "library.json").write_text(json.dumps({**index, "format": 9}))
    with pytest.raises(SaySoError, match="format 9"):
        resumed(tmp_path)


FAUCET = "The faucet is not on."


def poisoned(folder: Path, *, goal: bool = False) -> None:
    """A folder as an earlier version left it: one argument where the predicate takes two."""
    pupil = practised(folder)
    scene, action = Table(block("faucet", 0.0), block("jar", 0.3)).observe(), None
    off = parse_literal("not on(faucet)")
    kind = FeedbackKind.UNSATISFIED if goal else FeedbackKind.INFEASIBLE
    read = Feedback(kind, () if goal else (off,), (), (Concept("on", ("a", "b")),), FAUCET)
    journal = Journal(folder / "experience.jsonl")
    journal.use(Versions(folder).current)
    journal.keep(Said(scene, FAUCET, read, action, (off,) if goal else ()))
    journal.keep(Answered(scene, off, "No, it is off."))
    assert pupil.library.predicates["on"].arity == 2


@pytest.mark.parametrize("goal", [False, True])
@pytest.mark.parametrize("writer", [QuickWriter(), Synthesizer(CharacterNgrams())])
def test_a_folder_with_an_entry_that_cannot_be_used_loads_and_keeps_its_words(
    tmp_path: Path, goal: bool, writer: PredicateWriter
) -> None:
    poisoned(tmp_path, goal=goal)
    known = set(Memory(tmp_path).library().predicates)
    for _ in range(2):
        events: list[object] = []
        again = Learner.resume(tmp_path, SKILLS, PlainReader(), writer, watcher=events.append)
        assert set(again.library.predicates) == known
        told = [e for e in events if isinstance(e, NotUnderstood)]
        assert [e.words for e in told] == [FAUCET, "No, it is off."]
        assert all("on takes 2" in e.why for e in told)
        kept = [e.words for e in again.experience.entries if isinstance(e, Said)]
        assert {FAUCET, "No, it is off."} <= set(kept)
        scene = again.experience.scenes[-1]
        again.said_about(
            Action("put_on", ("faucet", "jar")), "You can't, the faucet is on the jar.", scene
        )
        known = {*known, "clear"}


class MisreadingReader(PlainReader):
    """A reader that gives one predicate two numbers of arguments."""

    def read(self, text: str, objects: Mapping[str, str], **about: Any) -> Feedback:
        read = super().read(text, objects, **about)
        wrong = (parse_literal("not clear(cup, jar)"),)
        return replace(read, literals=wrong) if "clear" in text else read


def test_a_reading_that_cannot_be_used_is_told_at_once_and_nothing_is_concluded(
    tmp_path: Path,
) -> None:
    practised(tmp_path)
    writer = Synthesizer(CharacterNgrams())
    events: list[object] = []
    pupil = Learner.resume(tmp_path, SKILLS, MisreadingReader(), writer, watcher=events.append)
    scene, action = (
        Table(block("cup", 0.0), block("jar", 0.3)).observe(),
        Action("pick_up", ("cup",)),
    )
    before = pupil.library
    with pytest.raises(SaySoError, match="clear takes 1") as caught:
        pupil.said_about(action, "You cannot: the cup is not clear.", scene)
    assert caught.value.code is Code.NOT_UNDERSTOOD
    assert pupil.library == before and isinstance(events[-1], NotUnderstood)
    assert resumed(tmp_path).experience.entries[-1].words == "You cannot: the cup is not clear."  # type: ignore[union-attr]


class FailingWriter(QuickWriter):
    """A `PredicateWriter` that cannot write one predicate, as where its model is out of reach."""

    def learn(self, concept: Concept, *args: Any, **options: Any) -> Learned:
        if concept.name == "hot":
            raise SaySoError(Code.MODEL_UNAVAILABLE, "the model does not answer.")
        return super().learn(concept, *args, **options)


def test_a_folder_loads_while_what_is_new_in_it_cannot_be_written(tmp_path: Path) -> None:
    before = set(practised(tmp_path).library.predicates)
    scene, action = Table(block("cup", 0.0)).observe(), Action("pick_up", ("cup",))
    words = "You cannot because the cup is hot."
    read = read_feedback(words, {"cup": "block"}, action=action)
    Journal(tmp_path / "experience.jsonl").keep(Said(scene, words, read, action))
    events: list[object] = []
    again = Learner.resume(tmp_path, SKILLS, PlainReader(), FailingWriter(), watcher=events.append)
    assert set(again.library.predicates) == before
    (told,) = (e for e in events if isinstance(e, NotUnderstood))
    assert told.words == words and "the model does not answer" in told.why
    assert set(resumed(tmp_path).library.predicates) == {*before, "hot"}
