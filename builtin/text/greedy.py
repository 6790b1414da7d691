"""Greedy answers of the model in PyTorch, to look at while it trains. What counts is evaluate, through the product."""
from collections import defaultdict
from collections.abc import Sequence

import torch
from tokenizers import Tokenizer

from corpus.chat import END, prompt
from examination import Question, least_of
from shape import CONTEXT

MOST_ROWS = 512


@torch.no_grad()
def answers(model: torch.nn.Module, tokenizer: Tokenizer, texts: Sequence[str], most: int) -> list[tuple[str, bool]]:
    """The answer to each text and whether it ended within `most` tokens. Prompts of one length run together, so that
    nothing needs filling up or a mask."""
    by_length = defaultdict(list)
    for index, text in enumerate(texts):
        ids = tokenizer.encode(prompt(text)).ids
        by_length[len(ids)].append((index, ids))
    found: list[tuple[str, bool]] = [("", False)] * len(texts)
    for rows in by_length.values():
        for first in range(0, len(rows), MOST_ROWS):
            part = rows[first:first + MOST_ROWS]
            written = write(model, tokenizer, [ids for _, ids in part], most)
            for (index, _), answer in zip(part, written):
                found[index] = answer
    return found


def write(model: torch.nn.Module, tokenizer: Tokenizer, prompts: list[list[int]], most: int) -> list[tuple[str, bool]]:
    """Prompts of one length."""
    end = tokenizer.token_to_id(END)
    tokens = torch.tensor(prompts, device="cuda")
    start = tokens.shape[1]
    for _ in range(min(most, CONTEXT - start)):
        with torch.autocast("cuda", torch.bfloat16):
            logits = model(input_ids=tokens, use_cache=False).logits
        tokens = torch.cat([tokens, logits[:, -1].float().argmax(-1, keepdim=True)], dim=1)
        if bool((tokens[:, start:] == end).any(1).all()):
            break
    written = []
    for row in tokens[:, start:].tolist():
        ended = end in row
        written.append((tokenizer.decode(row[:row.index(end)] if ended else row), ended))
    return written


def examine(model: torch.nn.Module, tokenizer: Tokenizer, questions: Sequence[Question], wrong_shown: int) -> None:
    """Prints the share of right answers of each group, and some wrong ones."""
    model.eval()
    short = [question for question in questions if not question.group.startswith("stories")]
    long = [question for question in questions if question.group.startswith("stories")]
    said = answers(model, tokenizer, [question.text for question in short], 64)
    said += answers(model, tokenizer, [question.text for question in long], 300)
    model.train()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    wrong = []
    for question, (answer, ended) in zip(short + long, said):
        right = question.judge(answer, ended)
        counts[question.group][0] += right
        counts[question.group][1] += 1
        if not right:
            wrong.append(f"      {question.text} -> {answer!r}, expected {question.expected}")
    for group, (right, total) in counts.items():
        least = least_of(group)
        demanded = "" if least is None else f"   (at least {least:.0f} %)"
        print(f"   {100 * right / total:6.1f} %  {right:4}/{total:<4} {group}{demanded}")
    print("\n".join(wrong[:wrong_shown]), flush=True)
