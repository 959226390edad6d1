"""Plans in words for VirtualHome's tasks, with a scripted model; skipped where it is not laid."""

import json
import random
from dataclasses import replace
from functools import lru_cache
from itertools import count

import pytest

from sayso import cli
from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Reply
from sayso.evaluation.cape.asking import Asked, Given
from sayso.evaluation.cape.carrying import carry_out
from sayso.evaluation.cape.speaking import Speaker
from sayso.evaluation.cape.stages import MOST_REPEATED
from sayso.evaluation.cape.strategies import STRATEGIES
from sayso.evaluation.cape.suite import Cape, mended
from sayso.evaluation.cape.trial import Trial
from sayso.evaluation.cape.wordings import Admissible, english
from sayso.language.model import checked
from sayso.language.repertoire import Repertoire
from sayso.worlds.virtualhome.package import LAY, package, wheel_path
from sayso.worlds.virtualhome.programs import Programs
from sayso.worlds.virtualhome.tasks import Step, read_program, task, tasks
from support.chat_server import ChatServer
from support.scripted_model import ScriptedModel
from support.scripted_plans import NONSENSE, ScriptedPlans

pytestmark = pytest.mark.skipif(
    not wheel_path().exists(), reason=f"VirtualHome is not laid: run `{LAY}`"
)
REPERTOIRE = Repertoire(CharacterNgrams())


@pytest.fixture(autouse=True)
def the_real_package():
    package.cache_clear()


def admissible(trial: Trial) -> Admissible:
    graspable = [a.args[0] for a in trial.world.nodes.fixed if a.predicate == "graspable"]
    return Admissible(REPERTOIRE, trial.world.observe().objects, graspable)


class Scripted:
    """A scripted model in this process."""

    model = "scripted"

    def __init__(self, plans):
        self._plans = plans

    def complete(self, messages, *, schema=None):
        request = {"messages": [{"content": m.content} for m in messages]}
        answer = self._plans(request)
        return checked(Reply(answer.text, tokens=answer.tokens), schema)


def said_by(model, key="1004_2", name="explicit", whole=False):
    """What becomes of what a model says for a task, and the trial."""
    trial = Trial(task(key))
    things = trial.world.observe().objects
    words = Asked(
        model, trial.world.task, task("27_2"), admissible(trial), things, STRATEGIES[name],
        whole=whole,
    )  # fmt: skip
    return carry_out(trial, words, STRATEGIES[name], goal_known=False, model=model), trial


def speaker(model, **options):
    given = {"same_title": False, "whole": False, "goal_told": False, **options}
    return Speaker(programs(), REPERTOIRE, model, **given)


@lru_cache
def programs():
    return Programs(CharacterNgrams(), tasks())


def test_every_step_of_every_program_is_understood_as_itself():
    everything = {x for t in tasks().values() for s in t.program for x in s.things}
    held = {s.things[0] for t in tasks().values() for s in t.program if len(s.things) == 2}
    actions = Admissible(REPERTOIRE, everything, held)
    steps = sorted({s for t in tasks().values() for s in t.program}, key=str)
    for step in steps:
        likeness = actions.likeness([english(step)])[0]
        assert actions.best(likeness, 1, english(step)) == (step,)


def test_a_scene_has_tens_of_thousands_of_actions():
    assert admissible(Trial(task("27_2"))).count > 50_000


@pytest.mark.parametrize(
    ("words", "step"),
    [
        ("pick up the soap", Step("grab", ("soap_1002",))),
        ("Turn on the washing machine.", Step("switchon", ("washing_machine_1001",))),
        ("turn the washing machine 1001 off", Step("switchoff", ("washing_machine_1001",))),
        ("go to the dining room", Step("walk", ("dining_room_201",))),
        ("have a seat on the couch", Step("sit", ("couch_352",))),
        (
            "put the soap in the washing machine",
            Step("putin", ("soap_1002", "washing_machine_1001")),
        ),
    ],
)
def test_steps_are_understood_in_other_words_too(words, step):
    actions = admissible(Trial(task("27_2")))
    assert actions.best(actions.likeness([words])[0], 1, words) == (step,)


