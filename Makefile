# Every target builds SQLite with the same flags: a second set of flags means a second build of it, about a minute.
GO   ?= go
TAGS := sqlite_fts5

.PHONY: build demo test bench lint

build:
	$(GO) build -tags $(TAGS) -o bin/hermes-doctor ./cmd/hermes-doctor

demo: build
	bin/hermes-doctor demo

# The second run is the build without FTS5: it must work too, and say what it could not check.
test:
	$(GO) test -tags $(TAGS) ./...
	$(GO) test ./evidence/... ./scan/...

bench:
	$(GO) test -tags $(TAGS) -run=NONE -bench=. -benchmem ./...

lint:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w is needed on:" $$unformatted >&2; exit 1; fi
	$(GO) vet -tags $(TAGS) ./...
	$(GO) tool staticcheck -tags $(TAGS) ./...
