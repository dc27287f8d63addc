# Every target builds SQLite with the same flags: a second set of flags means a second build of it, about a minute.
GO   ?= go
# The second tag leaves out the command library's writer of manual pages, with its parser of Markdown: half a megabyte.
TAGS := sqlite_fts5,urfave_cli_no_docs

.PHONY: build demo test bench lint

build:
	$(GO) build -tags $(TAGS) -o bin/hermes-doctor ./cmd/hermes-doctor

demo: build
	bin/hermes-doctor demo

# The second run is the build without FTS5: it must work too, and say what it could not check.
test:
	$(GO) test -tags $(TAGS) ./...
	$(GO) test ./evidence/... ./scan/...

# The goals of speed and memory, each with what was reached. The first run builds databases and logs of 2.9 GB and checkpoint
# stores of 0.6 GB in all, which stay in BENCH_DIR (a folder below the temporary one where it is not set) for the next.
bench: build
	BENCH=1 BENCH_BIN=$(CURDIR)/bin/hermes-doctor $(GO) test -tags $(TAGS) -count=1 -timeout=60m -run='^Test(Store)?Goals$$' -v ./corpus

lint:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w is needed on:" $$unformatted >&2; exit 1; fi
	$(GO) vet -tags $(TAGS) ./...
	$(GO) tool staticcheck -tags $(TAGS) ./...
