# Sourced by scripts that run the program: `program` is UNDERSTUDY_BINARY, or else a release build.
program=${UNDERSTUDY_BINARY:-}
if [ -z "$program" ]; then
  swift build -c release --product understudy --explicit-target-dependency-import-check error </dev/null
  program=$(swift build -c release --show-bin-path)/understudy
fi
export UNDERSTUDY_BINARY=$program
