#!/usr/bin/env python3
"""Trains the tokenizer on the first chunks of the training text.

    train_tokenizer.py FOLDER

Writes tokenizer.json and tokenizer_config.json. Byte-level BPE with every digit alone, which sums need: the words are cut as
GGUF's "starcoder" cuts them.
"""
import json
import pathlib
import sys
from collections.abc import Iterator

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from corpus.chat import BOS, END, SPECIALS, TEMPLATE
from corpus.conversation import conversations
from generate import CHUNK_SIZE, SEED
from shape import CONTEXT, VOCABULARY

CHUNKS = 8


def texts() -> Iterator[str]:
    """Questions and answers of the first chunks."""
    for chunk in range(CHUNKS):
        for exchanges in conversations(SEED, chunk, CHUNK_SIZE):
            for question, answer in exchanges:
                yield question
                yield answer


def train() -> Tokenizer:
    """The special tokens come first, then the 256 bytes, then merges."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=list(SPECIALS), show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(texts(), trainer)
    return tokenizer


def check(tokenizer: Tokenizer) -> None:
    """What everything after it relies on."""
    ids = [tokenizer.token_to_id(text) for text in SPECIALS]
    assert ids == list(range(len(SPECIALS))), ids
    assert tokenizer.get_vocab_size() <= VOCABULARY, tokenizer.get_vocab_size()
    text = "What is 12 + 345? São Tomé's."
    encoded = tokenizer.encode(text)
    assert tokenizer.decode(encoded.ids) == text, encoded.tokens
    assert all(len(token) == 1 for token in encoded.tokens if any(c.isdigit() for c in token)), encoded.tokens


def main() -> int:
    """Trains, checks and writes."""
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = train()
    check(tokenizer)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": BOS, "eos_token": END,
              "model_max_length": CONTEXT, "clean_up_tokenization_spaces": False, "chat_template": TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    print(f"tokenizer: {tokenizer.get_vocab_size()} tokens")
    print("  ", tokenizer.encode("What is the capital of the Netherlands? Tell me 27 + 5.").tokens)
    print("  ", tokenizer.encode("The capital of Burkina Faso is Ouagadougou.").tokens, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
