"""Short stories of about 100 words: somebody wants something, there is trouble, somebody helps, it ends."""
import random

from .facts import Exchange
from .language import fill, upper_first, with_article
from .tables import Row, read_table, wordings

PARTS = ("opening", "want", "start", "trouble", "feeling", "meeting", "help", "result", "thanks", "ending")
HIS = {"he": "his", "she": "her"}


def pick(rng: random.Random, table: str) -> Row:
    """Any row of a table of stories."""
    return rng.choice(read_table(f"stories/{table}"))


def story(rng: random.Random) -> Exchange:
    """Asks for any story, or for one about a character, who is then its hero."""
    hero, nature, name = pick(rng, "heroes"), pick(rng, "natures")["nature"], pick(rng, "names")
    while hero["pronoun"] not in ("", name["pronoun"]):
        name = pick(rng, "names")
    asked_nature = rng.random() < 0.3
    if rng.random() < 0.35:
        question = rng.choice(wordings("stories"))
    else:
        character = with_article(f"{nature} {hero['hero']}" if asked_nature else hero["hero"])
        if rng.random() < 0.2:
            character += f" {rng.choice(('named', 'called'))} {name['name']}"
        question = fill(rng.choice(wordings("stories_about")), character=character)
    return question, told(rng, with_article(f"{nature} {hero['hero']}"), name)


def told(rng: random.Random, a_hero: str, name: Row) -> str:
    """Every part in one of its ways, with the same people, place and trouble throughout."""
    place, want, trouble = pick(rng, "places"), pick(rng, "wants"), pick(rng, "troubles")
    values = {**place, **want, **trouble, "a_hero": a_hero, "name": name["name"], "he": name["pronoun"],
              "his": HIS[name["pronoun"]], "helper": pick(rng, "helpers")["helper"], "time": pick(rng, "times")["time"]}
    sentences = read_table("stories/sentences")
    lines = [fill(rng.choice([row["sentence"] for row in sentences if row["part"] == part]), **values) for part in PARTS]
    return " ".join(upper_first(line) for line in lines)
