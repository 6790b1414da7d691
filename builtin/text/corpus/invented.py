"""Names of lands, cities and people that do not exist, for questions the model has to say "I don't know that." to."""
import functools
import random
from collections.abc import Callable

from .language import upper_first
from .tables import column

SYLLABLES = ("ba be bo bra ca co da de do dra el fa fi fra ga gi go gra ha he hu in ja ka ki ko kra la le li lo lu ma "
             "me mi mo mu na ne ni no nu o pa pe pi po pra qua ra re ri ro ru sa se shi si so sta su ta te ti to tra tu "
             "u va ve vi vo vu wa we wi xa ya yo za ze zi zo").split()
ENDS = "n r s l m x th nd rk ck v st".split() + [""] * 8


@functools.cache
def real_names() -> frozenset[str]:
    """Names that must not be invented by chance: a few syllables do make Mali and Lima."""
    names = [*column("capitals", "country"), *column("capitals", "capital")]
    names += [name for names in column("capitals", "other names") for name in names.split(";")]
    return frozenset(name.lower().removeprefix("the ") for name in names)


def unreal(make: Callable[[], str]) -> str:
    """The first of what `make` gives that is no real name."""
    while (name := make()).lower().removeprefix("the ") in real_names():
        pass
    return name


def invented_name(rng: random.Random) -> str:
    """A name nobody has: two to four syllables."""
    return unreal(lambda: any_name(rng))


def invented_land(rng: random.Random) -> str:
    """A land nobody has seen."""
    return unreal(lambda: any_land(rng))


def any_name(rng: random.Random) -> str:
    """May be a real name by chance."""
    return upper_first("".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4))) + rng.choice(ENDS))


def any_land(rng: random.Random) -> str:
    """May be a real one by chance; with the endings of real ones so that these alone do not decide."""
    kind = rng.random()
    if kind < 0.4:
        return invented_name(rng)
    if kind < 0.75:
        stem = "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(1, 3)))
        return upper_first(stem + rng.choice(("land", "ia", "stan", "nia", "ria", "dor", "burg", "ville", "topia")))
    if kind < 0.85:
        return rng.choice(("the Kingdom of ", "the Republic of ", "the Land of ", "New ", "North ", "South ", "Lower ",
                           "Saint ", "the Isle of ")) + invented_name(rng)
    return misspelt(rng, rng.choice(column("capitals", "country")))


def misspelt(rng: random.Random, name: str) -> str:
    """A country with two letters changed: near a real one, and still none."""
    letters = list(name)
    places = [i for i, letter in enumerate(letters) if i > 0 and letter.islower() and letters[i - 1] != " "]
    for place in rng.sample(places, min(2, len(places))):
        letters[place] = rng.choice([c for c in "abdefgiklmnoprstuvz" if c != letters[place]])
    changed = "".join(letters)
    return changed if changed.startswith("the ") == name.startswith("the ") else "Nowhere"
