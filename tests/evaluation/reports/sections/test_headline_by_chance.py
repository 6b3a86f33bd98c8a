"""A judge unrelated to people is hardly ever said to rank systems like they do."""

from bench.headlines import AGAINST, CLOSE, LIKE_PEOPLE, ROUGHLY, SPREAD, TIERS, rates


def test_of_an_unrelated_judge(subtests):
    """With weak baselines besides, Pearson alone said so of every second one."""
    for design in [(3, 0, SPREAD), (5, 0, SPREAD), (12, 2, CLOSE), (12, 3, SPREAD)]:
        with subtests.test(design=design):
            found = rates(design, studies=60)
            assert found[LIKE_PEOPLE] <= 0.025
            assert found[AGAINST] <= 0.025
            assert found[ROUGHLY] <= (0.05 if design[0] >= 5 else 0)


def test_of_a_judge_that_only_knows_which_systems_are_strong():
    """The levels are .05 and .1; without the chance within groups .35 and .99 were found."""
    found = rates(TIERS[0], studies=60)
    assert found[LIKE_PEOPLE] <= 0.1
    assert found[ROUGHLY] <= 0.15


def test_a_good_judge_of_many_systems_is_said_to_be_one():
    assert rates((16, 0, SPREAD), studies=20, unrelated=False)[LIKE_PEOPLE] >= 0.8
