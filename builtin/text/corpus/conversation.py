"""Conversations: which topics how often, how people really type, one turn or several."""
import random

from . import facts, numbers, stories, unknown
from .facts import Exchange
from .tables import read_table

# Share of the turns. Stories are ten times as long as the rest, so that few of them are many tokens.
TOPICS = (
    (facts.capital, 30), (facts.country, 10), (numbers.arithmetic, 16), (facts.colour, 5), (facts.opposite, 6),
    (facts.calendar, 6), (facts.first, 4), (stories.story, 4), (facts.about, 4), (facts.greeting, 2),
    (unknown.unknown, 16),
)
MAKERS, SHARES = zip(*TOPICS)
PLAIN = (facts.greeting, facts.about, stories.story)  # nobody begins these with "One question:"
# Words that begin a sentence and lose their capital letter when something is put before it.
OPENERS = frozenset(("What", "What's", "Which", "Who", "Whose", "How", "Tell", "Name", "Can", "Could", "Do", "Give", "In",
                     "Where", "The", "Of", "To", "For", "When", "Why", "Please", "Add", "Calculate", "Multiply", "Take",
                     "Subtract", "Divide", "Explain", "If", "After", "Before", "Any", "Say", "Is", "Will", "Write"))
MOST_LONG_TURNS = 24


def styled(rng: random.Random, text: str, plain: bool) -> str:
    """As people type: a word before or after it, without the mark at the end, in lower case, twice the mark."""
    if not plain and rng.random() < 0.06:
        before = rng.choice([row["text"] for row in read_table("style") if row["kind"] == "before"])
        if text.split(" ")[0] in OPENERS and before[-1] != "!":
            text = text[0].lower() + text[1:]
        text = f"{before} {text}"
    if not plain and rng.random() < 0.04:
        text = f"{text} {rng.choice([row['text'] for row in read_table('style') if row['kind'] == 'after'])}"
    if rng.random() < 0.12 and text[-1] in "?.!":
        text = text[:-1].rstrip()
    elif rng.random() < 0.02 and text[-1] in "?!":
        text += text[-1]
    if rng.random() < 0.12:
        text = text.lower()
    return text


def exchange(rng: random.Random, previous: str = "") -> tuple[Exchange, str]:
    """The next turn and the name of its topic; after a capital people often just say the next country."""
    if previous in ("capital", "country") and rng.random() < 0.25:
        maker = getattr(facts, previous)
        if previous == "capital" and rng.random() < 0.15:
            question, answer = facts.no_capital(rng, "capitals_next")
        else:
            question, answer = maker(rng, {"capital": "capitals_next", "country": "countries_next"}[previous])
    else:
        maker = rng.choices(MAKERS, SHARES)[0]
        question, answer = maker(rng)
    return (styled(rng, question, maker in PLAIN), answer), maker.__name__


def conversation(rng: random.Random) -> list[Exchange]:
    """Three of four have one turn; a few are long, so that every place of the context is trained."""
    kind = rng.random()
    turns = 1 if kind < 0.75 else rng.randint(2, 4) if kind < 0.985 else rng.randint(8, MOST_LONG_TURNS)
    exchanges, topic = [], ""
    for _ in range(turns):
        said, topic = exchange(rng, topic)
        exchanges.append(said)
    return exchanges


def conversations(seed: int, chunk: int, count: int) -> list[list[Exchange]]:
    """A chunk of the training text. It depends on the seed and its number only, not on who makes which chunk when."""
    rng = random.Random(f"linnet {seed} {chunk}")
    return [conversation(rng) for _ in range(count)]
