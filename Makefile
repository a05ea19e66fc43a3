# `make help` lists the targets. Pinned versions: Go and the libraries in go.mod, the linter, gotestsum and
# benchstat in tools/go.mod, nfpm in tools/release/go.mod, Pillow in testdata/gen/requirements.txt, Debian packages in
# tools/deps.sh.

# What `make demo` loads: MEDIA=DIR for images of your own.
MEDIA ?= testdata/photos testdata/hard
# Time for each fuzz target, and a bound for all of them together (0: none).
FUZZTIME ?= 60s
BUDGET ?= 0
# For make explore: seconds, or with h or m behind the number.
TIME ?= 1h
# For make check: what the tree is compared with, if not where the branch has left its upstream.
BASE ?=
# For make test: anything, to run tests whole that are short otherwise; then make test-tables has the rest.
WHOLE ?=
# For make release: anything, for a commit without a tag.
UNTAGGED ?=
# For make campaign.
CAMPAIGNTIME ?= 10m
# For make soak: the share of the samples, and the parts, all if empty.
SHARE ?= 1
SOAKPARTS ?=
# For make fuzz-fixed.
CASES ?= 4000
# For make fuzz-asan.
GOAL ?= 2000000
# And for make fuzz-jpeg.
CLANG ?= clang
JPEGGOAL ?= 20000000
JPEGTIME ?= 2h
# And for make jpeg-identity.
JPEGFILES ?= 100000
# For make flaky: how often in each way, and which packages if not those that wait.
RUNS ?= 10
FLAKYPACKAGES ?=
# For make wheel, test-wheel and sdk: x86_64 or aarch64.
ARCH ?= x86_64
# More flags for go test, and for pytest.
TESTFLAGS ?=
PYTESTFLAGS ?=
# How tests of Go are printed: a line for a package, and failures whole at the end; standard-verbose is go test -v.
export GOTESTSUM_FORMAT ?= standard-quiet
# go test, or pytest, with the results for make test-report in bin/tests: one file for each NAME, a run.
GOTEST = go tool -modfile=tools/go.mod gotestsum --hide-summary=skipped --junitfile bin/tests/$(1).xml --
PYTEST = --junitxml=$(CURDIR)/bin/tests/$(1).xml
# The environment of tests that load the library.
LOADED = SPOOL_LIBRARY=$(CURDIR)/python/spool/_lib/libspool.so $(FFMPEG)
# What tests need, and a target is about, is required: see internal/need.
REQUIRE = SPOOL_REQUIRE="$$SPOOL_REQUIRE,$(1)"
# Packages with tests that need the servers of make stores.
STORED = $(sort $(dir $(shell grep -rlE --include='*_test.go' 'spool/internal/s3test|clitest\.Bucket' .)))
# For make bench: time and number of each Go benchmark, and flags of bench/compare, or of bench/objectstore for
# make bench-objectstore. SPOOL_PEERS_PYTHON names an interpreter that has the other loaders installed already.
BENCHTIME ?= 0.3s
BENCHCOUNT ?= 5
COMPAREFLAGS ?=
PEERREQUIREMENTS := bench/peers/requirements.txt python/tests/peers/requirements.txt bench/objectstore/requirements.txt bench/peers/loaders/requirements.txt
PEERPYTHON = python=$$(bench/peers/venv.sh $(PEERREQUIREMENTS)) && PYTHONPATH=$(CURDIR)/python && export PYTHONPATH
MEASURED ?= ../shared/media
# Packages that have benchmarks.
BENCHMARKED = $(addprefix ./,$(sort $(dir $(shell git grep -lE '^func Benchmark' -- '*_test.go' ':!tools' ':!transfer/gorgonia'))))

