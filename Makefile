# The two main commands are `make run` and `make test`. On a fresh Debian 12 with Swift 6.3, both install the missing packages.
.DEFAULT_GOAL := help
.PHONY: help run optimized package release test test-quick test-new test-swift test-javascript test-rules test-scripts test-outside test-survival test-browser test-engines test-recipes test-release fuzz verify soak bench bench-server bench-pages bench-build bench-team flags lint format hooks screenshots clean

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 18

run: ## build if needed and start the console (with flags: make run ARGS='--port 9000')
	@Scripts/run $(ARGS)

optimized: ## build the optimized program, which make run uses from then on; prints its folder
	@Scripts/lib/needs build
	@Scripts/lib/build release

package: ## make the Debian package and the tarball, in .build/package
	@Scripts/package

release: ## make the packages of a version and its release notes; rejects uncommitted changes
	@Scripts/release

test: ## the tests of every change; the goal is 10 minutes on two cores
	@Scripts/run-tests

test-quick: ## the tests of what a change touches, in about three minutes (since another commit: make test-quick SINCE=main)
	@Scripts/test-quick $(SINCE)

test-swift test-javascript test-rules test-scripts test-outside test-survival test-browser test-engines test-recipes test-release: ## one stage of the tests
	@Scripts/run-tests $(@:test-%=%)

test-new: ## repeat the tests that your change adds or edits, on a busy core (default: make test-new N=20)
	@Scripts/test-new $(or $(N),20)

fuzz: ## run each fuzzer for a minute (or: make fuzz SECONDS=600)
	@Scripts/fuzz $(or $(SECONDS),60)

verify: ## the long checks: repetition, mutants, fuzzers, outside suites, soak, sanitizers (only some: make verify STAGES='tls slow')
	@Scripts/run-verify $(STAGES)

soak: ## mixed use of a release build with faults for half an hour (or: make soak SECONDS=600)
	@Scripts/console-soak $(or $(SECONDS),1800)

bench: ## benchmarks of the client, then of the server (only some of the client's: make bench WORK='chain pins')
	@swift run -c release bench $(WORK)
	@$(if $(WORK),,Scripts/bench/server $(ARGS))

bench-server: ## the server compared with nginx, Hummingbird and FlyingFox (fewer: make bench-server ARGS='--rounds 3 --only tiny')
	@Scripts/bench/server $(ARGS)

bench-pages: ## the network page compared with mitmweb
	@Scripts/bench/pages $(ARGS)

bench-build: ## the first build, module by module (with the ratio to another commit: make bench-build ARGS='--before main~10')
	@Scripts/bench/build $(ARGS)

bench-team: ## consoles with a database, and devices while consoles are killed (fewer kills: make bench-team ARGS='--kills 10')
	@Scripts/bench/team $(ARGS)

flags: ## write Documentation/flags.md from the program
	@Scripts/lib/needs build
	@Scripts/lib/flag-tables "$$(Scripts/lib/build quick)/understudy" >Documentation/flags.md.new
	@mv Documentation/flags.md.new Documentation/flags.md

lint: ## check the format of the Swift sources
	@swift format lint --strict --recursive --parallel Sources Tests Package.swift

format: ## format the Swift sources
	@swift format --in-place --recursive --parallel Sources Tests Package.swift

hooks: ## check format and rules before each commit
	@git config core.hooksPath Scripts/hooks

screenshots: ## take pictures of every page, and update the pictures that tests compare pages with
	@Scripts/screenshots

clean: ## delete the build folder
	@rm -rf .build
