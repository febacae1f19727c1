"""`advisor.model.late.dataclass` beside the standard one: the same class made by both behaves the same."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from advisor.model import late
from advisor.model.fact import Fact, Span
from advisor.model.launch import Setting


def made(dataclass: Any, **how: bool) -> Any:
    """A class with every kind of field that the house has, and a name that is also a function's."""

    @dataclass(**how)
    class Noun:
        """A noun."""

        first: str
        set: tuple[int, ...] = ()
        third: dict[str, int] = dataclasses.field(default_factory=dict, compare=False)
        fourth: list[int] = dataclasses.field(default_factory=list, init=False, repr=False, compare=False)

        def __post_init__(self) -> None:
            self.fourth.append(len(self.first))

        def said(self) -> str:
            return f"{self.first} {self.set}"

    return Noun


WAYS: list[dict[str, bool]] = [{}, {"frozen": True}, {"slots": True}, {"frozen": True, "slots": True}]


@pytest.fixture(params=WAYS, ids=str)
def both(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    return made(late.dataclass, **request.param), made(dataclasses.dataclass, **request.param)


def outcome(act: Any) -> Any:
    """What it gives, or the kind of error that it raises."""
    try:
        return act()
    except (TypeError, AttributeError) as error:
        return type(error).__mro__[:-3]


ACTS = {
    "shown": lambda noun: repr(noun("a", (1,), {"b": 2})).partition(".")[2],
    "equal": lambda noun: noun("a", (1,)) == noun("a", (1,), {"left": 0}),
    "not equal": lambda noun: noun("a") == noun("b"),
    "unlike another class": lambda noun: noun("a") == ("a", (), {}, [1]),
    "hashed alike": lambda noun: hash(noun("a", (1,))) == hash(noun(set=(1,), first="a")),
    "hashed as its values": lambda noun: hash(noun("a", (1,))),
    "in a set": lambda noun: len({noun("a"), noun("a"), noun("b")}),
    "fields": lambda noun: [(one.name, one.init, one.compare) for one in dataclasses.fields(noun)],
    "is a dataclass": dataclasses.is_dataclass,
    "as plain data": lambda noun: dataclasses.asdict(noun("abc", (1,))),
    "replaced": lambda noun: dataclasses.replace(noun("a"), set=(2,)).said(),
    "replaced by what is not there": lambda noun: dataclasses.replace(noun("a"), fifth=1),
    "factories are called each time": lambda noun: noun("a").third is noun("a").third,
    "matched": lambda noun: noun.__match_args__,
    "one too few": lambda noun: noun(),
    "one too many": lambda noun: noun("a", (), {}, [], 1),
    "one unknown": lambda noun: noun("a", fifth=1),
    "assigned": lambda noun: setattr(noun("a"), "first", "b"),
    "deleted": lambda noun: delattr(noun("a"), "first"),
    "copied": lambda noun: copy.deepcopy(noun("a", (1,), {"b": 2})).third,
    "doc": lambda noun: noun.__doc__,
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_it_behaves_as_the_standard_one(both, act):
    ours, standard = both
    assert outcome(lambda: act(ours)) == outcome(lambda: act(standard))


def test_the_sample_tells_the_ways_apart():
    """Else the comparison above could not fail: acts that must raise do, and only where they must."""
    frozen, open_ = made(late.dataclass, frozen=True), made(late.dataclass)
    assert outcome(lambda: ACTS["assigned"](frozen))[0] is dataclasses.FrozenInstanceError
    assert outcome(lambda: ACTS["assigned"](open_)) is None
    assert outcome(lambda: ACTS["in a set"](frozen)) == 2
    assert outcome(lambda: ACTS["in a set"](open_))[0] is TypeError


def test_without_eq_each_is_its_own():
    noun = made(late.dataclass, eq=False)
    one, other = noun("a"), noun("a")
    assert one != other and len({one, other, one}) == 2


@pytest.mark.parametrize("frozen", [True, False])
def test_the_standard_one_inherits_from_it(frozen: bool) -> None:
    base = made(late.dataclass, frozen=frozen)
    body = {"__annotations__": {"more": int}, "more": 0}
    further: Any = dataclasses.dataclass(frozen=frozen)(type("Further", (base,), body))
    assert further("a", more=2).said() == "a ()"
    assert further("a", more=2) != further("a", more=3) != base("a")


def test_a_noun_of_the_house_survives_a_pickle():
    """As the processes of `advisor lint` hand them over; one class with slots, one without."""
    fact = Fact("symptom.hang", True, "stated", Span("a.log", 3), "hangs")
    setting = Setting("--tensor-parallel-size", 8, "--tp", Span("a.sh", 1))
    assert pickle.loads(pickle.dumps((fact, setting))) == (fact, setting)


def test_a_class_without_a_text_of_its_own_takes_its_name():
    @late.dataclass
    class Bare:
        only: int = 0

    assert Bare.__doc__ == "Bare"
    assert Bare() == Bare(0) and repr(Bare(1)).endswith("Bare(only=1)")


def test_a_changed_noun_is_what_the_standard_one_makes_of_it() -> None:
    fact = Fact("a", 1, "stated", Span("log", 3), why="x")
    for changes in ({}, {"value": None}, {"name": "b", "span": None, "notable": True}):
        assert late.changed(fact, **changes) == dataclasses.replace(fact, **changes)
    assert fact.value == 1
    with pytest.raises(TypeError, match="whence"):
        late.changed(fact, whence="there")


def test_a_cached_property_is_found_once_for_each_noun() -> None:
    class Noun:
        asked = 0

        @late.cached_property
        def found(self) -> int:
            """What is found."""
            self.asked += 1
            return self.asked

    one, other = Noun(), Noun()
    assert (one.found, one.found, other.found, one.asked) == (1, 1, 1, 1)
    assert Noun.found.__doc__ == "What is found."
    del one.found
    assert one.found == 2
