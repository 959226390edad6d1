"""Libraries on disk: what is written is read again, and what is broken is named."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

from sayso.core import library, vocabulary
from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Literal


@pytest.fixture
def folder(tmp_path):
    """A copy of the built-in library, to be spoiled."""
    return shutil.copytree(library.builtin_path(), tmp_path / "mine")


def change(folder, edit):
    index = json.loads((folder / "library.json").read_text())
    edit(index)
    (folder / "library.json").write_text(json.dumps(index))


def error_of(folder):
    with pytest.raises(SaySoError) as error:
        library.load(folder)
    assert error.value.hint
    return error.value


def test_what_was_saved_is_loaded_again(tmp_path):
    built_in = library.load(library.builtin_path())
    library.save(built_in, tmp_path / "copy")
    again = library.load(tmp_path / "copy")
    assert again.predicates == built_in.predicates
    assert again.operators == built_in.operators
    assert again.vocabulary == built_in.vocabulary
    assert again.operator_provenance == built_in.operator_provenance
    assert [p.source for p in again.predicates.values()] == [
        p.source for p in built_in.predicates.values()
    ]
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_reader_meets_the_old_index_until_all_sources_are_written(folder, monkeypatch):
    """Saving is cut off before the index: the library is still whole, without the new one."""
    shown = library.load(folder)
    new = replace(
        shown.predicates["clear"], name="tidy", source="def tidy(scene, a): return True\n"
    )
    written = library.replace_text

    def cut_off(path, text):
        if path.name == "library.json":
            raise OSError("the disk is full")
        written(path, text)

    monkeypatch.setattr(library, "replace_text", cut_off)
    with pytest.raises(OSError, match="disk is full"):
        library.save(replace(shown, predicates={**shown.predicates, "tidy": new}), folder)
    assert library.load(folder).predicates == shown.predicates


def test_a_predicate_without_a_source_is_not_saved(tmp_path):
    bare = Predicate("bare", ("a",), lambda scene, a: True)
    with pytest.raises(SaySoError, match="'bare' has no source"):
        library.save(library.Library("mine", {"bare": bare}, {}), tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


def test_a_folder_without_an_index_is_named(tmp_path):
    error = error_of(tmp_path / "nowhere")
    assert error.code is Code.CORRUPT and "nowhere/library.json" in error.message


def test_a_file_in_place_of_a_folder_is_named(folder):
    assert error_of(folder / "library.json").code is Code.CORRUPT


@pytest.mark.parametrize("text", ["", '{"format": 1, "pre', "[]", '"library"', "\x00"])
def test_an_index_that_is_no_index_is_corrupt(folder, text):
    (folder / "library.json").write_text(text)
    assert error_of(folder).code is Code.CORRUPT


def test_a_newer_format_is_told_apart(folder):
    change(folder, lambda index: index.update(format=3))
    error = error_of(folder)
    assert error.code is Code.INVALID and "format 3" in error.message


SPOILED = {
    "no predicates": (lambda index: index.pop("predicates"), "lacks 'predicates'"),
    "no name": (lambda index: index["predicates"][0].pop("name"), "lacks 'name'"),
    "a text for a list": (lambda index: index.update(operators="none"), "not the index"),
    "null": (lambda index: index["predicates"].append(None), "not the index"),
    "twice": (lambda index: index["predicates"].append(index["predicates"][0]), "there twice"),
    "a path": (lambda index: index["predicates"][0].update(name="../../x"), "no name of"),
    "no effects": (lambda index: index["operators"][0].pop("add"), "lacks 'add'"),
    "a word for a cost": (lambda index: index["operators"][0].update(cost="dear"), "'dear'"),
}


@pytest.mark.parametrize("what", SPOILED)
def test_a_spoiled_entry_is_named(folder, what):
    spoil, said = SPOILED[what]
    change(folder, spoil)
    error = error_of(folder)
    assert error.code is Code.CORRUPT and said in error.message


def test_a_missing_source_is_named(folder):
    (folder / "predicates" / "clear.py").unlink()
    assert "clear.py" in error_of(folder).message


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def clear(scene, a: return", "SyntaxError"),
        ("raise RuntimeError('mine')", "mine"),
        ("def other(scene, a): return True", "defines no function 'clear'"),
    ],
)
def test_a_source_that_defines_no_predicate_is_named(folder, source, said):
    (folder / "predicates" / "clear.py").write_text(source)
    with pytest.raises(SaySoError, match=r"clear\.py") as error:
        library.load(folder)
    assert error.value.code is Code.CORRUPT and said in error.value.message


@pytest.mark.parametrize(
    ("literal", "said"),
    [
        ("shiny(?o)", "unknown predicate 'shiny'"),
        ("clear(?o, ?o)", "wrong arity"),
        ("clear(?else)", "unbound"),
    ],
)
def test_an_operator_that_uses_what_is_not_there_is_named(folder, literal, said):
    change(folder, lambda index: index["operators"][0]["add"].append(literal))
    with pytest.raises(SaySoError, match=said) as error:
        library.load(folder)
    assert error.value.code is Code.CORRUPT


def test_literals_are_read():
    assert library.parse_literal(" on(?a, b) ") == Literal(Atom("on", ("?a", "b")))
    assert library.parse_literal("not gripper_empty()") == Literal(Atom("gripper_empty"), False)
    for text in ("on ?a ?b", "On(a)", "not", "on(a))"):
        with pytest.raises(SaySoError, match="is not an atom"):
            library.parse_literal(text)


def test_keywords_may_name_predicates():
    assert library.function_name("in") == "in_" and library.function_name("on") == "on"


def named(entries, name):
    return next(e for e in entries if e["name"] == name)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda e: named(e["predicates"], "open").update(types=["opnable"]), "no type 'opnable'"),
        (lambda e: named(e["predicates"], "open").update(types=["thing"] * 2), "2 arguments"),
        (lambda e: named(e["operators"], "stack").update(types=["movable"]), "takes 2"),
        (lambda e: named(e["operators"], "stack").update(types=["movable", "flat"]), "'flat'"),
        (lambda e: e["english"]["kinds"][0].update(types=["flying"]), "'block': there is no type"),
        (
            lambda e: named(e["english"]["actions"], "pick").update(arguments=["moveable"]),
            "action 'pick': there is no type 'moveable'; there are thing, movable",
        ),
        (
            lambda e: e["english"]["types"].insert(
                0, {"name": "toy", "english": "a toy", "is": ["movable"]}
            ),
            "'movable', which is no type that stands before",
        ),
        (lambda e: e["english"]["types"].append(e["english"]["types"][0]), "there twice"),
        (lambda e: e["english"]["types"].append({"name": "toy"}), "lacks 'english'"),
    ],
)
def test_a_spoiled_type_is_named(folder, edit, said):
    change(folder, edit)
    error = error_of(folder)
    assert (error.code, said in error.message) == (Code.CORRUPT, True), error.message


def test_predicates_keep_their_types_where_no_words_are(tmp_path):
    """A library that was learned beside a built-in one has its predicates, not its nouns."""
    built_in = library.load(library.builtin_path())
    learned = library.Library("learned", built_in.predicates, {})
    library.save(learned, tmp_path / "learned")
    assert library.load(tmp_path / "learned").predicates == built_in.predicates


def test_types_are_a_hierarchy():
    words = library.load(library.builtin_path("flat")).vocabulary
    assert words.types_of("old fridge") >= {"appliance", "furniture", "place", "container"}
    assert words.fits("fridge", "movable|furniture") and not words.fits("fridge", "movable")
    assert words.fits("fridge", "thing") and words.fits("gizmo", "movable")
    assert "fridge" in words.nouns_of("furniture") and "mug" not in words.nouns_of("furniture")
    assert words.described("furniture|room") == "a piece of furniture or a room"


@pytest.mark.parametrize(
    ("attribute", "said"),
    [
        ({"name": "warm", "is": "heat"}, "'warm' is a 'heat'; choose among number, truth"),
        ({"name": "warm", "is": "truth", "low": 0}, "'warm' is no number and has bounds"),
        ({"name": "opening_m", "is": "truth"}, "'opening_m' is declared in two ways"),
    ],
)
def test_a_spoiled_attribute_is_named(folder, attribute, said):
    change(folder, lambda e: e["english"]["types"][0].update(attributes=[attribute]))
    error = error_of(folder)
    assert (error.code, said in error.message) == (Code.CORRUPT, True), error.message


def test_a_predicate_that_asks_for_an_attribute_that_nothing_has_is_named(folder):
    source = 'def open(scene, a):\n    return scene.attribute(a, "openning_m") > 0.1\n'
    (folder / "predicates" / "open.py").write_text(source)
    error = error_of(folder)
    assert error.code is Code.CORRUPT
    assert "'openning_m', which no type has; there are opening_m" in error.message


@pytest.mark.parametrize("asked", ['scene.is_a(a, "drawr")', 'scene.of_type("drawr")[0]'])
def test_a_predicate_that_asks_for_a_type_that_there_is_not_is_named(folder, asked):
    (folder / "predicates" / "open.py").write_text(f"def open(scene, a):\n    return {asked}\n")
    error = error_of(folder)
    assert error.code is Code.CORRUPT
    assert "predicate 'open': there is no type 'drawr'; there are thing, movable" in error.message


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ({"next_to": 1.0}, "places have no 'next_to'; there are side_m"),
        ({"next_to_m": -1.0}, "'next_to_m' of the places cannot be -1.0"),
        ({"next_to_m": True}, "'next_to_m' of the places cannot be True"),
        ({"table_is_a_thing": 1}, "'table_is_a_thing' of the places cannot be 1"),
        ({"origin": 3}, "'origin' of the places cannot be 3"),
    ],
)
def test_spoiled_places_are_named(folder, places, said):
    change(folder, lambda e: e["english"].update(places=places))
    error = error_of(folder)
    assert (error.code, said in error.message) == (Code.CORRUPT, True), error.message


@pytest.mark.parametrize(
    ("noun", "observed", "said"),
    [
        ("kitchen door", {"open_share": 0.5}, None),
        ("door", {}, None),
        ("gizmo", {"lit": True}, None),
        ("door", {"lit": True}, "'lit' cannot be observed of a door"),
        ("door", {"open_share": 1.5}, "is 1.5, and not within 0.0 to 1.0"),
        ("door", {"open_share": True}, "is no number: True"),
        ("door", {"open_share": float("nan")}, "is no number: nan"),
        ("lamp", {"lit": 1.0}, "is 1.0, which is no bool"),
    ],
)
def test_what_was_observed_is_checked_by_name_and_kind(noun, observed, said):
    words = library.load(library.builtin_path("flat")).vocabulary
    if said is None:
        words.check_observed(noun, observed)
        return
    with pytest.raises(SaySoError) as caught:
        words.check_observed(noun, observed)
    assert caught.value.code is Code.INVALID
    assert said in caught.value.message


def test_what_cannot_be_observed_is_not_observed():
    hidden = vocabulary.Attribute("clean", "truth", observable=False)
    words = vocabulary.Vocabulary(types=(vocabulary.Type("thing_", "x", (), (hidden,)),))
    with pytest.raises(SaySoError, match="'clean' cannot be observed"):
        words.check_observed("cup", {"clean": True})


def test_a_conditional_effect_comes_about_where_its_condition_held_before(tmp_path):
    """And is kept in the library's file; in a state without it the operator adds no more."""
    library.save(library.load(library.builtin_path("virtualhome")), tmp_path)
    walk = (
        library.load(tmp_path)
        .operators["walk_to"]
        .ground("couch", "office", objects=("couch", "television", "lamp", "cup"))
    )
    held = {Atom("holding", ("cup",)), Atom("reached_from", ("television", "couch"))}
    after = walk.apply(frozenset({*held, Atom("near", ("lamp",))}))
    assert {a.args[0] for a in after if a.predicate == "near"} == {"couch", "television", "cup"}
