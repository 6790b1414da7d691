"""Finds held-out wordings, questions and sums in a text: the training text must have none of them."""
import functools
import re

from .facts import DAYS, MONTHS, Exchange
from .language import fill, possessive
from .numbers import is_heldout_sum
from .tables import HELDOUT, column, read_lines, read_table

SLOT = re.compile(r"\{([^{}]+)\}")


def plain(text: str) -> str:
    """Without letter case, punctuation and American spelling, so that these alone make no other wording."""
    text = text.lower().replace("'", "").replace("color", "colour")
    return " ".join(re.sub(r"[^\w]+", " ", text).split())


def values_of(slot: str) -> list[str]:
    """What may stand in a slot."""
    countries = [*column("capitals", "country"), *read_lines("not_countries.txt")]
    countries += [name for names in column("capitals", "other names") if names for name in names.split(";")]
    found = {"country": countries, "country's": [possessive(name) for name in countries],
             "capital": column("capitals", "capital"), "thing": column("colours", "thing"),
             "word": [*column("opposites", "word")], "day": DAYS, "month": MONTHS, "first": column("firsts", "first")}
    return list(found[slot])


@functools.cache
def patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Of each held-out wording and question: a part that any match has, and the whole as a pattern over plain text."""
    found = []
    for row in read_table("wordings", HELDOUT):
        pieces = SLOT.split(row["wording"])
        source = []
        for i, piece in enumerate(pieces):
            if i % 2 == 0:
                source.append(re.escape(plain(piece)))
            elif piece in ("a", "b"):
                source.append(r"\d+")
            elif piece == "character":
                source.append(r"an? \w+")
            else:
                source.append("(?:" + "|".join(sorted({re.escape(plain(value)) for value in values_of(piece)})) + ")")
        needle = max((plain(piece) for piece in pieces[::2]), key=len)
        found.append((needle, re.compile(r"\b" + r"\s".join(part for part in source if part) + r"\b")))
    for row in read_table("questions", HELDOUT):
        needle = plain(row["question"])
        found.append((needle, re.compile(r"\b" + re.escape(needle) + r"\b")))
    return tuple(found)


def found_in(question: str) -> str:
    """The held-out wording or question that the text contains, empty if none."""
    text = plain(question)
    for needle, pattern in patterns():
        if needle in text and pattern.search(text):
            return pattern.pattern[:80]
    return ""


def is_heldout(exchange: Exchange) -> bool:
    """Contains a held-out wording or question, or asks for a held-out sum."""
    question, answer = exchange
    if found_in(question):
        return True
    parts = re.fullmatch(r"(\d+) plus (\d+) is \d+\.", answer)
    return parts is not None and is_heldout_sum(int(parts[1]), int(parts[2]))


def same_wording(trained: str, heldout: str) -> bool:
    """Whether the trained wording contains the held-out one, whatever stands in the slots."""
    slots = {name[:1].lower() + name[1:].removesuffix("'s") for name in SLOT.findall(trained + heldout)}
    values = {slot: f"{slot}value" for slot in slots}
    return plain(fill(heldout, **values)) in plain(fill(trained, **values))
