#!/usr/bin/env bash
# Print the folders that hold the optional extras which ./check tries: PYTHONPATH with them at its end
# has them on top of what tools/setup.sh made. Made once for each set of versions.

set -Eeuo pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd)
CACHE=${SAYSO_CACHE:-$HOME/.cache/sayso}
LOG=$CACHE/setup.log
. "$ROOT/tools/lib/progress.sh"
. "$ROOT/tools/lib/system.sh"

# Open3D's wheel needs it of the system.
python -c 'import ctypes; ctypes.CDLL("libusb-1.0.so.0")' 2>/dev/null || install_packages libusb-1.0-0

lists=("$ROOT/tools/requirements/extras.txt" "$ROOT/tools/requirements/extras-assets.txt")
EXTRAS=$CACHE/extras-$(basename "$VIRTUAL_ENV")-$(cat "${lists[@]}" | sha256sum | cut -c 1-12)
exec 9>"$CACHE/lock"
flock 9
if [ ! -f "$EXTRAS/.complete" ]; then
    rm -rf "$EXTRAS"
    stage "Installing the optional extras (about 550 MB to load)" \
        python -m pip install --no-deps --prefer-binary --disable-pip-version-check \
        --progress-bar off --target "$EXTRAS" -r "${lists[0]}" -r "${lists[1]}"
    touch "$EXTRAS/.complete"
fi
libraries=("$EXTRAS"/cmeel.prefix/lib/python3.*/site-packages)  # of wheels that are built by cmeel
echo "$EXTRAS:${libraries[0]}"
