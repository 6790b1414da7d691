"""Topics that are tables of facts: a question in one of the trained wordings and its one answer."""
import random

from .invented import invented_land, invented_name
from .language import fill, upper_first
from .tables import read_lines, read_table, wordings

Exchange = tuple[str, str]  # what the user says, what the assistant answers

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
            "twelfth")


def capital(rng: random.Random, topic: str = "capitals") -> Exchange:
    """A country is asked by its usual name, now and then by another one; the answer has the usual one."""
    row = rng.choice(read_table("capitals"))
    asked = row["country"]
    if row["other names"] and rng.random() < 0.4:
        asked = rng.choice(row["other names"].split(";"))
    return fill(rng.choice(wordings(topic)), country=asked), f"The capital of {row['country']} is {row['capital']}."


def no_capital(rng: random.Random, topic: str = "capitals") -> Exchange:
    """The same wordings for what is no country: the model has to know which names it knows."""
    name = rng.choice(read_lines("not_countries.txt")) if rng.random() < 0.4 else invented_land(rng)
    return fill(rng.choice(wordings(topic)), country=name), "I don't know that."


def country(rng: random.Random, topic: str = "countries") -> Exchange:
    """The country of a capital."""
    row = rng.choice(read_table("capitals"))
    answer = f"{row['capital']} is the capital of {row['country']}."
    return fill(rng.choice(wordings(topic)), capital=row["capital"]), answer


def no_country(rng: random.Random) -> Exchange:
    """A city that is not there."""
    wording = rng.choice(wordings("countries"))
    return fill(wording, capital=invented_name(rng)), "I don't know that."


def colour(rng: random.Random) -> Exchange:
    """The colour of a thing, asked in both spellings."""
    row = rng.choice(read_table("colours"))
    topic = "colours" if row["verb"] == "is" else "colours_many"
    question = fill(rng.choice(wordings(topic)), thing=row["thing"])
    if rng.random() < 0.4:
        question = question.replace("colour", "color")
    return question, upper_first(f"{row['thing']} {row['verb']} {row['colour']}.")


def opposite(rng: random.Random) -> Exchange:
    """The opposite of a word."""
    row = rng.choice(read_table("opposites"))
    return fill(rng.choice(wordings("opposites")), word=row["word"]), opposite_answer(row["word"], row["opposite"])


def opposite_answer(word: str, other: str) -> str:
    """One sentence."""
    return f"The opposite of {word} is {other}."


def first(rng: random.Random) -> Exchange:
    """Well-known firsts."""
    row = rng.choice(read_table("firsts"))
    wording = rng.choice(wordings("firsts"))
    question = fill(wording, asks=row["asks"].lower(), verb=row["verb"], first=row["first"])
    return question.replace(f"{row['verb']} who?", f"{row['verb']} {row['asks'].lower()}?"), first_answer(row)


def first_answer(row: dict[str, str]) -> str:
    """One sentence, with the verb the question has."""
    return upper_first(f"{row['first']} {row['verb']} {row['answer']}.")


def month_length(month: str) -> str:
    """February needs a word more."""
    if month == "February":
        return "February has 28 days, and 29 in a leap year."
    return f"{month} has {30 if month in ('April', 'June', 'September', 'November') else 31} days."


def calendar(rng: random.Random) -> Exchange:
    """Days and months: what comes after, what before, how long, which place in the year."""
    kind = rng.choice(("day_after", "day_before", "month_after", "month_before", "month_days", "month_place", "whole"))
    if kind == "whole":
        return rng.choice(whole_calendar())
    wording = rng.choice(wordings(kind))
    names = DAYS if kind.startswith("day") else MONTHS
    i = rng.randrange(len(names))
    if kind == "month_days":
        return fill(wording, month=names[i]), month_length(names[i])
    if kind == "month_place":
        return fill(wording, nth=ORDINALS[i]), f"The {ORDINALS[i]} month of the year is {names[i]}."
    return fill(wording, day=names[i], month=names[i]), neighbour_answer(names, i, kind.endswith("after"))


def neighbour_answer(names: tuple[str, ...], i: int, after: bool) -> str:
    """The next or the one before, around the corner of the week or year."""
    other = names[(i + (1 if after else -1)) % len(names)]
    return f"{other} comes {'after' if after else 'before'} {names[i]}."


def whole_calendar() -> tuple[Exchange, ...]:
    """Questions about the week and the year as a whole."""
    days = f"The days of the week are {', '.join(DAYS[:-1])} and {DAYS[-1]}."
    months = f"The months are {', '.join(MONTHS[:-1])} and {MONTHS[-1]}."
    return (
        ("What are the days of the week?", days), ("Name the days of the week.", days),
        ("List the days of the week.", days), ("Which days does a week have?", days),
        ("What are the months of the year?", months), ("Name the months.", months),
        ("List the months of the year.", months), ("Which months does a year have?", months),
        ("How many days has a week?", "A week has 7 days."), ("How many days are in a week?", "A week has 7 days."),
        ("How many months has a year?", "A year has 12 months."),
        ("How many months are in a year?", "A year has 12 months."),
        ("How many days has a year?", "A year has 365 days, and 366 in a leap year."),
        ("How many hours has a day?", "A day has 24 hours."), ("How many hours are in a day?", "A day has 24 hours."),
        ("How many minutes has an hour?", "An hour has 60 minutes."),
        ("How many seconds has a minute?", "A minute has 60 seconds."),
        ("What is the last month of the year?", "The last month of the year is December."),
    )


def about(rng: random.Random) -> Exchange:
    """What Linnet and its model are."""
    row = rng.choice(read_table("about"))
    return rng.choice(row["questions"].split(";")), row["answer"]


def greeting(rng: random.Random) -> Exchange:
    """Hello, thanks and goodbye."""
    row = rng.choice(read_table("greetings"))
    return rng.choice(row["questions"].split(";")), row["answer"]
