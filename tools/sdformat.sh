#!/usr/bin/env bash
# Print the program that checks SDF files with libsdformat, Gazebo's own parser. Made once for each version
# of its source, from Debian's or ROS's package.

set -Eeuo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
CACHE=${SAYSO_CACHE:-$HOME/.cache/sayso}
LOG=$CACHE/setup.log
. "$ROOT/tools/lib/progress.sh"
. "$ROOT/tools/lib/system.sh"

SOURCE=$ROOT/tools/sdf_check.cpp
PROGRAM=$CACHE/sdf_check-$(sha256sum "$SOURCE" | cut -c 1-12)

# The newest that there is, by the name that pkg-config knows it by.
library() { pkg-config --list-package-names 2>/dev/null | grep -E '^sdformat[0-9]+$' | sort -V | tail -n 1; }

compile() { c++ -std=c++17 "$SOURCE" -o "$PROGRAM" $(pkg-config --cflags --libs "$(library)"); }

exec 9>"$CACHE/lock"
flock 9
if [ ! -x "$PROGRAM" ]; then
    command -v pkg-config >/dev/null || install_packages pkg-config
    [ -n "$(library)" ] || install_packages libsdformat-dev
    stage "Compiling the check of SDF" compile
fi
echo "$PROGRAM"
