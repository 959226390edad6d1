"""Every writer of predicates behaves as its port says, whatever stands behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.adapters.llm.openai_chat import OpenAIChat
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, load, save
from sayso.core.predicates import SceneView
from sayso.learning.model.libraries import compiler
from sayso.learning.model.predicate_sandbox import PredicateSandbox
from sayso.learning.model.writer import ModelWriter
from sayso.learning.priors import household
from sayso.learning.synthesis.labels import Label
from sayso.learning.synthesis.synthesizer import Learned, Synthesizer
from sayso.learning.teaching import PredicateWriter
from support.learning_scenes import random_scene
from support.looked_up_lessons import TableWriter
from support.scripted_mind import DRAFTS, ScriptedMind
from support.scripted_model import ScriptedModel

SCENES = [random_scene(seed) for seed in range(3)]
GRASPABLE, ON = household().predicates["graspable"], household().predicates["on"]
LABELS = [
    Label(scene, (thing.name,), thing.size[0] < 0.08, f"of the {thing.category}")
    for scene in SCENES
    for thing in scene.objects[:5]
    if not 0.07 < thing.size[0] < 0.1
]
WRITERS = ("synthesis", "model", "useless model", "table")


@pytest.fixture(scope="module")
def process() -> Iterator[PredicateSandbox]:
    made = PredicateSandbox()
    yield made
    made.close()


@pytest.fixture(params=WRITERS, scope="module")
def writer(request: pytest.FixtureRequest, process: PredicateSandbox) -> Iterator[PredicateWriter]:
    synthesizer = Synthesizer(CharacterNgrams())
    if request.param == "synthesis":
        yield synthesizer
    elif request.param == "table":
        yield TableWriter({name: drafts[-1][0] for name, drafts in DRAFTS.items()})
    elif request.param == "useless model":
        yield ModelWriter(ScriptedModel(["I would rather not."] * 40), synthesizer, process)
    else:
        with ScriptedMind() as server:
            model = OpenAIChat("scripted", server.base_url)
            yield ModelWriter(model, synthesizer, process)


def learned(writer: PredicateWriter, labels: list[Label] = LABELS) -> Learned:
    return writer.learn(GRASPABLE, labels, scenes=SCENES, version=3)


def test_the_predicate_holds_where_it_was_said_to(writer: PredicateWriter) -> None:
    predicate = learned(writer).predicate
    for label in LABELS:
        view = SceneView(label.scene, {predicate.name: predicate})
        assert view.holds(predicate.name, *label.args) is label.truth


def test_the_predicate_is_the_concept_s(writer: PredicateWriter) -> None:
    predicate = learned(writer).predicate
    assert (predicate.name, predicate.arity, predicate.version) == ("graspable", 1, 3)
    assert predicate.english == GRASPABLE.english
    assert predicate.english_not == GRASPABLE.english_not


def test_provenance_tells_words_and_labels(writer: PredicateWriter) -> None:
    provenance = learned(writer).predicate.provenance
    assert provenance["origin"] == "learned" and provenance["disagreeing"] == 0
    assert provenance["words"] == list(dict.fromkeys(x.words for x in LABELS))
    assert [x["truth"] for x in provenance["labels"]] == [x.truth for x in LABELS]


def test_a_library_keeps_it(
    writer: PredicateWriter, process: PredicateSandbox, tmp_path: Path
) -> None:
    predicate = learned(writer).predicate
    save(Library("learned", {predicate.name: predicate}, {}), tmp_path)
    again = load(tmp_path, compiler(process)).predicates[predicate.name]
    assert again == predicate
    view = SceneView(SCENES[0], {predicate.name: again})
    assert view.holds("graspable", *LABELS[0].args) is LABELS[0].truth


def test_words_alone_are_enough_to_begin(writer: PredicateWriter) -> None:
    predicate = writer.learn(ON, [], scenes=SCENES).predicate
    view = SceneView(SCENES[0], {"on": predicate})
    names = view.objects()
    truths = {view.holds("on", a, b) for a in names for b in names if a != b}
    assert truths == {True, False}


def test_labels_that_contradict_each_other_are_given_back(writer: PredicateWriter) -> None:
    first = LABELS[0]
    found = learned(writer, [*LABELS, Label(first.scene, first.args, not first.truth, "no")])
    assert [(c.earlier, c.later.words) for c in found.contradictions] == [(first, "no")]
    assert found.predicate.provenance["disagreeing"] == 1


def test_labels_of_what_was_not_seen_teach_nothing(writer: PredicateWriter) -> None:
    ghost = Label(SCENES[0], ("ghost",), True)
    assert learned(writer, [*LABELS, ghost]).predicate.source == learned(writer).predicate.source


def test_a_draft_is_checked_before_anything_was_seen(process: PredicateSandbox) -> None:
    replies = [
        f'{{"reasoning": "", "verdict": "code", "code": "{code}"}}' for code in ("import os", "1 +")
    ]
    model = ScriptedModel([*replies, *replies])
    found = ModelWriter(model, Synthesizer(CharacterNgrams()), process).learn(GRASPABLE, [])
    assert found.predicate.provenance["by"] == "synthesis"
    assert "is not Python" in found.predicate.provenance["model"]["failed"]


def test_a_model_that_does_not_answer_is_no_writer(process: PredicateSandbox) -> None:
    silent = ScriptedModel([SaySoError(Code.MODEL_UNAVAILABLE, "no reply.")])
    with pytest.raises(SaySoError) as caught:
        learned(ModelWriter(silent, Synthesizer(CharacterNgrams()), process))
    assert caught.value.code is Code.MODEL_UNAVAILABLE
