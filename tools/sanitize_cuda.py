#!/usr/bin/env python3
"""The CUDA backend under compute-sanitizer, on a machine with a GPU: all four tools over the quick cases of `linnet doctor` and
over decoding with a small model, by each way of launching.

    sanitize_cuda.py MODEL... [--long MODEL]... [--program LINNET] [--racecheck LINNET] [--jobs N] [--seconds N] [--into FOLDER]

MODEL: a small one whose shapes the walk takes (sums of a multiple of 256, heads of 64 or 128), best in BF16 and in Q8_0. Those of --long get a prompt
of 1100 tokens; with 32 heads of 64 they take the kernels that large models take then. Prints one line for each run and exits with 1 if one is not clean; what
the tools said is in FOLDER.

Racecheck takes a build of its own (cmake -DLINNET_RACECHECK=ON) and runs without cuBLASLt, so that prompts go through our own kernel: docs/cuda.md
says what that leaves out, and why.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ("racecheck", "memcheck", "initcheck", "synccheck")  # the slowest first
WAYS = ("walk", "graph", "kernels")
OPS = sorted(each.stem for each in (ROOT / "src" / "check" / "cases").glob("*.cpp") if each.stem != "batch")
PROMPT = 40 * "w"  # some dozens of tokens: more than one copy of their rows
LONG_PROMPT = 1100 * "w"
# The walk has more barriers than synccheck keeps account of by default: it says so, and the program fails under it. Many more take
# so much of the GPU's memory that runs beside it have none.
OPTIONS = {"synccheck": ("--num-cuda-barriers", "8192")}
CLEAN = ("ERROR SUMMARY: 0 errors", "RACECHECK SUMMARY: 0 hazards displayed")


def runs(program, models, long):
    """Name and command of everything that is checked."""
    for op in OPS:
        yield f"quick cases of {op}", [program, "doctor", "--quick", "--device", "cuda", "--op", op]

    def answer(model, prompt, *options):
        return [program, "run", "-m", model, "--device", "cuda", "--require-device", "cuda", "--raw", prompt, "-n", "4", *options]

    for model in long:
        yield f"{model.stem} long prompt", answer(model, LONG_PROMPT)
    for model in models:
        for way in WAYS:
            command = answer(model, PROMPT, "--launching", way)
            yield f"{model.stem} {way}", command
            if way == "walk":  # its draw is its own
                yield f"{model.stem} {way} by chance", [*command, "--temperature", "1", "--top-k", "20", "--top-p", "0.9"]


def check(tool, name, command, arguments):
    """Whether it was clean, and a line that says so."""
    environment = {**os.environ, "LINNET_CUBLASLT": "none"} if tool == "racecheck" else None
    log = arguments.into / f"{tool} {name}.txt".replace(" ", "-")
    with log.open("w") as out:
        try:
            done = subprocess.run(["compute-sanitizer", "--tool", tool, *OPTIONS.get(tool, ()), *map(str, command)], stdout=out, stderr=subprocess.STDOUT,
                                  env=environment, timeout=arguments.seconds, check=False)
        except subprocess.TimeoutExpired:
            return False, f"{tool:10} {name}: not done after {arguments.seconds} s"
    text = log.read_text(errors="replace")
    summary = next((line.strip("= ") for line in reversed(text.splitlines()) if "SUMMARY" in line), "no summary")
    clean = done.returncode == 0 and any(each in text for each in CLEAN)
    return clean, f"{tool:10} {name}: {summary}" + ("" if done.returncode == 0 else f", exit code {done.returncode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path, metavar="MODEL")
    parser.add_argument("--long", type=pathlib.Path, metavar="MODEL", action="append", default=[], help="one for a long prompt")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "linnet")
    parser.add_argument("--racecheck", type=pathlib.Path, default=ROOT / "build" / "racecheck" / "linnet", metavar="LINNET",
                        help="the program built with LINNET_RACECHECK (%(default)s)")
    parser.add_argument("--jobs", type=int, default=6, help="at once (%(default)s)")
    parser.add_argument("--seconds", type=int, default=600, help="for one run at most (%(default)s)")
    parser.add_argument("--into", type=pathlib.Path, default=pathlib.Path("sanitized"), help="folder for what the tools say")
    arguments = parser.parse_args()
    for program in (arguments.program, arguments.racecheck):
        if not os.access(program, os.X_OK):
            parser.error(f"{program}: no program there")
    arguments.into.mkdir(parents=True, exist_ok=True)
    good = True
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        pending = [pool.submit(check, tool, name, command, arguments) for tool in TOOLS
                   for name, command in runs(arguments.racecheck if tool == "racecheck" else arguments.program, arguments.models, arguments.long)]
        for each in concurrent.futures.as_completed(pending):
            clean, line = each.result()
            good = good and clean
            print(line, flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
