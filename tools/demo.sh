#!/usr/bin/env bash
# What make demo shows: three questions to the model that comes with Linnet, on the processor, and what ran.
#   demo.sh PROGRAM
set -euo pipefail
program=$1
export LINNET_DEVICE=cpu
bold=$'\033[1m' plain=$'\033[0m'
[ -t 1 ] || bold='' plain=''
notes=$(mktemp)  # what the program says beside its answer
trap 'rm -f "$notes"' EXIT

# ask QUESTION WORD [OPTION]: shows the command and its answer, which must have the word in it.
ask() {
  local answer
  printf '%s$ %s run%s "%s"%s\n' "$bold" "$program" "${3:+ $3}" "$1" "$plain"
  answer=$("$program" run ${3:+"$3"} "$1" 2> "$notes") || { cat "$notes" >&2; exit 1; }
  printf '%s\n%s\n' "$answer" "$(cat "$notes")"
  [ ! -s "$notes" ] || echo
  [[ $answer == *"$2"* ]] || { echo "demo: expected '$2' in the answer" >&2; exit 1; }
}

ask "What is the capital of France?" Paris
ask "What is 3 + 4?" 7
ask "What colour is the sky?" blue --summary

cat << EOF
${bold}Try next${plain}
  $program run                              a chat with it; Ctrl-D leaves
  $program run --receipt "Tell me a story." every op, how often, how long, how many bytes
  $program pull org/repo:Q8_0               a model from the hub, then run -m org/repo:Q8_0 "…"
  $program doctor                           every op of every backend against the reference
EOF
