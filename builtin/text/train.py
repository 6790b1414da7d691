#!/usr/bin/env python3
"""Trains the model and saves it as a Hugging Face folder.

    train.py FOLDER_WITH_TOKENIZER TEXT.npz [--steps N] [--minutes M]

FOLDER gets config.json, generation_config.json and model.safetensors (F16) beside the tokenizer. Seeds are fixed. The rate of
learning falls along a cosine over the steps, or over the minutes where the machine is too slow for the steps: it always ends.
"""
import argparse
import copy
import math
import pathlib
import re
import sys
import tempfile
import time

import torch
import transformers
from tokenizers import Tokenizer

import shape
from corpus.chat import BOS, END
from examination import Question, questions
from generate import SEED
from greedy import answers, examine
from training_data import TrainingData

HIGHEST_RATE = 2e-3
LOWEST_SHARE = 0.01  # of it, at the end
WARM_UP_STEPS = 100
CONVERSATIONS_PER_STEP = 4096
SHOWN = ("What is the capital of France?", "Tell me a story about a fox.", "Who are you?", "What is the capital of Mordor?",
         "What is 27 + 45?")


def make_model(tokenizer: Tokenizer) -> transformers.LlamaForCausalLM:
    """Weights in F32; computing in BF16 is left to autocast."""
    config = transformers.LlamaConfig(
        vocab_size=shape.VOCABULARY, hidden_size=shape.WIDTH, intermediate_size=shape.MLP_WIDTH,
        num_hidden_layers=shape.LAYERS, num_attention_heads=shape.HEADS, num_key_value_heads=shape.KV_HEADS,
        head_dim=shape.HEAD_WIDTH, max_position_embeddings=shape.CONTEXT, rms_norm_eps=1e-5, hidden_act="silu",
        tie_word_embeddings=True, attention_bias=False, mlp_bias=False, attention_dropout=0.0,
        bos_token_id=tokenizer.token_to_id(BOS), eos_token_id=tokenizer.token_to_id(END), pad_token_id=None)
    torch.manual_seed(SEED)
    model = transformers.LlamaForCausalLM(config).float().cuda()
    model.tie_weights()
    assert model.lm_head.weight is model.model.embed_tokens.weight
    weights = sum(parameter.numel() for parameter in model.parameters())
    assert weights == shape.matrix_weights() + shape.norm_weights(), weights
    print(f"model: {weights} weights, {shape.bytes_as_q8_0()} bytes as Q8_0")
    return model


def make_optimizer(model: torch.nn.Module) -> torch.optim.Optimizer:
    """Only matrices decay."""
    matrices = [parameter for parameter in model.parameters() if parameter.dim() >= 2]
    norms = [parameter for parameter in model.parameters() if parameter.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": norms, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=HIGHEST_RATE, betas=(0.9, 0.95), fused=True)


def rate(step: int, progress: float) -> float:
    """Up in a straight line, then down along a cosine; `progress` goes from 0 to 1."""
    down = LOWEST_SHARE + (1 - LOWEST_SHARE) * 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
    return HIGHEST_RATE * min((step + 1) / WARM_UP_STEPS, 1.0) * down


def train_step(model: torch.nn.Module, optimizer: torch.optim.Optimizer, data: TrainingData) -> torch.Tensor:
    """One step over a matrix of each length; returns the loss, which stays on the GPU."""
    batches = data.next()
    total = sum(weights[:, 1:].sum() for _, weights in batches)
    sum_of_losses = torch.zeros((), device="cuda")
    for tokens, weights in batches:
        with torch.autocast("cuda", torch.bfloat16):
            logits = model(input_ids=tokens[:, :-1], use_cache=False).logits
        losses = torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), tokens[:, 1:].flatten(), reduction="none")
        loss = (losses * weights[:, 1:].flatten()).sum() / total
        loss.backward()
        sum_of_losses += loss.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return sum_of_losses


def quick_questions() -> list[Question]:
    """Trained wordings only, some of each: what is held out is looked at once, at the end."""
    return [question for question in questions() if not re.search("held out|stories", question.group)][::4]


