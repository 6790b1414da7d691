#!/usr/bin/env bash
# Speed on this machine: single ops, then text with MODEL or, without one, with the tiny generated model (which says
# little about real ones). docs/benchmarks.md tells how to read it.
#   bench.sh PROGRAM FOLDER [MODEL]
set -euo pipefail
program=$1 folder=$2 model=${3:-}

mkdir -p "$folder"
if [ -z "$model" ]; then
  model=$folder/tiny-q8_0.gguf
  python3 tools/make_tiny_model.py "$folder/tiny.gguf"
  "$program" quantize --force "$folder/tiny.gguf" "$model"
fi
"$program" bench ops
"$program" bench text -m "$model"
