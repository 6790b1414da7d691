#!/usr/bin/env bash
# The whole engine in a few seconds: the backends are checked against the reference, then a tiny generated model is planned,
# quantized and run, and must say the sentence it was made to say.
#   demo.sh PROGRAM FOLDER
set -euo pipefail
program=$1 folder=$2
prompt="The linnet"
expected="is a small finch that sings from every hedge."

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
show() { say "$@"; "$@"; }

mkdir -p "$folder"
show "$program" --version
show "$program" devices
show "$program" doctor

show python3 tools/make_tiny_model.py "$folder/tiny.gguf"
show "$program" plan "$folder/tiny.gguf"
show "$program" quantize --force "$folder/tiny.gguf" "$folder/tiny-q8_0.gguf"
for model in tiny tiny-q8_0; do
  for device in cpu reference; do
    say "$program" run -m "$folder/$model.gguf" --device $device --receipt "\"$prompt\""
    said=$("$program" run -m "$folder/$model.gguf" --device $device --receipt "$prompt" 2> "$folder/receipt.txt") ||
      { cat "$folder/receipt.txt" >&2; exit 1; }
    printf '%s\n\n' "$said"
    cat "$folder/receipt.txt"
    case $said in
      *"$expected"*) ;;
      *) echo "demo: expected the model to go on with '$expected'" >&2; exit 1 ;;
    esac
  done
done
printf '\nThe same sentence from both files on both devices: the engine works.\n'
