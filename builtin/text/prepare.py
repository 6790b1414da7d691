#!/usr/bin/env python3
"""Makes the training text and its tokens on all cores.

    prepare.py FOLDER_WITH_TOKENIZER OUTPUT.npz [--chunks N] [--jobs N]

Every turn is checked against what is held out. The output has all tokens one after the other, for each whether it is the
assistant's, and the length of each conversation.
"""
import argparse
import functools
import multiprocessing
import os
import pathlib
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # the processes are the parallelism

import numpy as np  # noqa: E402  pylint: disable=wrong-import-position
from tokenizers import Tokenizer  # noqa: E402  pylint: disable=wrong-import-position

from corpus.chat import rendered, to_tokens  # noqa: E402  pylint: disable=wrong-import-position
from corpus.conversation import conversations  # noqa: E402  pylint: disable=wrong-import-position
from corpus.heldout import is_heldout  # noqa: E402  pylint: disable=wrong-import-position
from generate import CHUNK_SIZE, SEED  # noqa: E402  pylint: disable=wrong-import-position
from shape import CONTEXT  # noqa: E402  pylint: disable=wrong-import-position

Chunk = tuple[np.ndarray, np.ndarray, np.ndarray]


@functools.cache
def tokenizer_of(folder: pathlib.Path) -> Tokenizer:
    """Read once in each process."""
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


def prepare_chunk(folder: pathlib.Path, chunk: int) -> Chunk:
    """Tokens, whether the assistant's, lengths. Conversations longer than the context are left out."""
    tokenizer = tokenizer_of(folder)

    @functools.lru_cache(maxsize=20_000)  # answers and many questions come again and again
    def encode(text: str) -> list[int]:
        return tokenizer.encode(text).ids

    tokens, answers, lengths = [], [], []
    for index, exchanges in enumerate(conversations(SEED, chunk, CHUNK_SIZE)):
        for exchange in exchanges:
            if is_heldout(exchange):
                raise ValueError(f"chunk {chunk}: held out, but in the training text: {exchange}")
        ids, said = to_tokens(exchanges, encode)
        if index < 20 and tokenizer.encode(rendered(exchanges)).ids != ids:
            raise ValueError(f"chunk {chunk}: the template has other tokens than the training: {exchanges}")
        if len(ids) <= CONTEXT:
            tokens += ids
            answers += said
            lengths.append(len(ids))
    return np.array(tokens, np.int16), np.array(answers, np.uint8), np.array(lengths, np.int32)


def main() -> int:
    """Chunks in order, whoever made them: the output does not depend on the number of processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--chunks", type=int, default=300, help=f"of {CHUNK_SIZE} conversations")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    flags = parser.parse_args()
    start = time.monotonic()
    with multiprocessing.get_context("fork").Pool(flags.jobs) as pool:
        chunks = pool.map(functools.partial(prepare_chunk, flags.folder), range(flags.chunks), chunksize=1)
    tokens, answers, lengths = (np.concatenate(parts) for parts in zip(*chunks))
    assert len(tokens) == len(answers) == lengths.sum()
    np.savez(flags.output, tokens=tokens, answers=answers, lengths=lengths)
    left_out = flags.chunks * CHUNK_SIZE - len(lengths)
    shares = ", ".join(f"{np.mean(lengths <= edge):.1%} within {edge}" for edge in (16, 24, 32, 48, 64, 128, 256, 512))
    print(f"text: {len(lengths)} conversations, {len(tokens)} tokens, {answers.mean():.1%} of them the assistant's, "
          f"{left_out} too long and left out, {time.monotonic() - start:.0f} s")
    print(f"   lengths: {shares}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
