"""Release after release folded into one history per setting."""

from __future__ import annotations

from advisor.upstream.arguments import Flag
from advisor.upstream.environment import Variable
from advisor.upstream.settings import Surface, environment_history, settings_history


def spans(records):
    return [(record["since"], record["until"], record["default"]) for record in records]


def test_an_unchanged_flag_is_one_record():
    surfaces = [Surface(version, [Flag("--tp", default=1)]) for version in ("1", "2", "3")]
    assert spans(settings_history(surfaces)["--tp"]) == [("1", None, 1)]


def test_a_changed_default_ends_one_record_and_begins_another():
    surfaces = [
        Surface(version, [Flag("--a", default=default)])
        for version, default in (("1", False), ("2", None), ("3", None))
    ]
    assert spans(settings_history(surfaces)["--a"]) == [("1", "2", False), ("2", None, None)]


def test_one_and_true_are_different_defaults():
    surfaces = [Surface("1", [Flag("--a", default=1)]), Surface("2", [Flag("--a", default=True)])]
    assert len(settings_history(surfaces)["--a"]) == 2


def test_a_flag_that_goes_and_comes_back_has_a_gap():
    surfaces = [Surface("1", [Flag("--a")]), Surface("2"), Surface("3", [Flag("--a")])]
    assert spans(settings_history(surfaces)["--a"]) == [("1", "2", None), ("3", None, None)]


def test_the_newest_canonical_spelling_names_the_whole_history():
    surfaces = [
        Surface("1", [Flag("--tensor-parallel-size", ("--tp-size",))]),
        Surface("2", [Flag("--tp-size", ("--tensor-parallel-size",))]),
    ]
    history = settings_history(surfaces)
    assert list(history) == ["--tp-size"]
    assert [record["aliases"] for record in history["--tp-size"]] == [["--tensor-parallel-size"]]
    assert history["--tp-size"][0]["since"] == "1"


def test_a_renamed_flag_does_not_claim_releases_that_refuse_its_name():
    surfaces = [Surface("1", [Flag("--old")]), Surface("2", [Flag("--new", ("--old",))])]
    history = settings_history(surfaces)
    assert spans(history["--old"]) == [("1", "2", None)]
    assert spans(history["--new"]) == [("2", None, None)]


def test_two_flags_of_one_release_are_never_joined():
    surfaces = [
        Surface("1", [Flag("--a"), Flag("--b", ("--c",))]),
        Surface("2", [Flag("--c", ("--a", "--b"))]),
    ]
    history = settings_history(surfaces)
    assert [record["since"] for record in history["--a"]] == ["1"]
    assert [record["since"] for record in history["--c"]] == ["1", "2"]


def test_negations_are_written_only_where_there_are_some():
    plain, paired = Flag("--a", kind="pair"), Flag("--b", kind="pair", negations=("--nob",))
    history = settings_history([Surface("1", [plain, paired])])
    assert "negations" not in history["--a"][0]
    assert history["--b"][0]["negations"] == ["--nob"]


def test_variables_fold_alike():
    surfaces = [
        Surface("1", variables=[Variable("X", "0")]),
        Surface("2", variables=[Variable("X", "1")]),
        Surface("3"),
    ]
    assert spans(environment_history(surfaces)["X"]) == [("1", "2", "0"), ("2", "3", "1")]
