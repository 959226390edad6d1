# Which ROS 2, which Python, and what apt must add. Sourced by tools/setup.sh.

# `installed` where ROS 2 Jazzy is sourced, else `wheels`.
ros_kind() {
    if [ "${ROS_DISTRO:-}" = jazzy ] && command -v ros2 >/dev/null; then
        echo installed
    else
        echo wheels
    fi
}

# A colon-separated list without the folders of an installed ROS.
without_ros() { printf '%s' "$1" | tr ':' '\n' | sed '/^\/opt\/ros\//d' | paste -sd: -; }

# Another ROS distribution that is sourced must not leak into the one from wheels.
leave_other_ros() {
    unset AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH PYTHONPATH PYTHONHOME
    unset ROS_DISTRO RMW_IMPLEMENTATION _ROS_WHEELS_BOOTSTRAP_COMPLETE
    PATH=$(without_ros "$PATH")
    LD_LIBRARY_PATH=$(without_ros "${LD_LIBRARY_PATH:-}")
    export PATH LD_LIBRARY_PATH
    # Empty, it would come to mean the current folder as soon as something is put before it.
    [ -n "$LD_LIBRARY_PATH" ] || unset LD_LIBRARY_PATH
}

# The first Python 3.10 to 3.13 found, as its real path; nothing if there is none.
find_python() {
    local name
    for name in ${SAYSO_PYTHON:-python3 python3.12 python3.13 python3.11 python3.10}; do
        "$name" - 2>/dev/null <<'PY' && return
import os, sys
if not (3, 10) <= sys.version_info < (3, 14):
    raise SystemExit(1)
# The interpreter behind a virtual environment or a shim, so that the answer is stable.
folder = os.path.join(sys.base_prefix, "bin")
name = "python%d.%d" % sys.version_info[:2]
print(os.path.realpath(os.path.join(folder, name)))
PY
    done
}

# Debian packages that are missing, for the Python in $1 and the kind of ROS in $2.
missing_packages() {
    local python=$1 kind=$2 package
    command -v c++ >/dev/null || echo g++
    command -v cmake >/dev/null || echo cmake
    "$python" - <<'PY'
import ctypes, importlib.util, os, sys, sysconfig

debian = sys.base_prefix == "/usr"
name = "python%d.%d" % sys.version_info[:2]
if importlib.util.find_spec("ensurepip") is None:
    print(name + "-venv")
if not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
    print(name + "-dev" if debian else "the headers of " + sys.executable)
for library, package in (("libEGL.so.1", "libegl1"), ("libGL.so.1", "libgl1")):
    try:
        ctypes.CDLL(library)
    except OSError:
        print(package)
        print("libgl1-mesa-dri")
PY
    [ "$kind" = installed ] || return 0
    command -v make >/dev/null || echo make
    command -v colcon >/dev/null || echo python3-colcon-common-extensions
    for package in control_msgs diagnostic_msgs tf2_msgs nav_msgs sensor_msgs trajectory_msgs \
        visualization_msgs rmw_fastrtps_cpp rosidl_default_generators; do
        ros_package_exists "$package" || echo "ros-jazzy-${package//_/-}"
    done
}

ros_package_exists() {
    local prefix
    local IFS=:
    for prefix in ${AMENT_PREFIX_PATH:-}; do
        [ ! -e "$prefix/share/ament_index/resource_index/packages/$1" ] || return 0
    done
    return 1
}

# Install Debian packages where we may, else say the command that does.
install_packages() {
    local command="apt-get update && apt-get install --no-install-recommends -y $*"
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        fail "these system packages are missing: $*" "sudo sh -c '$command'"
    fi
    DEBIAN_FRONTEND=noninteractive stage "Installing system packages $*" sh -c "$command"
}

require_python() {
    PYTHON=$(find_python)
    [ -z "$PYTHON" ] || return 0
    [ -z "${SAYSO_PYTHON:-}" ] || fail "SAYSO_PYTHON=$SAYSO_PYTHON is no Python 3.10 to 3.13"
    install_packages python3 python3-venv python3-dev
    PYTHON=$(find_python)
    [ -n "$PYTHON" ] || fail "there is no Python 3.10 to 3.13" \
        "install one and name it in SAYSO_PYTHON"
}

require_system_packages() {
    local missing
    missing=$(missing_packages "$PYTHON" "$KIND" | sort -u | paste -sd' ' -)
    # shellcheck disable=SC2086 # one word per package
    [ -z "$missing" ] || install_packages $missing
}
