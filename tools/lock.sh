#!/usr/bin/env bash
# Pin every package that setup installs: writes wheels.txt, jazzy.txt and extras.txt from *.in. What is
# pinned already keeps its version; `tools/lock.sh --upgrade` (or --upgrade-package NAME) takes newer ones.
# Needs `uv`. Review the difference, then run ./check: it makes a new environment by itself.
set -euo pipefail
cd "$(dirname "$0")/requirements"
upgrade=("$@")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# compile OUTPUT ARGUMENTS...: without the markers that hold wherever setup runs. uv keeps the versions
# that it finds in the file that it writes; OUTPUT changes only when all of it is known.
compile() {
    local output=$1 pins=$work/pins.txt
    shift
    cp "$output" "$pins"
    uv pip compile --quiet --no-header --no-annotate --output-file "$pins" "${upgrade[@]}" "$@" >/dev/null
    {
        echo "# Written by tools/lock.sh: change the .in files instead."
        sed -E \
            -e "s/( and)? (platform_machine == 'x86_64'|sys_platform == 'linux')//g" \
            -e "s/ and platform_python_implementation != 'PyPy'//" \
            -e "s/ and python_full_version < '3.14'//; s/ ; python_full_version < '3.14'$//" \
            -e "s/ ;$//" "$pins"
    } >"$work/output.txt"
    cp "$work/output.txt" "$output"
}

# ROS 2 from wheels, on any Python that SaySo supports.
compile wheels.txt --universal --python-version 3.10 --constraint wheels-constraints.in \
    run.in check.in ros.in

# On top of ROS 2 Jazzy, whose own compiled messages need numpy 1.
compile jazzy.txt --python-version 3.12 --constraint jazzy-constraints.in run.in check.in

# The extras, without what is in wheels.txt: they are laid on top of it. Whatever they say of numpy, there
# is one (cmeel-boost, under pin, names a later one than it needs).
cat wheels.txt extras.txt >"$work/everything.txt"
compile "$work/everything.txt" --universal --python-version 3.10 --override wheels-constraints.in \
    --constraint wheels.txt run.in check.in ros.in extras.in
head -n 1 "$work/everything.txt" >"$work/extras.txt"
grep -vxFf wheels.txt "$work/everything.txt" >>"$work/extras.txt"
cp "$work/extras.txt" extras.txt
