# Sourced by scripts that run the program: `program` is UNDERSTUDY_BINARY, or else a release build.
program=${UNDERSTUDY_BINARY:-}
if [ -z "$program" ]; then
  program=$(Scripts/lib/build release)/understudy
fi
export UNDERSTUDY_BINARY=$program
