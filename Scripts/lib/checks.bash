# Sourced by stages whose tests are commands: `check "title" command …`, then `checks_end`.
checks_passed=0
checks_failed=0

# Runs the command; prints its output if it fails.
check() {
  local title=$1 output
  shift
  if output=$("$@" 2>&1); then
    checks_passed=$((checks_passed + 1))
    printf 'ok    %s\n' "$title"
  else
    checks_failed=$((checks_failed + 1))
    printf 'FAIL  %s\n%s\n' "$title" "$output"
  fi
}

# Prints the summary line that Scripts/run-tests reads; returns false if a check failed.
checks_end() {
  printf '%d passed, %d failed\n' "$checks_passed" "$checks_failed"
  [ "$checks_failed" -eq 0 ] && [ "$checks_passed" -gt 0 ]
}