def train(model: torch.nn.Module, data: TrainingData, tokenizer: Tokenizer, steps: int, minutes: float) -> None:
    """Until the steps are done or the time is up."""
    optimizer = make_optimizer(model)
    model.train()
    start = last_look = time.monotonic()
    for step in range(steps):
        seconds = time.monotonic() - start
        progress = max(step / steps, seconds / (60 * minutes))
        if progress >= 1:
            print(f"time is up after {step} of {steps} steps")
            break
        for group in optimizer.param_groups:
            group["lr"] = rate(step, progress)
        loss = train_step(model, optimizer, data)
        if step % 50 == 0 or step == steps - 1:
            print(f"step {step:5}  loss {loss.item():.4f}  rate {rate(step, progress):.2e}  {seconds:5.0f} s", flush=True)
        if time.monotonic() - last_look > 60:
            examine(model, tokenizer, quick_questions(), wrong_shown=4)
            last_look = time.monotonic()


def round_to_q8_0(model: torch.nn.Module) -> None:
    """What quantizing will make of the weights: blocks of 32 share a scale that is stored as F16."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() < 2:
                continue
            blocks = parameter.reshape(-1, 32)
            scale = blocks.abs().amax(1, keepdim=True) / 127
            codes = torch.round(blocks / scale.clamp(min=1e-30))
            parameter.copy_((codes * scale.half().float()).reshape(parameter.shape))


def save(model: transformers.LlamaForCausalLM, folder: pathlib.Path) -> None:
    """F16 has more bits of a weight than Q8_0 keeps, and half the bytes of F32. Of a copy: half() would round RoPE's
    frequencies too, which are no weights and stay in the model."""
    largest = max(parameter.abs().max().item() for parameter in model.parameters())
    assert math.isfinite(largest) and largest < 60000, largest
    model.generation_config = transformers.GenerationConfig(
        bos_token_id=model.config.bos_token_id, eos_token_id=model.config.eos_token_id, do_sample=False)
    copy.deepcopy(model).half().save_pretrained(folder)
    files = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    print(f"saved: largest weight {largest:.2f}; {files}", flush=True)


def rehearse(model: transformers.LlamaForCausalLM, tokenizer: Tokenizer) -> None:
    """Everything that comes after the training, tried before it: what fails must not fail when minutes are spent."""
    with tempfile.TemporaryDirectory() as folder:
        save(model, pathlib.Path(folder))
        again = transformers.LlamaForCausalLM.from_pretrained(folder).float().cuda()
    tokens = torch.arange(64, device="cuda")[None]
    changed = tokens.clone()
    changed[0, 40:] = 7
    with torch.no_grad():
        logits = model(input_ids=tokens, use_cache=False).logits
        difference = (logits - again(input_ids=tokens, use_cache=False).logits).abs().max().item()
        seen_ahead = (logits - model(input_ids=changed, use_cache=False).logits)[:, :40].abs().max().item()
    assert difference < 0.01, difference  # F16 of logits around 0.3; other weights or another order of rows give 0.3
    assert seen_ahead < 0.001, seen_ahead  # without a mask nothing may look ahead: what fills up a row would be seen
    examine(model, tokenizer, questions()[::500], wrong_shown=1)


def main() -> int:
    """Trains, saves, and shows what it learned."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--minutes", type=float, default=4.2)
    flags = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    print(f"torch {torch.__version__}, transformers {transformers.__version__}, {torch.cuda.get_device_name()}")
    tokenizer = Tokenizer.from_file(str(flags.folder / "tokenizer.json"))
    model = make_model(tokenizer)
    rehearse(model, tokenizer)
    data = TrainingData(flags.text, CONVERSATIONS_PER_STEP, SEED, torch.device("cuda"))
    print(f"a step has {data.describe()} tokens", flush=True)
    train(model, data, tokenizer, flags.steps, flags.minutes)
    save(model, flags.folder)
    print("examination in PyTorch, with the weights rounded to Q8_0:")
    round_to_q8_0(model)
    examine(model, tokenizer, questions(), wrong_shown=60)
    for text, (answer, _) in zip(SHOWN, answers(model, tokenizer, SHOWN, 300)):
        print(f"> {text}\n{answer}")
    print(f"GPU memory at most: {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