# Packages that must build and pass without cgo, as far as they exist.
PURE := . ./decode $(foreach package,resize augment batch order pipe source record/annotation decode/index decode/wav decode/image/format,$(if $(wildcard $(package)/*.go),./$(package)/...))
# Packages that run C code and are worth the address sanitizer: the borders, and what feeds them real files.
NATIVE := $(foreach package,cbridge decode encode transfer loader,$(if $(wildcard $(package)),./$(package)/...))

# Packages with tests, and those of them whose code or tests are concurrent, which run with the race detector. A value that
# is computed once, by sync.OnceValue, does not make a package concurrent.
TESTED = $(patsubst $(CURDIR)%,.%,$(shell go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' ./...))
CONCURRENT = $(filter $(TESTED),$(patsubst %/,%,$(sort $(dir $(shell grep -rlE --include='*.go' '\bgo func|\.Go\b|t\.Parallel|\bsync\.(Mutex|RWMutex|WaitGroup|Map|Pool|Cond|Once\b)|\batomic\.' .)))))
SEQUENTIAL = $(filter-out $(CONCURRENT),$(TESTED))

# Packages that compare tables of media with references, most of the time in C. Even WHOLE=yes runs them short with the race
# detector, and make test-tables runs them whole without it. So tests that start goroutines do not look at -short there,
# which internal/archtest holds.
TABLES := cmd/spool cbridge decode encode
MEDIATABLES = $(foreach folder,$(TABLES),./$(folder) ./$(folder)/%)
# Packages with files that only a build with the race detector has: vet looks at them again.
RACEFILES = $(addprefix ./,$(sort $(dir $(shell git grep -lE '^//go:build .*\brace\b' -- '*.go'))))

# Of these, the packages around the C libraries, whose results may depend on the versions of those; and all other
# packages that link FFmpeg, which use them.
LIBRARIES := cbridge decode encode
USERS = $(shell go list -f '{{$$p := .ImportPath}}{{range .Deps}}{{if eq . "github.com/asticode/go-astiav"}}{{$$p}}{{end}}{{end}}' ./... | \
    grep -vE '/spool/($(subst $() ,|,$(LIBRARIES)))(/|$$)')

# A tag of go-astiav fits one FFmpeg: go.mod has the one for FFmpeg 5.1, go.ffmpeg7.mod that for 7.1. In the
# environment, for the tests that build something. Looked up when it is needed, since deps may have to install
# pkg-config first.
FFMPEG7 = GOFLAGS="$$GOFLAGS -modfile=$$PWD/go.ffmpeg7.mod"
FFMPEG = $(if $(shell pkg-config --atleast-version=61 libavcodec && echo yes),$(FFMPEG7))

SCRIPTS := $(wildcard .ci/run tools/*.sh tools/sdk/*.sh tools/release/*.sh testdata/*.sh bench/peers/*.sh cbridge/*/fake/*.sh transfer/gorgonia/*.sh bench/*.sh capi/*.sh capi/helper/*.sh python/*.sh tools/site/*.sh examples/*.sh)

.DEFAULT_GOAL := build
.PHONY: help deps ffmpeg build command library demo check test test-tables test-python wheel wheel-system release test-wheel sdk test-gorgonia test-arm64 test-browser test-prometheus test-perfetto test-ffmpeg7 test-report testdata lint asan fuzz fuzz-fixed fuzz-asan explore kills examples bench-smoke clean tools gpu fake-cuda ptx stores test-stores
.PHONY: audit flaky timing predictions bench bench-media bench-objectstore bench-readme peers-python test-peers soak docs pictures

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the Debian packages that build and tests need
	@command -v go >/dev/null || { echo "deps: Go is missing: install 1.21 or later (it fetches what go.mod names), see https://go.dev/doc/install" >&2; exit 1; }
	@tools/deps.sh build test

build: command library ## build bin/spool, and the library that python/ loads

# With another version of FFmpeg the compiler's errors do not say what to install.
ffmpeg:
	@tools/ffmpeg.sh

command: ffmpeg
	@[ -e bin/spool ] || echo "building; the first time takes a minute or two"
	$(FFMPEG) go build -buildvcs=auto -o bin/ ./cmd/...

library: ffmpeg
	@mkdir -p python/spool/_lib # where the Python package looks for it
	$(FFMPEG) capi/build.sh python/spool/_lib

demo: deps command ## load a folder of images and show rate, stages and a contact sheet
	bin/spool run images $(MEDIA) --mode cover --shuffle --epochs 5 --save-first demo.png --ledger demo.jsonl
	@echo
	@echo "contact sheet of the first batch: $(CURDIR)/demo.png"
	@echo "images that were refused, and why: $(CURDIR)/demo.jsonl"

check: ## look at what differs from BASE in minutes: format, vet, lint, short tests of the packages that it reaches
	@go -C tools build -o $(CURDIR)/bin/tools/ ./check
	@$(FFMPEG) bin/tools/check -base "$(BASE)"

test: test-golang test-python ## run the test suite short, with the race detector where code is concurrent, and with leak checks

# WHOLE=yes runs packages outside of TABLES whole, and leaves out what make test-tables has.
.PHONY: test-golang
test-golang: deps testdata build ## run the part of it that is in Go
	$(FFMPEG) go vet ./...
	$(FFMPEG) go vet -race $(RACEFILES)
	$(if $(WHOLE),$(LOADED) $(call GOTEST,race) -race -vet=off -timeout 40m $(TESTFLAGS) $(filter-out $(MEDIATABLES),$(CONCURRENT)))
	$(LOADED) $(call GOTEST,race-short) -race -vet=off -short -timeout 40m $(TESTFLAGS) \
	    $(if $(WHOLE),$(filter $(MEDIATABLES),$(CONCURRENT)),$(CONCURRENT))
	$(if $(WHOLE),,$(LOADED) $(call GOTEST,short) -vet=off -short -timeout 40m $(TESTFLAGS) $(SEQUENTIAL))
	go -C tools test $(TESTFLAGS) ./...
	$(call GOTEST,invariants) -tags invariants $(TESTFLAGS) .
	CGO_ENABLED=0 $(call GOTEST,pure) -short $(TESTFLAGS) $(PURE)

test-tables: deps build ## run whole what make test runs short and make test WHOLE=yes leaves out: tables of media, and packages without concurrency
	$(LOADED) $(call GOTEST,tables) -vet=off -timeout 40m $(TESTFLAGS) $(TABLES:%=./%/...) $(filter-out $(MEDIATABLES),$(SEQUENTIAL))

test-report: ## print which tests the last runs skipped and why, and the seconds of each package
	@go -C tools run ./testreport $(abspath $(wildcard bin/tests/*.xml))

test-python: deps build ## run the tests of the Python package, in a virtual environment that has NumPy and no other loader; WHOLE=yes includes slow ones
	python/test.sh $(call PYTEST,python) $(if $(WHOLE),,-m "not slow") $(PYTESTFLAGS)

.PHONY: test-freethreaded
test-freethreaded: deps build ## run them without a global interpreter lock, with a Python that is built from source once, in 10 minutes of CPU time
	python=$$(python/freethreaded.sh) && PYTHON=$$python python/test.sh $(call PYTEST,freethreaded) -m "not slow" $(PYTESTFLAGS)

wheel: deps ## build the wheel, the tarball and the Debian package that need nothing installed, in dist; the C libraries take some 40 minutes of CPU time once
	@$(if $(filter aarch64,$(ARCH)),tools/deps.sh cross)
	tools/sdk/artefacts.sh $(ARCH)

release: deps ## build and test what is published of a tag, in dist: tag the commit v1.2.3 first, or set UNTAGGED=yes
	tools/release/release.sh $(if $(UNTAGGED),--untagged)

test-wheel: ## install what make wheel built, as users do: in Debian 12 and 13 with python3 and pip only, and with each Python here; for aarch64 under an emulator
	@tools/deps.sh chroot $(if $(filter aarch64,$(ARCH)),cross)
	tools/sdk/test.sh $(if $(filter aarch64,$(ARCH)),files aarch64)

wheel-system: deps library ## build a wheel that loads the system's FFmpeg and libvips, in python/dist
	python/wheel.sh

sdk: ## build the static C libraries, and print their folder
	@tools/sdk/sdk.sh $(ARCH)

.PHONY: go-sdk test-go
go-sdk: ## pack the static C libraries for programs in Go, in dist
	tools/sdk/gosdk.sh

test-go: ## do what docs/go.md says, with Debian 12, Debian 13 and what make go-sdk packed, in Debians of its own (as root)
	@tools/deps.sh chroot
	tools/sdk/gouser.sh

flaky: ## run the tests that wait RUNS times in each of several ways, to find those that depend on speed or luck
	$(FFMPEG) tools/flaky.sh -n $(RUNS) $(FLAKYPACKAGES)

timing: build ## hold limits of real time, which tests only log otherwise: on a machine without other work
	SPOOL_TIMING=1 $(FFMPEG) go test -count=1 -p 1 $(TESTFLAGS) ./cmd/spool ./cbridge/av ./cbridge/gif ./cbridge/jp2 ./cbridge/jpeg/... ./cbridge/png ./cbridge/webp ./decode/audio ./decode/video ./internal/helper ./source/object
	SPOOL_TIMING=1 python/test.sh $(PYTESTFLAGS)

test-arm64: ## build the kernels for arm64 and compare them under an emulator (make test leaves that out)
	@tools/deps.sh build cross
	SPOOL_EMULATED=1 $(call REQUIRE,tools) $(call GOTEST,arm64) -count=1 -run '^TestEmulatedARM64$$' \
	    $(addprefix ./,$(sort $(dir $(shell git grep -l '^func TestEmulatedARM64' -- '*_test.go'))))

test-browser: ## look at the pages of spool run --report and --serve in a browser (make test skips that where it has none)
	@tools/deps.sh build test browser
	$(call REQUIRE,tools) $(FFMPEG) $(call GOTEST,browser) -count=1 -run '^Test(Live)?PageInBrowser$$' ./cmd/spool \
	    ./cmd/spool/internal/run

test-prometheus: ## have a Prometheus scrape a run, with the rules and the dashboard of examples/prometheus
	@tools/deps.sh build test prometheus
	$(call REQUIRE,tools) $(FFMPEG) $(call GOTEST,prometheus) -count=1 -run '^TestPrometheusScrapesARun$$' ./cmd/spool

test-perfetto: library ## open traces with the trace processor of Perfetto, or with the one that SPOOL_TRACE_PROCESSOR names
	@tools/deps.sh build test perfetto
	python=$$(SPOOL_PEERS_PYTHON= bench/peers/venv.sh tools/perfetto/requirements.txt) && \
	    export SPOOL_TRACE_PROCESSOR=$${SPOOL_TRACE_PROCESSOR:-$$(dirname "$$python")/..} && \
	    $(call REQUIRE,tools) $(FFMPEG) $(call GOTEST,perfetto) -count=1 -run '^TestPerfetto' ./cmd/spool && \
	    $(call REQUIRE,tools) python/test.sh -q test_trace.py

test-ffmpeg7: ## run the tests that depend on libraries with FFmpeg 7.1, in a Debian 13 of its own (as root)
	@tools/debian.sh 13 sh -c 'export $(FFMPEG7); $(call GOTEST,ffmpeg7) -timeout 40m $(TESTFLAGS) $(LIBRARIES:%=./%/...) && \
	    $(call GOTEST,ffmpeg7-users) -timeout 40m -short $(TESTFLAGS) $(USERS)'

testdata: ## check that the test media are what SHA256SUMS says
	@cd testdata && sha256sum --check --quiet SHA256SUMS && echo "testdata: as SHA256SUMS says"

lint: ## check format and style of Go, C and shell
	@tools/deps.sh build lint
	@unformatted=$$(git ls-files -z '*.go' | xargs -0 gofmt -l); \
	    if [ -n "$$unformatted" ]; then echo "gofmt -w these: $$unformatted" >&2; exit 1; fi
	git ls-files -z '*.c' '*.h' '*.cpp' | xargs -0 clang-format --dry-run --Werror
	shellcheck $(SCRIPTS)
	go -C tools vet ./...
	go tool -modfile=tools/go.mod golangci-lint run
	python/lint.sh

kills: ## run the tests that end loaders at random moments for five times the rounds of make test
	SPOOL_EXPLORE=1 $(FFMPEG) go test -race -count=1 -timeout 40m $(TESTFLAGS) -run '^TestKill' ./loader

.PHONY: faults chaos
faults: command ## have each system call and each allocation in C of the command fail, one in each run, for an hour or two; counts go to testdata/fault-ledger.json
	$(FFMPEG) go test -count=1 -timeout 10h $(TESTFLAGS) -run '^(TestFaults|TestStoppedProcesses|TestClockJumps)' ./cmd/spool -fault-all \
	    -fault-command $(CURDIR)/bin/spool -fault-record $(CURDIR)/testdata/fault-ledger.json \
	    -fault-commit $$(git rev-parse --short=10 HEAD)

chaos: command ## train for TIME with several ranks that die, stop and fail, and compare all that was delivered with the data set; the outcome goes to testdata/chaos-ledger.json
	SPOOL_SEED=$${SPOOL_SEED:-random} $(FFMPEG) go test -count=1 -timeout 0 -v $(TESTFLAGS) -run '^TestChaos$$' ./cmd/spool -chaos $(TIME) \
	    -fault-command $(CURDIR)/bin/spool -chaos-record $(CURDIR)/testdata/chaos-ledger.json \
	    -chaos-commit $$(git rev-parse --short=10 HEAD)

.PHONY: kill-records kill-pack chaos-records
kill-records: command ## kill and resume 200 runs of records for each form of batches
	$(FFMPEG) go test -count=1 -timeout 120m $(TESTFLAGS) -run '^TestKilledRecordsResume$$' ./cmd/spool -form-kills 200

kill-pack: ## kill 200 processes that pack, for each format of shards and each kind of media that is encoded, and 20 that pack into a bucket
	$(FFMPEG) go test -count=1 -timeout 120m $(TESTFLAGS) -run '^TestKilled$$' ./source/pack -pack-kills 200
	$(FFMPEG) go test -count=1 -timeout 120m $(TESTFLAGS) -run '^TestKilledTranscodes$$' ./cmd/spool -transcode-kills 200

chaos-records: ## decode records of 10,000 random schemas with random faults
	SPOOL_EXPLORE=1 $(FFMPEG) go test -count=1 -timeout 40m $(TESTFLAGS) -run '^TestRandomSchemasWithFaults$$' ./record

asan: ## run the packages that hold C code under the address sanitizer, leaks included
	@tools/deps.sh build test
	ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=$(CURDIR)/tools/lsan.supp:print_suppressions=0 \
	    $(call GOTEST,asan) -asan -exec $(CURDIR)/tools/asan.sh -count=1 -timeout 40m $(TESTFLAGS) $(NATIVE)

# The command is built for it: Go tells valgrind of its stacks and heap with this tag. valgrind of Debian 12 does not read
# Go's debugging information, only names.
.PHONY: valgrind
valgrind: ## decode testdata/hard, testdata/audio and what fuzz targets keep under valgrind, by libvips and by the command, in some 30 seconds of CPU time, after a build of some minutes
	@tools/deps.sh build valgrind
	$(FFMPEG) go build -tags valgrind -ldflags=-w -o bin/valgrind/spool ./cmd/spool
	tools/valgrind.sh

fuzz: tools ## fuzz every target for FUZZTIME; counts go to testdata/fuzz-ledger.json
	bin/tools/fuzz -time $(FUZZTIME) -budget $(BUDGET)

fuzz-fixed: tools ## run the same CASES mutated files through each target that takes them, under the address sanitizer
	bin/tools/fuzz -asan -cases $(CASES) -seed 1

fuzz-asan: tools ## run mutated files under the address sanitizer until the ledger has GOAL of them for each target
	bin/tools/fuzz -asan -goal $(GOAL) -time 1h -budget $(BUDGET)

.PHONY: campaign fuzz-total
campaign: tools ## fuzz each target for CAMPAIGNTIME under the address sanitizer, those with the least time first: it may be ended, and goes on
	bin/tools/fuzz -asan -mutate -time $(CAMPAIGNTIME) -budget $(BUDGET)
	@bin/tools/fuzz -total

fuzz-total: tools ## print how long each target has been fuzzed, and its findings
	@bin/tools/fuzz -total

explore: build tools ## look for TIME for what fixed cases do not find: random seeds, fuzzing, memory; counts go to the ledger
	@tools/deps.sh test
	$(FFMPEG) tools/explore.sh $(TIME)

# The commit that the engine's sources are of.
JPEGSOURCES = $(shell git log -1 --format=%h -- ':(glob)cbridge/jpeg/baseline/*.[ch]')

jpeg-identity: ## hold the JPEG engine to libjpeg-turbo on JPEGFILES generated files; the counts go to testdata/jpeg-identity.json
	python=$$(bench/peers/venv.sh cbridge/jpeg/baseline/testdata/encode.txt) && \
	    go test -count=1 -timeout 4h -run TestPlanesOf -v ./cbridge/jpeg/baseline -generated $(JPEGFILES) -python "$$python" \
	        -record $(CURDIR)/testdata/jpeg-identity.json -sources $(JPEGSOURCES)

# The C sources that the libFuzzer target of the JPEG engine is made of: its own, the engine's, and those around
# libjpeg-turbo.
JPEGFUZZ := cbridge/jpeg/baseline/fuzz
OTHERS = $(filter-out $(shell go env GOARCH),amd64 arm64)
JPEGFUZZ_C = $(filter-out $(addprefix %_,$(addsuffix .c,$(OTHERS))),$(wildcard $(JPEGFUZZ)/*.c cbridge/jpeg/baseline/*.c cbridge/jpeg/*.c cbridge/floor/jpeg.c))
JPEGFUZZ_H = $(wildcard $(JPEGFUZZ)/*.h cbridge/jpeg/baseline/*.h cbridge/jpeg/*.h cbridge/floor/floor.h) cbridge/kernel/sink.h cbridge/call/cancel.h

fuzz-jpeg: tools bin/$(JPEGFUZZ)/target ## fuzz the JPEG engine against libjpeg-turbo until the ledger has JPEGGOAL executions
	bin/tools/fuzz -native $(JPEGFUZZ) -goal $(JPEGGOAL) -time $(JPEGTIME)

fuzz-jpeg-corpus: bin/$(JPEGFUZZ)/target ## keep what reaches something new: the fewest and smallest inputs that do
	mv $(JPEGFUZZ)/corpus bin/$(JPEGFUZZ)/before && mkdir $(JPEGFUZZ)/corpus
	bin/$(JPEGFUZZ)/target -merge=1 -verbosity=0 $(JPEGFUZZ)/corpus bin/$(JPEGFUZZ)/before bin/$(JPEGFUZZ)/corpus
	rm -rf bin/$(JPEGFUZZ)/before

# Comparisons are not traced: that costs as much as all else, and the corpus has the numbers that headers are made of.
bin/$(JPEGFUZZ)/target: $(JPEGFUZZ_C) $(JPEGFUZZ_H)
	@tools/deps.sh build fuzz
	@mkdir -p $(@D)
	$(CLANG) -g -O2 -fno-omit-frame-pointer -Wall -Wextra -Werror \
	    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -fno-sanitize-coverage=trace-cmp \
	    -DSPOOL_BASELINE_WINDOW=2560 $(addprefix -I,cbridge/jpeg/baseline cbridge/jpeg cbridge/floor cbridge/kernel cbridge/call) \
	    $(JPEGFUZZ_C) -ljpeg -o $@

examples: build tools ## run the examples of the README, the guides and the tutorials, and the programs in C, C++ and Rust
	bin/tools/examples README.md docs/go.md docs/records.md docs/resume.md docs/failures.md docs/tuning.md docs/augmentation.md \
	    docs/tutorials/first-loader.md docs/tutorials/video.md
	examples/run.sh

predictions: build ## compare predictions of spool simulate with real runs: on a machine without other work
	go run ./bench/predict -spool bin/spool $(PREDICTFLAGS) $(MEASURED)

bench-smoke: library ## run each benchmark once, but for those that take minutes, without a look at the clock
	$(LOADED) go test -vet=off -run '^$$' -bench . -benchtime 1x -short $(BENCHMARKED)

.PHONY: bench-go
bench-go: library ## run all benchmarks in Go BENCHCOUNT times, to compare two commits by benchstat; they print to bin/bench-go.txt
	$(LOADED) go test -run '^$$' -bench . -benchtime $(BENCHTIME) \
	    -count $(BENCHCOUNT) -timeout 2h $(BENCHMARKED) | tee bin/bench-go.txt

# What the tables of docs/benchmarks.md have of Go's benchmarks. Kept for a second call, at the same commit.
GOBENCHED = bin/bench-$(shell git describe --always --dirty=-changed).txt

bench: build bench-media ## measure beside other loaders, on generated media, in an hour and a quarter; results go to bin/results, and a second call goes on where one was interrupted
	@rm -f bin/bench-*-changed.txt
	[ -s $(GOBENCHED) ] || { $(FFMPEG) go test -run '^$$' -bench . -benchtime $(BENCHTIME) -count $(BENCHCOUNT) \
	    ./bench ./bench/codec >$(GOBENCHED).part && mv $(GOBENCHED).part $(GOBENCHED); } || { cat $(GOBENCHED).part; exit 1; }
	@$(PEERPYTHON) && go run ./bench/compare -gobench $(GOBENCHED) -python "$$python" $(COMPAREFLAGS)

bench-media: ## generate the media that benchmarks load, in bin/bench-media, and record what torchvision makes of the photos
	@tools/deps.sh test
	@$(PEERPYTHON) && "$$python" bench/media/generate.py bin/bench-media && \
	    "$$python" bench/peers/reference.py record 'generated photos/*.jpg=bin/bench-media/photos/*.jpg' >bin/bench-media/pixels.part && \
	    mv bin/bench-media/pixels.part bin/bench-media/pixels.json

peers-python: ## install the other loaders, some gigabytes, and print the Python interpreter that has them
	@bench/peers/venv.sh $(PEERREQUIREMENTS)

bench-objectstore: build bench-media ## measure loading photos from a store that answers late, beside other loaders; results go to bin/results, like those of make bench
	@$(PEERPYTHON) && go run ./bench/objectstore -python "$$python" $(COMPAREFLAGS)

# The database of Go's vulnerabilities; file:///FOLDER is a copy of it.
VULNDB = https://vuln.go.dev

audit: ## look for known vulnerabilities: of the Go modules, and of the C libraries in the wheel
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 -db $(VULNDB) ./cmd/... ./capi
	tools/sdk/lock.py audit

bench-readme: ## publish the results of bin/results in bench/results, and write the figures of README.md and docs from the newest commit that has all of a table
	@if [ -d bin/results ]; then cp -n bin/results/* bench/results/; fi
	go run ./bench/readme

test-peers: build bench-media ## hold the profiles to the real torchvision and Pillow, run in the loaders that Python has, and take one short round beside others, from files and from a store
	@$(PEERPYTHON) && set -x && \
	    bench/peers/parity.sh "$$python" $(sort $(wildcard $(addprefix $(MEASURED)/,photos/* large/* hard/* formats/*))) && \
	    export $(call REQUIRE,peers) SPOOL_PEERS_PYTHON="$$python" && \
	    "$$(python/venv.sh)" -m pyright --project python/pyright-peers.json --pythonpath "$$python" && \
	    "$$python" -m pytest $(call PYTEST,peers-python) python/tests/peers && \
	    $(call GOTEST,peers) -count=1 -run 'S3|Pillow' ./source/object ./cmd/spool/internal/parity && \
	    rm -rf bin/compare && \
	    go run ./bench/compare -python "$$python" -works images,train -rounds 1 -seconds 0.5 -wait 0s -out bin/compare && \
	    go run ./bench/objectstore -python "$$python" -latencies 0 -rounds 1 -seconds 0.3 -wait 0s -strict -out bin/compare

.PHONY: test-suites
test-suites: build ## run the test suites of torchcodec, decord and torchvision with spool's classes in place of theirs
	@$(PEERPYTHON) && "$$python" bench/peers/suites/run.py

docs: build ## build the documentation as a site in bin/site, strictly, and look at it in a browser where there is one
	@tools/deps.sh build test
	python=$$(SPOOL_PEERS_PYTHON= bench/peers/venv.sh docs/requirements.txt) && export NO_MKDOCS_2_WARNING=1 && "$$python" -m mkdocs build --strict
	$(call REQUIRE,generated) python/test.sh $(call PYTEST,docs) test_site.py
	@echo "the site: $(CURDIR)/bin/site/index.html"

pictures: command library ## make the pictures of the documentation anew, in docs/pictures
	@tools/deps.sh browser prometheus
	tools/site/pictures.sh

soak: build bench-media ## check that memory stays flat over a million photos, 100,000 clips and 100 hours of audio; SOAKPARTS and SHARE choose less
	@tools/deps.sh test
	@$(PEERPYTHON) && "$$python" bench/media/generate.py bin/bench-media mixed
	go run ./bench/soak -share $(SHARE) $(SOAKPARTS)

clean: ## remove what the other targets have made
	rm -rf bin demo.png demo.jsonl python/.venv python/build python/dist python/spool/_lib

gpu: ## pack tests and benchmarks for a machine with a GPU, where bench/gpu.sh runs them
	bench/gpu.sh build

fake-cuda: ## build the CUDA driver without a device that tests use, to be found through LD_LIBRARY_PATH
	@mkdir -p bin/fake-cuda
	cbridge/cuda/fake/build.sh $(CURDIR)/bin/fake-cuda/libcuda.so.1

ptx: ## make the PTX of the device's kernels anew, by nvrtc of PyPI, and have ptxas take it for each kind of device
	@python=$$(SPOOL_PEERS_PYTHON= bench/peers/venv.sh cbridge/cuda/kernels/requirements.txt) && "$$python" cbridge/cuda/kernels/ptx.py

test-gorgonia: ## test the adapter for gorgonia.org/cu on the fake driver
	transfer/gorgonia/test.sh bin/gorgonia

test-stores: stores ## test object stores on a real S3 server (make test skips that where make stores has not built it)
	$(call REQUIRE,stores) $(FFMPEG) $(call GOTEST,stores) -count=1 $(STORED)

stores: ## build the S3 server and the faulty network that tests of object stores use
	go -C tools/stores build -o $(CURDIR)/bin/tools/versitygw github.com/versity/versitygw/cmd/versitygw
	go -C tools/stores build -o $(CURDIR)/bin/tools/toxiproxy github.com/Shopify/toxiproxy/v2/cmd/server

tools:
	go -C tools build -o $(CURDIR)/bin/tools/ ./fuzz ./examples
