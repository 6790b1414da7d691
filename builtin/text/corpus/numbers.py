"""Small arithmetic: questions in digits, now and then in words, and answers in the same."""
import random

from .facts import Exchange
from .language import fill, upper_first
from .tables import wordings

WORDS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
         "seventeen eighteen nineteen twenty twenty-one twenty-two twenty-three twenty-four").split()
LARGEST = 99  # of a summand


def is_heldout_sum(a: int, b: int) -> bool:
    """Sums of two-digit numbers that no training text asks for (heldout/README.md): they show adding from remembering."""
    return a >= 10 and b >= 10 and (a + 1) * (b + 1) % 10 == 8


def said(operation: str, a: int, b: int, result: int) -> str:
    """One sentence."""
    return f"{a} {operation} {b} is {result}."


def in_words(rng: random.Random) -> Exchange:
    """What is two plus three?"""
    a, b = rng.randint(0, 12), rng.randint(0, 12)
    if rng.random() < 0.7:
        operation, result = "plus", a + b
    else:
        a, b = max(a, b), min(a, b)
        operation, result = "minus", a - b
    asked = fill(rng.choice(("What is {a} {o} {b}?", "{A} {o} {b}?", "How much is {a} {o} {b}?", "What's {a} {o} {b}?")),
                 a=WORDS[a], b=WORDS[b], o=operation)
    return asked, upper_first(f"{WORDS[a]} {operation} {WORDS[b]} is {WORDS[result]}.")


def pair_to_add(rng: random.Random) -> tuple[int, int]:
    """Half of the sums are of single digits, which have to be right without exception."""
    if rng.random() < 0.5:
        return rng.randint(0, 9), rng.randint(0, 9)
    while True:
        pair = rng.randint(0, LARGEST), rng.randint(0, LARGEST)
        if not is_heldout_sum(*pair):
            return pair


def sum_of(rng: random.Random) -> Exchange:
    """Two numbers up to 99."""
    a, b = pair_to_add(rng)
    return asked_in("sums", rng, a, b), said("plus", a, b, a + b)


def difference(rng: random.Random) -> Exchange:
    """Never below zero."""
    largest = rng.choice((9, 18, 30, LARGEST))
    a, b = sorted((rng.randint(0, largest), rng.randint(0, largest)), reverse=True)
    return asked_in("differences", rng, a, b), said("minus", a, b, a - b)


def product(rng: random.Random) -> Exchange:
    """The table up to 12."""
    a, b = rng.randint(0, 12), rng.randint(0, 12)
    return asked_in("products", rng, a, b), said("times", a, b, a * b)


def quotient(rng: random.Random) -> Exchange:
    """Without a remainder."""
    b, result = rng.randint(1, 12), rng.randint(0, 12)
    return asked_in("quotients", rng, b * result, b), said("divided by", b * result, b, result)


def asked_in(topic: str, rng: random.Random, a: int, b: int) -> str:
    """In one of the trained wordings."""
    return fill(rng.choice(wordings(topic)), a=str(a), b=str(b))


def arithmetic(rng: random.Random) -> Exchange:
    """Mostly sums."""
    return rng.choices((sum_of, difference, product, quotient, in_words), (55, 18, 14, 5, 8))[0](rng)
