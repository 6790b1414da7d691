#!/usr/bin/env bash
# Installs the Debian packages that are missing for what is named on the command line:
#   install_deps.sh [build] [test] [format] [lint]
# Silent when nothing is missing. What only fuzzing needs is optional: without it that part of the suite is skipped.
set -euo pipefail

required=() optional=()
for purpose in "${@:-build}"; do
  case $purpose in
    build) required+=(g++ cmake ninja-build ccache python3 libhwy-dev nlohmann-json3-dev libcli11-dev libcurl4-openssl-dev libssl-dev) ;;
    test) required+=(libgtest-dev clang-format-14); optional+=(clang-19 libclang-rt-19-dev) ;;
    format) required+=(python3 clang-format-14) ;;
    lint) required+=(clang-tidy-19) ;;
    *) echo "install_deps.sh: unknown purpose '$purpose': expected build, test, format or lint" >&2; exit 2 ;;
  esac
done

if ! command -v apt-get > /dev/null; then
  echo "install_deps.sh: this is not a Debian system; expecting to find: ${required[*]} (${optional[*]})" >&2
  exit 0
fi

# Those of the named packages that are not installed.
missing() {
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || echo "$package"
  done
}

mapfile -t wanted < <(missing "${required[@]}")
mapfile -t welcome < <([ ${#optional[@]} -eq 0 ] || missing "${optional[@]}")
[ ${#wanted[@]} -gt 0 ] || [ ${#welcome[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo > /dev/null; then
    as_root=(sudo)
  elif [ ${#wanted[@]} -gt 0 ]; then
    echo "install_deps.sh: these packages are missing: ${wanted[*]}" >&2
    echo "install_deps.sh: run 'apt-get install ${wanted[*]}' as root, or 'make deps' as a user who may use sudo" >&2
    exit 1
  else
    exit 0
  fi
fi

install() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; }

"${as_root[@]}" apt-get update || echo "install_deps.sh: the package lists could not be updated; trying with the old ones" >&2
[ ${#wanted[@]} -eq 0 ] || install "${wanted[@]}"
if [ ${#welcome[@]} -gt 0 ] && ! install "${welcome[@]}"; then
  echo "install_deps.sh: could not install ${welcome[*]}; the fuzz part of the suite will be skipped" >&2
fi
