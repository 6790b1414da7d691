#!/usr/bin/env python3
"""Writes training text from the tables: one conversation a line, as JSON.

    generate.py [--seed N] [--chunks N] [--chunk-size N] > text.jsonl

The same seed gives the same text. train.py makes the same chunks in memory; this program is there to look at them.
"""
import argparse
import json
import sys

from corpus.conversation import conversations

SEED = 7
CHUNK_SIZE = 10_000


def as_messages(exchanges: list[tuple[str, str]]) -> list[dict[str, str]]:
    """The form that chat templates take."""
    messages = []
    for question, answer in exchanges:
        messages.append({"role": "user", "content": question})
        messages.append({"role": "assistant", "content": answer})
    return messages


def main() -> int:
    """Prints the chunks one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--chunks", type=int, default=1)
    parser.add_argument("--chunk-size", type=int, default=CHUNK_SIZE)
    flags = parser.parse_args()
    for chunk in range(flags.chunks):
        for exchanges in conversations(flags.seed, chunk, flags.chunk_size):
            json.dump({"messages": as_messages(exchanges)}, sys.stdout, ensure_ascii=False)
            sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