def test_words_without_a_number_mean_what_was_used_before_or_put_there_last():
    actions = Admissible(REPERTOIRE, ["cup_3", "cup_70", "cup_1000", "table_5"], ["cup_3"])
    grab = actions.likeness(["pick the cup up, I mean grab cup"])[0]
    assert actions.best(grab, 1, "grab cup")[0].things == ("cup_1000",)
    assert actions.best(grab, 1, "grab cup", used=["cup_70", "table_5"])[0].things == ("cup_70",)
    assert actions.best(grab, 1, "grab cup 3", used=["cup_70"])[0].things == ("cup_3",)


def test_a_model_is_told_how_things_are_at_each_step():
    model = ScriptedModel(
        ['{"steps": ["walk to dining room 201"]}', '{"steps": ["grab soap 1002"]}', '{"steps": []}']
    )
    trial = Trial(task("27_2"))
    things = trial.world.observe().objects
    words = Asked(
        model, trial.world.task, task("11_1"), admissible(trial), things, STRATEGIES["explicit"],
        look=trial.world.observe,
    )  # fmt: skip
    carry_out(trial, words, STRATEGIES["explicit"], goal_known=False, model=model)
    first, then = (m[-1].content for m in model.asked[:2])
    for text in (first, then):
        assert "washing machine 1001" in text.partition("<<<DATA how they are now\n")[0]
        assert "\nclosed: " in text and "\nswitched off: " in text
        assert "\non mousepad 167: mouse 166\n" in text and "\non floor 5: " not in text
    assert "the one who acts: in dining room 201, standing, holding nothing" in then
    assert "the one who acts: in dining room 201" not in first


@pytest.mark.parametrize("plan", ["steps", "whole"])
def test_a_model_that_knows_the_programs_loses_nothing_over_the_wire(plan, tmp_path, capsys):
    with ChatServer(ScriptedPlans()) as server:
        arguments = [
            "eval", "cape", "--strategy", "explicit", "--plan", plan, "--every", "70",
            "--goal", "hidden", "--llm", "openai", "--model", "scripted",
            "--base-url", server.base_url, "--out", str(tmp_path / "run"),
        ]  # fmt: skip
        assert cli.main(arguments) == 0
        asked = len(server.requests)
        assert (asked == 5) == (plan == "whole")
        if plan == "whole":  # replies are recorded, and not asked for again
            (tmp_path / "run" / "rows.jsonl").unlink()
            assert cli.main(arguments) == 0
            assert len(server.requests) == asked
            replay = ["--llm", "replay", "--cassette", str(tmp_path / "run" / "replies.jsonl")]
            again = [*arguments[: arguments.index("--llm")], *replay]
            assert cli.main([*again, "--out", str(tmp_path / "again")]) == 0
            assert len(server.requests) == asked
            assert '"success": false' not in (tmp_path / "again" / "rows.jsonl").read_text()
    rows = list(map(json.loads, (tmp_path / "run" / "rows.jsonl").read_text().splitlines()))
    assert len(rows) == 5
    assert all(row["success"] for row in rows)
    assert all(row["measures"]["LCS"] == row["measures"]["graph similarity"] == 1 for row in rows)
    assert all(row["measures"]["log probabilities"] for row in rows)
    assert "CAPE, explicit cause (paper)" in capsys.readouterr().out


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_carries_out_what_a_good_model_says(name):
    model = Scripted(ScriptedPlans())
    outcome = speaker(model).run(task("1004_2"), name, rng=random.Random(0))
    if name == "saycan-noisy":
        assert outcome.measures["steps"] > 3
    else:
        assert outcome.success, outcome.detail
        assert outcome.measures["corrections"] == 0


@pytest.mark.parametrize("name", ["explicit", "few-shot-sg", "replanning", "person"])
def test_a_model_that_errs_in_every_fifth_step_is_repaired(name):
    model = Scripted(ScriptedPlans(err_every=5))
    for key in ("1004_2", "27_2"):
        outcome = speaker(model, goal_told=True).run(task(key), name, rng=random.Random(0))
        assert outcome.measures["executable"] and outcome.measures["correct"], outcome.detail


