#!/bin/sh
# Makes the built-in model, step by step. See README.md.
#
#   builtin/text/make.sh train OUT      text, tokenizer, training and export, where there is a GPU with PyTorch;
#                                       OUT/linnet-text is the Hugging Face folder, OUT/train.log says how it went
#   builtin/text/make.sh gguf FOLDER    that folder as builtin/text/linnet-text.gguf, with build/linnet
#   builtin/text/make.sh evaluate       the examination, through build/linnet
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
gguf=$here/linnet-text.gguf
most_bytes=6000000
export PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1

train() {
  out=$1
  shift
  folder=$out/linnet-text
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  # Joined, because a shell does not stop at a failure within the function that || looks at.
  python3 "$here/check_heldout.py" &&
    python3 "$here/train_tokenizer.py" "$folder" &&
    python3 "$here/prepare.py" "$folder" "$work/text.npz" &&
    python3 "$here/train.py" "$folder" "$work/text.npz" "$@"
}

case ${1:-} in
  train)
    [ $# -ge 2 ] || { echo "make.sh train OUT [options of train.py]" >&2; exit 2; }
    shift
    mkdir -p "$1"
    rm -f "$1/failed"
    # The log is kept whatever happens; a pipe alone would hide the exit status.
    { train "$@" 2>&1 || echo failed > "$1/failed"; } | tee "$1/train.log"
    [ ! -e "$1/failed" ]
    ;;
  gguf)
    [ $# -eq 2 ] || { echo "make.sh gguf FOLDER" >&2; exit 2; }
    "$root/build/linnet" quantize "$2" "$gguf" --to q8_0 --hold f32 --force
    bytes=$(wc -c < "$gguf")
    echo "$bytes bytes, at most $most_bytes"
    [ "$bytes" -le "$most_bytes" ]
    ;;
  evaluate)
    shift
    python3 "$here/evaluate" "$@"
    ;;
  *)
    sed -n '2,7p' "$0" | cut -c3- >&2
    exit 2
    ;;
esac
