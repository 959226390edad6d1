"""Decision diagrams: canonical, and cubes that cover exactly."""

from itertools import product

import numpy as np

from sayso.logic.diagrams import FALSE, TRUE, Diagrams, leaf


def random_boolean(table, rng, variables):
    """A Boolean diagram of a random truth table, built by cases."""

    def build(variable):
        if variable == variables:
            return TRUE if rng.random() < 0.5 else FALSE
        return table.node(variable, build(variable + 1), build(variable + 1))

    return build(0)


def evaluate(table, diagram, bits):
    while diagram >= 0:
        variable, low, high = table.nodes[diagram]
        diagram = high if bits[variable] else low
    return diagram == TRUE


def test_equal_functions_are_equal_diagrams():
    table, rng = Diagrams(), np.random.default_rng(0)
    for _ in range(50):
        a, b = (random_boolean(table, rng, 4) for _ in range(2))
        assert table.conj(a, b) == table.conj(b, a)
        assert table.disj(a, table.conj(a, b)) == a
        assert table.conj(a, table.negation(a)) == FALSE
        assert table.negation(table.negation(a)) == a


def test_cubes_cover_what_they_must_and_no_more_than_they_may():
    table, rng = Diagrams(), np.random.default_rng(1)
    for _ in range(50):
        lower = random_boolean(table, rng, 4)
        upper = table.disj(lower, random_boolean(table, rng, 4))
        cubes = table.cubes(lower, upper)
        for bits in product((False, True), repeat=4):
            covered = any(all(bits[v] == positive for v, positive in c) for c in cubes)
            assert covered or not evaluate(table, lower, bits)
            assert not covered or evaluate(table, upper, bits)


def test_no_cube_is_superfluous():
    table, rng = Diagrams(), np.random.default_rng(2)
    for _ in range(30):
        f = random_boolean(table, rng, 4)
        cubes = table.cubes(f, f)
        for left_out in cubes:
            rest = [c for c in cubes if c != left_out]
            assert any(
                evaluate(table, f, bits) and not any(all(bits[v] == p for v, p in c) for c in rest)
                for bits in product((False, True), repeat=4)
            )


def test_leaves_are_listed_once_low_first():
    table = Diagrams()
    inner = table.node(1, leaf(2), leaf(0))
    assert table.leaves(table.node(0, inner, leaf(2))) == (2, 0)
