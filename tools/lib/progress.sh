# Lines that say what setup is doing, and for how long. Sourced by tools/setup.sh.

say() { printf '[%3d s] %s\n' "$SECONDS" "$*" >&2; }

# fail CAUSE [NEXT STEP]
fail() {
    printf 'setup: %s\n' "$1" >&2
    [ -z "${2:-}" ] || printf 'Next: %s\n' "$2" >&2
    exit 1
}

# stage TITLE COMMAND...: its output goes to $LOG; every 15 seconds one line says where it is.
stage() {
    local title=$1 started=$SECONDS told=$SECONDS job
    shift
    say "$title ..."
    printf '\n== %s: %s\n' "$title" "$*" >>"$LOG"
    "$@" >>"$LOG" 2>&1 &
    job=$!
    # A background job does not get Ctrl-C itself.
    trap 'kill "$job" 2>/dev/null; fail "stopped during: $title"' INT TERM
    while kill -0 "$job" 2>/dev/null; do
        sleep 0.2
        if ((SECONDS - told >= 15)); then
            told=$SECONDS
            say "    $(grep -v WARNING "$LOG" | tail -n 1 | tr '\r\t' '  ' | cut -c 1-90)"
        fi
    done
    wait "$job" || { tail -n 15 "$LOG" >&2; fail "failed: $title" "read the whole log, $LOG"; }
    trap - INT TERM
    say "$title: done in $((SECONDS - started)) s"
}
