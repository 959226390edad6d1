# Source this in a shell of a checkout already built: `. tools/dev-env.sh`
_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
_venv=${VIRTUAL_ENV:-${SAYSO_CACHE:-$HOME/.cache/sayso}/venv}
[ -n "${VIRTUAL_ENV:-}" ] || . "$_venv/bin/activate"
unset RMW_IMPLEMENTATION _ROS_WHEELS_BOOTSTRAP_COMPLETE
export AMENT_PREFIX_PATH=$_venv
if [ -f "${SAYSO_CACHE:-$HOME/.cache/sayso}/tf2_msgs/install/local_setup.bash" ]; then
    . "${SAYSO_CACHE:-$HOME/.cache/sayso}/tf2_msgs/install/local_setup.bash"
fi
. "$_root/install/local_setup.bash"
export PYTHONPATH=$_root/src:$PYTHONPATH
export FASTRTPS_DEFAULT_PROFILES_FILE=$_root/config/fastdds.xml
export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
export MUJOCO_GL=egl
unset _root _venv
