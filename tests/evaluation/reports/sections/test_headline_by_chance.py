"""A judge that has nothing to do with people is hardly ever said to rank systems as they do."""

from bench.headlines import AS_PEOPLE, ROUGHLY, rates


def test_of_an_unrelated_judge(subtests):
    for systems in [3, 5, 16]:
        with subtests.test(systems=systems):
            found = rates(systems, studies=150)
            assert found[AS_PEOPLE] <= 0.025
            assert found[ROUGHLY] <= (0.05 if systems >= 5 else 0)


def test_a_good_judge_of_many_systems_is_said_to_be_one():
    assert rates(16, studies=20, unrelated=False)[AS_PEOPLE] >= 0.9
