"""A little English: articles, possessives, capital letters, and a wording with its slots filled."""
import re


def upper_first(text: str) -> str:
    """With a capital letter in front, as at the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def possessive(name: str) -> str:
    """France's, the Netherlands'."""
    return name + ("'" if name.endswith("s") else "'s")


def with_article(noun: str) -> str:
    """A fox, an owl."""
    return ("an " if noun[0] in "aeiou" else "a ") + noun


def fill(wording: str, **values: str) -> str:
    """Fills {slot}; {Slot} has a capital letter in front, {slot's} is the possessive."""

    def replaced(match: re.Match[str]) -> str:
        name = match.group(1)
        base = name[:1].lower() + name[1:].removesuffix("'s")
        value = values[base]
        if name.endswith("'s"):
            value = possessive(value)
        return upper_first(value) if name[0].isupper() else value

    return re.sub(r"\{([^{}]+)\}", replaced, wording)
