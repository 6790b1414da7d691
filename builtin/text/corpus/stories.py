"""Short stories of about 100 words: somebody wants something, there is trouble, somebody helps, it ends."""
import random
import zlib
from collections.abc import Sequence

from .facts import Exchange
from .language import fill, upper_first, with_article
from .tables import Row, read_table, wordings

PARTS = ("opening", "want", "start", "trouble", "feeling", "meeting", "help", "result", "thanks", "ending")
HIS = {"he": "his", "she": "her"}
ANYBODY = "linnet"  # whom a story is most often about when nobody said

# Every hero has a favourite of each part, which half of the stories take. Without one all choices would be equally likely,
# and the likeliest word, which greedy answers take, would hang on the last bits of a sum and differ between devices.
FAVOURITE = 0.5


def pick(rng: random.Random, rows: Sequence[Row], hero: str, part: str) -> Row:
    """The hero's favourite, or any row."""
    if rng.random() < FAVOURITE:
        return rows[zlib.crc32(f"{hero} {part}".encode()) % len(rows)]
    return rng.choice(rows)


def story(rng: random.Random) -> Exchange:
    """Asks for any story, or for one about a character, who is then its hero."""
    heroes = read_table("stories/heroes")
    about_any = rng.random() < 0.35
    hero = rng.choice(heroes)
    if about_any and rng.random() < FAVOURITE:
        hero = next(row for row in heroes if row["hero"] == ANYBODY)
    names = [row for row in read_table("stories/names") if hero["pronoun"] in ("", row["pronoun"])]
    name = pick(rng, names, hero["hero"], "names")
    if about_any:
        nature = pick(rng, read_table("stories/natures"), hero["hero"], "natures")["nature"]
        question = rng.choice(wordings("stories"))
    else:
        character, nature = hero["hero"], pick(rng, read_table("stories/natures"), hero["hero"], "natures")["nature"]
        if rng.random() < 0.3:
            nature = rng.choice(read_table("stories/natures"))["nature"]
            character = f"{nature} {character}"
        character = with_article(character)
        if rng.random() < 0.2:
            name = rng.choice(names)
            character += f" {rng.choice(('named', 'called'))} {name['name']}"
        question = fill(rng.choice(wordings("stories_about")), character=character)
    return question, told(rng, hero["hero"], nature, name)


def told(rng: random.Random, hero: str, nature: str, name: Row) -> str:
    """Every part in one of its ways, with the same people, place and trouble throughout."""
    values = {"a_hero": with_article(f"{nature} {hero}"), "he": name["pronoun"], "his": HIS[name["pronoun"]], **name}
    for table in ("places", "wants", "troubles", "helpers", "times"):
        values |= pick(rng, read_table(f"stories/{table}"), hero, table)
    lines = []
    for part in PARTS:
        ways = [row for row in read_table("stories/sentences") if row["part"] == part]
        lines.append(upper_first(fill(pick(rng, ways, hero, part)["sentence"], **values)))
    return " ".join(lines)
