#!/usr/bin/env bash
# Print the folder of the ROS packages that optional parts speak to (MoveIt's, Nav2's, vision_msgs),
# which the wheels of ROS 2 lack: only what is spoken, for tests. Made once for each set of them.

set -Eeuo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
CACHE=${SAYSO_CACHE:-$HOME/.cache/sayso}
LOG=$CACHE/setup.log
. "$ROOT/tools/lib/progress.sh"

INTERFACES=$CACHE/interfaces-$(basename "$VIRTUAL_ENV")-$(
    cat "$ROOT"/tools/interfaces/*.yaml | sha256sum | cut -c 1-12
)

# Those that others need first.
build_interfaces() {
    local package work=$INTERFACES/work
    python "$ROOT/tools/interfaces.py" "$work/source"
    export CMAKE_PREFIX_PATH=$INTERFACES:${CMAKE_PREFIX_PATH:-}
    export AMENT_PREFIX_PATH=$INTERFACES:${AMENT_PREFIX_PATH:-}
    for package in object_recognition_msgs octomap_msgs moveit_msgs nav2_msgs vision_msgs; do
        cmake -S "$work/source/$package" -B "$work/build/$package" -G Ninja \
            -DCMAKE_INSTALL_PREFIX="$INTERFACES" -DPython3_EXECUTABLE="$VIRTUAL_ENV/bin/python" \
            -DBUILD_TESTING=OFF
        cmake --build "$work/build/$package" --target install
    done
    rm -rf "$work"
}

exec 9>"$CACHE/lock"
flock 9
if [ ! -f "$INTERFACES/.complete" ]; then
    rm -rf "$INTERFACES"
    stage "Building the interfaces of MoveIt, Nav2 and vision_msgs (4 minutes)" build_interfaces
    touch "$INTERFACES/.complete"
fi
echo "$INTERFACES"
