#!/usr/bin/env bash
# Pin every package that setup installs, anew: writes wheels.txt, jazzy.txt and extras.txt from *.in.
# Needs `uv`. Review the difference, then run ./check: it makes a new environment by itself.
set -euo pipefail
cd "$(dirname "$0")/requirements"

# compile OUTPUT ARGUMENTS...: without the markers that hold wherever setup runs.
compile() {
    local output=$1
    shift
    echo "# Written by tools/lock.sh: change the .in files instead." >"$output"
    uv pip compile --quiet --no-header --no-annotate "$@" | sed -E \
        -e "s/( and)? (platform_machine == 'x86_64'|sys_platform == 'linux')//g" \
        -e "s/ and platform_python_implementation != 'PyPy'//" \
        -e "s/ and python_full_version < '3.14'//; s/ ; python_full_version < '3.14'$//" >>"$output"
}

# ROS 2 from wheels, on any Python that SaySo supports.
compile wheels.txt --universal --python-version 3.10 --constraint wheels-constraints.in \
    run.in check.in ros.in

# On top of ROS 2 Jazzy, whose own compiled messages need numpy 1.
compile jazzy.txt --python-version 3.12 --constraint jazzy-constraints.in run.in check.in

# The extras, without what is in wheels.txt: they are laid on top of it.
everything=$(mktemp) && trap 'rm -f "$everything"' EXIT
compile "$everything" --universal --python-version 3.10 --constraint wheels-constraints.in \
    --constraint wheels.txt run.in check.in ros.in extras.in
head -n 1 "$everything" >extras.txt
grep -vxFf wheels.txt "$everything" >>extras.txt
