#!/bin/sh
# ptx.sh [--check]: compile the device kernels to PTX, which is kept in the repository, so that building sortlast
# needs no Clang. With --check, fail if it does not belong to the sources; where Clang 14 (Debian 12's; other
# versions write other text) is installed, compile it again and compare. CLANG names another clang++.
set -eu
cd -- "$(dirname -- "$0")/../src"
folder=sortlast/image/device
kept=$folder/kernels.ptx.inc
made=$(mktemp)
trap 'rm -f "$made"' EXIT

sources() { cat $folder/arguments.hpp $folder/scalars.hpp $folder/kernels.hpp ../cmake/ptx.sh | cksum; }

# Everything is inlined, so that values stay in registers. sm_60 and PTX 5.0 are what every driver since CUDA 8
# accepts. The text is the initializer of a string; its comments and indentation are left out.
compile() {
  printf '// Made by cmake/ptx.sh from sources with the checksum %s\nR"ptx(' "$(sources)"
  "$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_60 -nocudainc -nocudalib -std=c++20 -O3 \
    -fno-unroll-loops -mllvm -inline-threshold=1000000 -ffp-contract=off -Wno-pragma-once-outside-header \
    -I../include -I. -S -o - $folder/kernels.hpp | sed -e 's,//.*,,' -e 's,^[[:space:]]*,,' -e 's,[[:space:]]\{1\,\}, ,g' -e '/^ *$/d'
  printf ')ptx"\n'
}

clang=${CLANG:-$(command -v clang++-14 || true)}
if [ "${1-}" != --check ]; then
  [ -n "$clang" ] || { echo "ptx.sh: install clang-14, or name its clang++ in CLANG" >&2; exit 1; }
  compile >"$made"
  cp "$made" $kept
elif ! head -n 1 $kept | grep -q "checksum $(sources)\$"; then
  echo "$kept does not belong to its sources; renew it: sh cmake/ptx.sh" >&2
  exit 1
elif [ -n "$clang" ]; then
  compile >"$made"
  cmp "$made" $kept || { echo "$clang writes another text; renew it: sh cmake/ptx.sh" >&2; exit 1; }
  echo "$kept is what $clang makes of its sources"
else
  echo "$kept belongs to its sources; without clang-14 it was not compiled again"
fi
