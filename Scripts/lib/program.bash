# Sourced by scripts that run the program: `use_program tests` exports UNDERSTUDY_BINARY as the debug build that comes with the Swift
# tests, `use_program release` as the optimized one. A value that is set already stays. TEST_PROGRAMS is a folder of programs that are
# up to date, so that stages of one run do not each ask for a build.
use_program() {
  [ -n "${UNDERSTUDY_BINARY:-}" ] || UNDERSTUDY_BINARY=$(programs "$1")/understudy
  export UNDERSTUDY_BINARY
}

# The same for PROBE_BINARY, the server without a product.
use_probe() {
  [ -n "${PROBE_BINARY:-}" ] || PROBE_BINARY=$(programs "$1" probe)/probe
  export PROBE_BINARY
}

programs() {
  if [ "$1" = tests ] && [ -n "${TEST_PROGRAMS:-}" ]; then echo "$TEST_PROGRAMS"; else Scripts/lib/build "$@"; fi
}
