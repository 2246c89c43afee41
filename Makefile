# Two commands matter: `make run` and `make test`. Both fetch what a fresh Debian 12 with Swift 6.3 lacks.
.DEFAULT_GOAL := help
.PHONY: help run test test-swift test-javascript test-rules test-fuzz test-release test-outside test-schemathesis test-survival test-soak test-browser fuzz verify soak bench bench-server bench-pages lint format screenshots clean

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 18

run: ## build what is new, start the console (more flags: make run ARGS='--port 9000')
	@Scripts/run $(ARGS)

test: ## everything that must hold before a commit
	@Scripts/run-tests

test-swift test-javascript test-rules test-fuzz test-release test-outside test-schemathesis test-survival test-soak test-browser: ## one stage of the tests
	@Scripts/run-tests $(@:test-%=%)

fuzz: ## the fuzzers, each for so long (make fuzz SECONDS=600)
	@Scripts/fuzz $(or $(SECONDS),60)

verify: ## the long checks: tests twice, fuzzers, outside suites, soak, thread sanitizer (some: make verify STAGES='tls slow')
	@Scripts/run-verify $(STAGES)

soak: ## mixed use of a release build with faults for half an hour (make soak SECONDS=600)
	@Scripts/console-soak $(or $(SECONDS),1800)

bench: ## measures of the client, a mark before each that misses its goal, then the server's (of the client alone, some: make bench WORK='chain pins')
	@swift run -c release bench $(WORK)
	@$(if $(WORK),,Scripts/bench/server $(ARGS))

bench-server: ## the server beside nginx, Hummingbird and FlyingFox (fewer: make bench-server ARGS='--rounds 3 --only tiny')
	@Scripts/bench/server $(ARGS)

bench-pages: ## the network page beside mitmweb
	@Scripts/bench/pages $(ARGS)

lint: ## the format of the Swift sources
	@swift format lint --strict --recursive --parallel Sources Tests Package.swift

format: ## put the Swift sources into that format
	@swift format --in-place --recursive --parallel Sources Tests Package.swift

screenshots: ## every page, light and dark, into Documentation/screenshots
	@Scripts/screenshots

clean: ## remove everything that was built
	@rm -rf .build
