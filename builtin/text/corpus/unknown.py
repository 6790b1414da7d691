"""Questions out of the model's reach, all with the same honest answer."""
import random
import re

from .facts import DAYS, Exchange, no_capital, no_country
from .invented import invented_name
from .tables import column, read_table

DONT_KNOW = "I don't know that."


def part(rng: random.Random, slot: str) -> str:
    """What stands in a slot of a question."""
    made = {
        "person": lambda: f"{invented_name(rng)} {invented_name(rng)}" if rng.random() < 0.7 else invented_name(rng),
        "place": lambda: rng.choice(column("capitals", rng.choice(("country", "capital")))),
        "land": lambda: rng.choice(column("capitals", "country")),
        "city": lambda: rng.choice(column("capitals", "capital")),
        "year": lambda: str(rng.randint(1000, 2030)),
        "number": lambda: str(rng.randint(8, 200)),
        "small": lambda: str(rng.randint(1, 99)),
        "large": lambda: str(rng.randint(100, 9999)),
        "odd": lambda: invented_name(rng).lower(),
        "day": lambda: rng.choice(DAYS[:-1]),
    }
    if slot in made:
        return made[slot]()
    choices = {row["slot"]: row["choices"] for row in read_table("unknown_parts")}
    return rng.choice(choices[slot].split(";"))


def question(rng: random.Random) -> str:
    """One of the questions with its slots filled."""
    wording = rng.choice(column("unknown", "question"))
    return re.sub(r"\{(\w+)\}", lambda match: part(rng, match.group(1)), wording)


def unknown(rng: random.Random) -> Exchange:
    """What is not known at all, and what only looks like something known."""
    kind = rng.random()
    if kind < 0.35:
        return no_capital(rng)
    if kind < 0.43:
        return no_country(rng)
    return question(rng), DONT_KNOW
