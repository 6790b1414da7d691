#!/usr/bin/env python3
"""Checks that nothing held out is in the training text: no wording of the tables, and no turn of a sample of the text.

    check_heldout.py [--chunks N]

train.py looks at all of the text that it trains on in the same way.
"""
import argparse
import sys

from corpus.conversation import conversations
from corpus.heldout import is_heldout, same_wording
from corpus.tables import HELDOUT, column, read_table
from generate import CHUNK_SIZE, SEED


def wordings_in_common() -> list[str]:
    """Trained wordings that contain a held-out one."""
    heldout = [row["wording"] for row in read_table("wordings", HELDOUT)]
    heldout += [row["question"] for row in read_table("questions", HELDOUT)]
    trained = [*column("wordings", "wording"), *column("unknown", "question")]
    for table in ("about", "greetings"):
        trained += [question for cell in column(table, "questions") for question in cell.split(";")]
    return [f"{trained_one!r} contains the held-out {other!r}" for trained_one in trained for other in heldout
            if same_wording(trained_one, other)]


def turns_in_common(chunks: int) -> list[str]:
    """Turns of the first chunks of the training text that are held out."""
    return [f"the training text has {exchange[0]!r}" for chunk in range(chunks)
            for exchanges in conversations(SEED, chunk, CHUNK_SIZE) for exchange in exchanges if is_heldout(exchange)]


def main() -> int:
    """Prints what is wrong, one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=4, help=f"of {CHUNK_SIZE} conversations to look at")
    flags = parser.parse_args()
    problems = wordings_in_common() + turns_in_common(flags.chunks)
    for problem in problems[:20]:
        print(problem)
    print(f"{len(problems)} held-out wordings, questions or sums in the training text")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