def test_without_feedback_errors_stay():
    outcome = speaker(Scripted(ScriptedPlans(err_every=3))).run(
        task("27_2"), "huang", rng=random.Random(0)
    )
    assert not outcome.measures["executable"]
    assert 0 < outcome.measures["affordable"] < 1


def test_failures_are_told_as_much_as_the_strategy_says():
    bad, done = '{"steps": ["grab soap 1002"]}', '{"steps": []}'
    expected = {
        "success-only": "Task failed.",
        "implicit": "I cannot grab the soap 1002.",
        "explicit": "I cannot grab the soap 1002 because the actor is not near the soap 1002.",
    }
    for name, words in expected.items():
        model = ScriptedModel([bad, done])
        course, _ = said_by(model, "27_2", name)
        assert course.corrections == course.refused == 1
        told = model.asked[1][-1].content
        assert told.endswith(f"<<<DATA could not be done\n{words}\nDATA>>>"), told


def test_other_translations_are_tried_without_asking_again():
    reply = '{"steps": ["grab soap 1002", "find soap 1002"]}'
    model = ScriptedModel([reply, '{"steps": []}'])
    course, trial = said_by(model, "27_2", "resampling")
    assert course.executable
    assert course.corrections == 1
    assert [s.verb for s in trial.world.done] == ["find"]


def test_saycan_takes_the_most_alike_of_what_can_be_done():
    model = ScriptedModel(['{"steps": ["grab soap 1002"]}', '{"steps": []}'])
    course, trial = said_by(model, "27_2", "saycan")
    assert course.executable
    assert course.refused == 0
    assert trial.world.done[0].verb != "grab"


def test_an_oracle_that_is_always_wrong_chooses_what_cannot_be_done():
    model = ScriptedModel(['{"steps": ["find soap 1002"]}', '{"steps": []}'])
    trial = Trial(task("27_2"))
    wrong = replace(STRATEGIES["saycan-noisy"], affordance_error=1.0)
    words = Asked(
        model, trial.world.task, task("11_1"), admissible(trial), trial.world.observe().objects,
        wrong,
    )  # fmt: skip
    course = carry_out(trial, words, wrong, goal_known=False)
    assert not course.executable
    assert course.refused == 1
    so_far = model.asked[1][-1].content.partition("<<<DATA steps so far\n")[2]
    assert not so_far.startswith(("none", "find soap 1002\n")), "it is told what was tried"


def test_saycan_ends_where_nothing_like_what_was_said_can_be_done(monkeypatch):
    monkeypatch.setattr(Admissible, "around", lambda self, scores: scores)
    monkeypatch.setattr("sayso.evaluation.cape.asking._MOST_ALIKE", 1)
    course, trial = said_by(ScriptedModel(['{"steps": ["grab soap 1002"]}']), "27_2", "saycan")
    assert not trial.taken
    assert course.executable, "every step that was chosen could be taken"
    assert course.code is Code.NO_PLAN


def test_a_step_that_is_left_out_is_not_said_again():
    """It has its effect already: a model that says step by step is told that it is done."""
    switch = '{"steps": ["switch light 245 on"]}'
    find = '{"steps": ["walk to light 245"]}'
    key = next(t.key for t in tasks().values() if t.title == "Turn on light")
    light = next(s.things[0] for s in task(key).program if s.verb == "switchon").replace("_", " ")
    said = [x.replace("light 245", light) for x in (find, switch, switch)]
    model = ScriptedModel([*said, '{"steps": []}'])
    course, _ = said_by(model, key, "rules")
    assert course.executable and course.corrections == 1
    assert model.asked[3][-1].content.count(f"switch {light} on") == 2


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("name", ["huang", "explicit", "rules"])
def test_nonsense_is_no_step(name, whole):
    model = ScriptedModel([f'{{"steps": ["{NONSENSE}"]}}', '{"steps": []}', '{"steps": []}'])
    course, trial = said_by(model, name=name, whole=whole)
    assert not trial.taken
    assert course.refused == 1
    assert course.executable == (name != "huang")
    if name == "explicit":
        assert "because there is no such action" in model.asked[1][-1].content


@pytest.mark.parametrize("reply", ["First I would walk to the sink.", '{"plan": ["sleep"]}', "[]"])
def test_prose_is_refused_by_name_after_one_more_try(reply):
    model = ScriptedModel([reply, reply])
    course, trial = said_by(model)
    assert course.code is Code.MODEL_REPLY
    assert not course.executable
    assert not trial.taken
    assert len(model.asked) == 2


def test_things_that_are_not_there_become_those_most_alike_or_nothing():
    model = ScriptedModel(['{"steps": ["grab zeppelin 99999"]}', '{"steps": []}'])
    course, trial = said_by(model, name="explicit")
    assert all(set(s.things) <= set(trial.world.nodes.names.values()) for s in trial.world.done)
    assert course.code is Code.OK


class Parrot:
    model = "parrot"

    def __init__(self, text):
        self.text, self.asked = text, count()

    def complete(self, messages, *, schema=None):
        next(self.asked)
        return checked(Reply(json.dumps({"steps": [self.text]})), schema)


@pytest.mark.parametrize("text", ["walk to sink 42", "grab soap 1002", NONSENSE])
@pytest.mark.parametrize("name", ["huang", "explicit", "rules", "resampling"])
def test_a_model_that_repeats_itself_for_ever_is_ended(name, text):
    parrot = Parrot(text)
    course, _ = said_by(parrot, "27_2", name)
    assert next(parrot.asked) <= 2 * MOST_REPEATED + 2
    assert not course.correct
    if text.startswith("walk"):
        assert course.code is Code.PLAN_INVALID
        assert "no end" in course.reasons[-1]


def test_a_model_that_does_not_answer_ends_the_case_as_such():
    with pytest.raises(SaySoError) as raised:
        said_by(ScriptedModel([]))
    assert raised.value.code is Code.MODEL_UNAVAILABLE


def test_a_program_with_an_unknown_verb_is_refused_with_those_that_there_are():
    trial = Trial(task("27_2"))
    program = (*read_program(["[WALK] <soap> (1002)"]), Step("juggle", ("soap_1002",)))
    course = carry_out(trial, Given(program), STRATEGIES["replanning"], goal_known=False)
    assert course.code is Code.UNSUPPORTED
    assert "juggle" in course.reasons[-1] and "grab" in course.reasons[-1]
    assert not trial.taken, "nothing is done of what cannot be read"


def test_a_failure_of_an_unknown_kind_is_repaired_like_any_other(monkeypatch):
    trial = Trial(task("1004_2"))
    act, failures = trial.world.act, iter([True])

    def failing(step):
        if next(failures, False):
            raise SaySoError(Code.EXECUTION, "the simulator failed in a way that it does not name.")
        act(step)

    monkeypatch.setattr(trial.world, "act", failing)
    course = carry_out(
        trial, Given(trial.world.task.program), STRATEGIES["replanning"], goal_known=True
    )
    assert course.executable and course.correct
    assert course.corrections == 1


def test_a_person_knows_what_is_missing():
    trial = Trial(task("27_2"))
    words = Given(trial.world.task.program[:3])
    course = carry_out(trial, words, STRATEGIES["person"], goal_known=False)
    assert course.executable and course.correct
    assert course.asked == 1


def test_what_is_planned_for_at_the_end_is_repaired_as_well():
    """After a pot is grabbed less is near than the operators say."""
    outcome = speaker(None, goal_told=True).run(task("392_2"), "replanning", random.Random(0))
    assert outcome.success, outcome.detail
    assert outcome.measures["completed"]


def test_a_strategy_about_a_model_needs_one():
    with pytest.raises(SaySoError, match="none is named"):
        Cape("words", strategies=["rules", "explicit"])


def test_the_other_parts_ask_no_model(tmp_path):
    out = str(tmp_path / "run")
    given = ["eval", "cape", "--part", "gold", "--strategy", "rules", "--out", out]
    assert cli.main(given) == 1
    assert not (tmp_path / "run").exists()


def test_a_limit_ends_the_cases():
    assert len(Cape("perturbed", limit=11).cases()) == 11
    outcome = mended(task("1004_2"), "doubled", True, random.Random(0))
    assert outcome.measures["affordable"] <= 1
