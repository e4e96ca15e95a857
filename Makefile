# gauntlet: README.md says what it is, CONTRIBUTING.md how to work on it. `make help` prints these lines.
#
#   make                        build/gauntlet, its plugins and libgauntlet-nn (the target all)
#   make demo                   builds, runs suites/demo.json and leaves a report
#   make test                   builds, runs every test and counts at the end; QUICK=1: most units, the
#                               refused suites and one small run
#   make asan                   the same under AddressSanitizer and UBSan, in build/asan
#   make fuzz T=60              every parser under libFuzzer, T seconds in all; FUZZ="NAME …" picks some
#   make bench                  gauntlet beside PyTorch and this machine's limits; KEEP=1 keeps the times,
#                               with the quick suite's, and makes docs/performance.md of them; KEEP=avx2
#                               keeps those of a machine without AVX-512
#   make docs                   the tables of the pages in docs from results/baselines
#   make board                  docs/board from the scores in results/board
#   make docs-check             says where they differ from it
#   make docs-results           runs again what it was kept from, then make docs; RUNS="NAME …" picks some
#
#   make plugins                the built-in plugins alone
#   make units                  the unit tests, not run; one of them: make build/tests/test_json
#   make harnesses              the fuzz harnesses with their kept inputs' runner, not run
#   make compile_commands.json  the flags of each source, for clangd
#   make format                 formats the C sources; make format-check says which are not formatted
#
#   make deps                   installs the missing packages of packages.txt
#   make install                under DESTDIR and PREFIX (/usr/local)
#   make uninstall              removes it
#   make deb                    Debian packages of the last commit, in build/deb
#   make clean                  removes the build folder
#   make help                   this text
#
# Variables: B the build folder (build), CC, OPT (-O2 -g), CFLAGS and LDFLAGS added to ours, V=1 shows the
# commands, DNNL= builds without oneDNN, MATIO= without libmatio, ZIP= without libzip,
# SNDFILE= without libsndfile, FFTW= without FFTW, JPEG= without libjpeg, SVM= without libsvm, PYTHON= without
# plugins in Python.

B ?= build
ifeq ($(origin CC),default)
CC = gcc
endif
PREFIX ?= /usr/local
CSTD = -std=c11 -D_GNU_SOURCE
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Werror
OPT ?= -O2 -g
# no errno and no traps in numeric loops, so that the compiler may vectorise them; nothing here reorders sums
FLOAT = -fno-math-errno -fno-trapping-math
CFLAGS_ALL = $(CSTD) $(WARN) $(OPT) $(FLOAT) -fPIC -fvisibility=hidden -MMD -MP $(SAN) $(CFLAGS)
# convolutions go through oneDNN where its header is found, which is opened by the first one; `make DNNL=`
# builds without
DNNL ?= $(firstword $(wildcard /usr/include/dnnl.h /usr/local/include/dnnl.h))
ifneq ($(strip $(DNNL)),)
CFLAGS_ALL += -DGNT_DNNL
endif
# .mat files are read by libmatio, which is opened when one is; `make MATIO=` builds without
MATIO ?= $(firstword $(wildcard /usr/include/matio.h /usr/local/include/matio.h))
ifneq ($(strip $(MATIO)),)
CFLAGS_ALL += -DGNT_MATIO
endif
# .zip archives are read by libzip, which is opened when one is; `make ZIP=` builds without
ZIP ?= $(firstword $(wildcard /usr/include/zip.h /usr/local/include/zip.h))
ifneq ($(strip $(ZIP)),)
CFLAGS_ALL += -DGNT_ZIP
endif
# recordings are read by libsndfile, their spectra made by FFTW, which are opened when one is; `make SNDFILE=`
# and `make FFTW=` build without
SNDFILE ?= $(firstword $(wildcard /usr/include/sndfile.h /usr/local/include/sndfile.h))
ifneq ($(strip $(SNDFILE)),)
CFLAGS_ALL += -DGNT_SNDFILE
endif
FFTW ?= $(firstword $(wildcard /usr/include/fftw3.h /usr/local/include/fftw3.h))
ifneq ($(strip $(FFTW)),)
CFLAGS_ALL += -DGNT_FFTW
endif
# .jpg files are read by libjpeg, which is opened when one is; `make JPEG=` builds without
JPEG ?= $(firstword $(wildcard /usr/include/jpeglib.h /usr/local/include/jpeglib.h))
ifneq ($(strip $(JPEG)),)
CFLAGS_ALL += -DGNT_JPEG
endif
# attr-svm learns by libsvm, which its object links with; `make SVM=` builds one that refuses to learn
SVM ?= $(firstword $(wildcard /usr/include/libsvm/svm.h /usr/local/include/libsvm/svm.h))
ifneq ($(strip $(SVM)),)
CFLAGS_ALL += -DGNT_SVM
endif
LIBS = -ljansson -lsodium -lseccomp -lpng -lz -lm -ldl -lpthread

INCLUDE = -Iharness -Iharness/include
# tests include sources of plugins, whose folders' subfolders are named from the plugin's own folder
TESTS_OWN_INCLUDE = -Itests -Iplugins \
    $(patsubst %/,-I%,$(sort $(dir $(patsubst %/,%,$(dir $(wildcard plugins/*/*/*/*.c))))))
TEST_INCLUDE = $(INCLUDE) $(TESTS_OWN_INCLUDE)

RUN_ROOMS = run/store run/lease run/job run/request run
NN_ROOMS = nn/graph nn/kernels nn/conv nn/plan nn/model nn/io nn/solve
JOB_ROOMS = job/work job/record job/side job/observe job/score job
REPORT_ROOMS = report/table report/plot report
ROOMS = base gzip data $(NN_ROOMS) onnx metric fl match suite plugin capture request result derive check \
    render judge process $(JOB_ROOMS) $(RUN_ROOMS) vet finished seal $(REPORT_ROOMS) board gate cluster cli
ROOM_SRC = $(foreach r,$(ROOMS),$(wildcard harness/$(r)/*.c))
# files named real_*.c are compiled twice, for float and for double
REAL_SRC = $(foreach s,$(ROOM_SRC),$(if $(filter real_%,$(notdir $(s))),$(s)))
# files named simd_*.c are compiled for each instruction set (nn/kernels/vec.h)
SIMD_SRC = $(foreach s,$(ROOM_SRC),$(if $(filter simd_%,$(notdir $(s))),$(s)))
SIMD_SETS = $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),avx2 avx512)
SIMD_FLAGS = -O3 -ffp-contract=off
SIMD_avx2 = -mavx2 -mfma
SIMD_avx512 = $(SIMD_avx2) -mavx512f -mavx512dq -mavx512bw -mavx512vl
PLAIN_SRC = $(filter-out $(REAL_SRC) $(SIMD_SRC) harness/cli/main.c,$(ROOM_SRC))
LIB_OBJ = $(PLAIN_SRC:%.c=$(B)/obj/%.o) $(REAL_SRC:%.c=$(B)/obj/%.f32.o) $(REAL_SRC:%.c=$(B)/obj/%.f64.o) \
    $(foreach i,$(SIMD_SETS),$(SIMD_SRC:%.c=$(B)/obj/%.$(i).o))
NN_OBJ = $(filter $(B)/obj/harness/base/% $(B)/obj/harness/nn/%,$(LIB_OBJ))

PLUGIN_INCLUDE = -Iharness/include -Iplugins
PLUGIN_ONE = $(wildcard plugins/defenses/*.c plugins/attacks/*.c)
PLUGIN_DIR = $(patsubst %/,%,$(sort $(dir $(wildcard plugins/defenses/*/*.c plugins/attacks/*/*.c))))
plugin_folder = $(wildcard $(1)/*.c $(1)/*/*.c)
# what a defense and the attacks on it have in common is compiled into each folder of that name, and into
# those that a line SHARED_FOLDER names; its headers are included as "shared/NAME/…"
SHARED_dp = choose
SHARED_gradient = attribute choose region
SHARED_loda = choose
SHARED_region = dp steps
SHARED_representation = steps
plugin_shared = $(wildcard $(patsubst %,plugins/shared/%/*.c,$(notdir $(1)) $(SHARED_$(notdir $(1)))))
plugin_objects = $(patsubst %.c,$(B)/so/%.o,$(call plugin_folder,$(1)) $(call plugin_shared,$(1)))
PLUGINS = $(PLUGIN_ONE:%.c=$(B)/%.so) $(PLUGIN_DIR:%=$(B)/%.so)
PLUGIN_CFLAGS = $(CSTD) $(WARN) $(OPT) $(FLOAT) -fPIC -fvisibility=hidden $(PLUGIN_INCLUDE) -MMD -MP $(SAN) \
    $(if $(strip $(SVM)),-DGNT_SVM) $(CFLAGS)
PLUGIN_LDFLAGS = -shared -Wl,--as-needed -Wl,--version-script=plugins/plugin.map -Wl,-z,defs $(SAN)

# plugins in Python are run by a library of their own, where Python's headers are; `make PYTHON=` builds none
PYTHON ?= $(lastword $(sort $(wildcard /usr/include/python3.*/Python.h)))
PYTHON_FOLDER = $(patsubst %/Python.h,%,$(strip $(PYTHON)))
PYTHON_SO = $(if $(strip $(PYTHON)),$(B)/libgauntlet-python.so.0)
PYTHON_OBJ = $(if $(strip $(PYTHON)),$(patsubst %.c,$(B)/so/%.o,$(wildcard plugins/python/*.c)))

# refused plugins have their own folder: no cache keeps them, so every command would load them again
TEST_PLUGIN_SRC = $(wildcard tests/plugins/*.c tests/plugins/refused/*.c)
PLUGIN_OBJ = $(PYTHON_OBJ) $(patsubst %.c,$(B)/so/%.o,$(PLUGIN_ONE) $(TEST_PLUGIN_SRC)) \
    $(sort $(foreach d,$(PLUGIN_DIR),$(call plugin_objects,$(d))))
# not in a folder called plugins: programs beside one take what is in it for their own
TEST_PLUGINS = $(TEST_PLUGIN_SRC:tests/plugins/%.c=$(B)/tests/so/%.so)
# nn_step is a program of its own
BENCH_OBJ = $(patsubst bench/%.c,$(B)/obj/bench/%.o,$(filter-out bench/nn_step.c,$(wildcard bench/*.c)))
# recup-zoo and tappfl-cifar time the code of the plugins itself
BENCH_SHARED = $(patsubst %.c,$(B)/obj/%.o,$(wildcard plugins/shared/attribute/*.c plugins/shared/steps/*.c) \
    $(addprefix plugins/defenses/representation/,extractor.c objective.c side_layers.c))
# harnesses of parsers: with replay.c they run kept inputs; `make fuzz` links them with libFuzzer instead
HARNESS_SRC = $(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c))
HARNESSES = $(HARNESS_SRC:tests/fuzz/%.c=$(B)/fuzz/%)
FUZZ_MAIN ?= $(B)/obj/tests/fuzz/replay.o
# makes the tables of pages from kept scores
DOCS_OBJ = $(patsubst %.c,$(B)/obj/%.o,$(wildcard tools/docs_tables/*.c))
DOCS_PAGES = docs/findings.md $(wildcard docs/papers/*.md) --blocks docs/attacks.md docs/captures.md \
    docs/data-results.md docs/measures.md docs/leaderboard.md docs/leaderboard.schema.json \
    docs/performance.md docs/results.md docs/results.schema.json docs/scale.md docs/slurm.md
UNIT = $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))
UNIT_OBJ = $(UNIT:$(B)/tests/%=$(B)/obj/tests/unit/%.o)

# a target that builds by itself uses every core, unless the caller said how many
CORES = $(shell nproc 2>/dev/null || echo 2)
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(CORES))

.PHONY: FORCE all demo board test asan fuzz bench plugins units harnesses format format-check
.PHONY: docs docs-check docs-results deps have-deps install uninstall deb clean help
.SECONDARY:
all: $(B)/gauntlet plugins $(B)/libgauntlet-nn.so $(PYTHON_SO)
	@$(if $(strip $(PYTHON)),:,echo "plugins in Python are left out: there is no Python.h; Debian: python3-dev")

# a plugin whose source is gone goes too: two files of one plugin would stop every run
plugins: $(PLUGINS)
	@rm -f $(filter-out $(PLUGINS),$(wildcard $(B)/plugins/*/*.so)) \
	    $(filter-out $(TEST_PLUGINS),$(wildcard $(B)/tests/so/*.so $(B)/tests/so/refused/*.so))

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(INCLUDE) -c $< -o $@
$(B)/obj/%.f32.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(INCLUDE) -c $< -o $@
$(B)/obj/%.f64.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -DGNT_REAL_F64 $(INCLUDE) -c $< -o $@

$(B)/obj/%.avx2.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(SIMD_FLAGS) $(SIMD_avx2) $(INCLUDE) -c $< -o $@
$(B)/obj/%.avx512.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(SIMD_FLAGS) $(SIMD_avx512) $(INCLUDE) -c $< -o $@

# which source this is, for `gauntlet version` and the record of a run; the file changes when its words do
$(B)/source: FORCE
	@mkdir -p $(@D); tools/source >$@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(B)/obj/harness/run/version.o: harness/run/version.c $(B)/source
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -DGNT_SOURCE="\"$$(cat $(B)/source)\"" $(INCLUDE) -c $< -o $@

# files that are put into the program as they are (base/embed.h)
$(B)/obj/harness/board/template.o: harness/board/page.html
$(B)/obj/harness/report/index.o: harness/report/head.html
$(B)/obj/harness/cli/help.o: $(wildcard harness/cli/help/*.txt)
$(B)/obj/harness/cli/cmd_schema.o: $(wildcard docs/*.schema.json)

$(B)/libgauntlet.a: $(LIB_OBJ)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/gauntlet: $(B)/obj/harness/cli/main.o $(B)/libgauntlet.a
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ -Wl,--as-needed $(LIBS)

$(B)/libgauntlet-nn.so.0: $(NN_OBJ) harness/nn/nn.map
	$(Q)$(CC) -shared $(SAN) $(LDFLAGS) -Wl,-soname,libgauntlet-nn.so.0 -Wl,--version-script=harness/nn/nn.map \
	    -o $@ $(NN_OBJ) -Wl,--as-needed $(LIBS)
# the name that a plugin's author links with
$(B)/libgauntlet-nn.so: $(B)/libgauntlet-nn.so.0
	@ln -sf libgauntlet-nn.so.0 $@

$(PYTHON_OBJ): PLUGIN_INCLUDE += -isystem $(PYTHON_FOLDER)
$(B)/so/plugins/python/entry.o: plugins/python/glue.py
$(B)/libgauntlet-python.so.0: $(PYTHON_OBJ)
	$(Q)$(CC) -o $@ $^ $(LDFLAGS) -shared -Wl,-z,defs $(SAN) -Wl,-soname,libgauntlet-python.so.0 \
	    -Wl,--as-needed -l$(notdir $(PYTHON_FOLDER))

# includes in a plugin's folder and its subfolders are relative to the plugin's folder, plugins/KIND/NAME
plugin_own = $(patsubst %.c,,$(subst $() ,/,$(wordlist 1,3,$(subst /, ,$(1)))))
$(B)/so/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(PLUGIN_CFLAGS) $(addprefix -iquote ,$(call plugin_own,$<)) -c $< -o $@

# the toolkit is found beside the folder of plugins, built or installed
define plugin_link
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter %.o,$^) -o $@ $(LDFLAGS) $(PLUGIN_LDFLAGS) $(B)/libgauntlet-nn.so.0 $(PLUGIN_LIBS) -lm \
	    -Wl,-rpath,'$$ORIGIN/../..'
endef
$(B)/plugins/attacks/attribute.so: PLUGIN_LIBS = $(if $(strip $(SVM)),-lsvm)
$(PLUGIN_ONE:%.c=$(B)/%.so): $(B)/%.so: $(B)/so/%.o $(B)/libgauntlet-nn.so.0 plugins/plugin.map
	$(plugin_link)
$(TEST_PLUGINS): $(B)/tests/so/%.so: $(B)/so/tests/plugins/%.o $(B)/libgauntlet-nn.so.0 plugins/plugin.map
	$(plugin_link)
# an attack composed of the parts of gradient
$(B)/so/tests/plugins/idlg_generator.o: PLUGIN_INCLUDE += -Iplugins/attacks/gradient
$(B)/tests/so/idlg_generator.so: \
    $(filter-out %/entry.o,$(call plugin_objects,plugins/attacks/gradient))
.SECONDEXPANSION:
$(PLUGIN_DIR:%=$(B)/%.so): $(B)/%.so: $$(call plugin_objects,%) $(B)/libgauntlet-nn.so.0 plugins/plugin.map
	$(plugin_link)

$(UNIT_OBJ): INCLUDE += $(TESTS_OWN_INCLUDE)
$(B)/tests/%: $(B)/obj/tests/unit/%.o $(B)/libgauntlet.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) $< -o $@ $(WRAPPED) $(B)/libgauntlet.a -lcmocka -Wl,--as-needed $(LIBS)
$(B)/tests/test_lookalike: LIBS += -licuuc
# it fails the allocations of the program that it is linked with
$(B)/tests/test_hostile: WRAPPED = \
    -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free
# the program with tests/faulty.c around the calls that it names
$(B)/gauntlet-faulty: tests/faulty.c $(B)/obj/harness/cli/main.o $(B)/libgauntlet.a
	$(Q)$(CC) $(CFLAGS_ALL) -MF $(B)/obj/faulty.d $(LDFLAGS) -o $@ $^ \
	    -Wl,--wrap=open,--wrap=write,--wrap=fsync,--wrap=rename,--wrap=mkdir,--wrap=unlink,--wrap=time \
	    -Wl,--wrap=pwrite,--as-needed $(LIBS)
units: $(UNIT) $(TEST_PLUGINS) $(B)/gauntlet-faulty

$(B)/fuzz/%: tests/fuzz/%.c $(FUZZ_MAIN) $(B)/libgauntlet.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(TEST_INCLUDE) $< -o $@ $(FUZZ_MAIN) $(B)/libgauntlet.a $(LIBS)
harnesses: $(HARNESSES)

$(B)/bench/nn_step: bench/nn_step.c $(B)/libgauntlet.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(INCLUDE) $< -o $@ $(B)/libgauntlet.a $(LIBS)
$(BENCH_OBJ) $(BENCH_SHARED): INCLUDE += -Iplugins
$(B)/bench/bench: $(BENCH_OBJ) $(BENCH_SHARED) $(B)/libgauntlet.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)
# BENCH_FLAGS: build/bench/bench --help
KEPT_BENCH = results/baselines/bench$(patsubst %,-%,$(filter-out 1,$(KEEP))).json
bench: all $(B)/bench/bench $(if $(KEEP),$(B)/docs-tables)
	@$(B)/bench/bench -o $(B)/bench.json $(if $(KEEP),--keep $(KEPT_BENCH)) $(BENCH_FLAGS)
	@$(if $(KEEP),$(B)/docs-tables write $(DOCS_PAGES))

$(B)/docs-tables: $(DOCS_OBJ) $(B)/libgauntlet.a
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ -Wl,--as-needed $(LIBS)
# tests of readers make the schemas of what people write
SCHEMA_TESTS = $(patsubst %,$(B)/tests/test_%,suite_cases schemas board)
docs: $(B)/docs-tables $(SCHEMA_TESTS)
	@$(B)/docs-tables write $(DOCS_PAGES)
	@for t in $(SCHEMA_TESTS); do $$t --schema >/dev/null 2>&1; done
docs-check: $(B)/docs-tables
	@$(B)/docs-tables check $(DOCS_PAGES)
# RUNS names some of those that tools/docs_results lists
docs-results: all $(B)/docs-tables
	@B=$(B) tools/docs_results $(RUNS)
	@$(B)/docs-tables write $(DOCS_PAGES)

# draws README's picture, too
board: all
	@B=$(B) tools/board
	@B=$(B) tools/picture

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

deps:
	@tools/deps install
have-deps:
	@tools/deps check || tools/deps install

demo: have-deps
	@$(MAKE) --no-print-directory $(PARALLEL) all
	$(B)/gauntlet run suites/demo.json

test: have-deps
	@$(MAKE) --no-print-directory $(PARALLEL) all units \
	    $(if $(QUICK),,harnesses $(B)/docs-tables $(B)/bench/bench)
	@B=$(B) QUICK=$(QUICK) tests/run

ASAN = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
asan:
	@$(MAKE) --no-print-directory B=build/asan SAN='$(ASAN)' test

# tests/fuzz/search says how T and FUZZ, names of harnesses, are used
T ?= 60
fuzz:
	@echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | \
	    clang -fsanitize=fuzzer -x c -o /dev/null - 2>/dev/null || { echo >&2 \
	    "make fuzz needs clang with libFuzzer; Debian: apt-get install clang libclang-rt-14-dev"; exit 2; }
	@$(MAKE) --no-print-directory $(PARALLEL) B=$(B)/fuzzing CC=clang OPT='-O1 -g' FUZZ_MAIN= \
	    LDFLAGS=-fsanitize=fuzzer SAN='$(ASAN) -fsanitize=fuzzer-no-link' CFLAGS=$(CLANG_WARN) harnesses
	@tests/fuzz/search $(B)/fuzzing/fuzz $(T) $(FUZZ)

SOURCES = $(shell find harness plugins tests bench tools docs -name '*.[ch]' 2>/dev/null | sort)
format:
	@clang-format -i $(SOURCES)
format-check:
	@clang-format --dry-run -Werror $(SOURCES)

# For clangd, which is clang: its own warnings are no errors. The file changes when what it says does.
# real_*.c stand in it once, as float, simd_*.c once, for any processor.
COMPILE_COMMANDS = compile_commands.json
CLANG_WARN = -Wno-missing-field-initializers
clangd_flags = $(filter-out -Werror -MMD -MP,$(1)) $(CLANG_WARN) $(2)
# a line for each source: folder, source, command, with tabs between them
sources_with = for f in $(1); do printf '%s\t%s\t%s\n' '$(CURDIR)' $$f '$(CC) $(2)'; done
$(COMPILE_COMMANDS): FORCE
	@{ $(call sources_with,$(ROOM_SRC) $(wildcard bench/*.c) $(wildcard tools/*/*.c),$(call \
	        clangd_flags,$(CFLAGS_ALL),$(INCLUDE) -Iplugins)); \
	    $(call sources_with,$(wildcard tests/*.c tests/unit/*.c tests/fuzz/*.c),$(call \
	        clangd_flags,$(CFLAGS_ALL),$(TEST_INCLUDE))); \
	    $(if $(strip $(PYTHON)),$(call sources_with,$(wildcard plugins/python/*.c),$(call \
	        clangd_flags,$(PLUGIN_CFLAGS),-isystem $(PYTHON_FOLDER)));) \
	    $(foreach d,$(PLUGIN_DIR) $(wildcard plugins/shared/*),$(call sources_with,$(call \
	        plugin_folder,$(d)),$(call clangd_flags,$(PLUGIN_CFLAGS),-iquote $(d)));) \
	    $(call sources_with,$(PLUGIN_ONE) $(wildcard docs/*.c tests/abi/*.c) $(TEST_PLUGIN_SRC),$(call \
	        clangd_flags,$(PLUGIN_CFLAGS))); } | sed 's/[\\"]/\\&/g' | \
	    awk -F'\t' 'BEGIN { print "[" } \
	        { printf("%s{\"directory\": \"%s\", \"file\": \"%s\", \"command\": \"%s -c %s\"}", \
	                 (NR > 1 ? ",\n" : ""), $$1, $$2, $$3, $$2) } END { print "\n]" }' >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# An earlier version's plugins and toolkit are removed first: plugins would be opened, too.
install: all
	tools/shell_files $(B)/shell
	cd $(DESTDIR)$(PREFIX) 2>/dev/null && rm -rf lib/gauntlet/plugins \
	    lib/libgauntlet-nn.so lib/libgauntlet-nn.so.0 || true
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/gauntlet/plugins/defenses \
	    $(DESTDIR)$(PREFIX)/lib/gauntlet/plugins/attacks $(DESTDIR)$(PREFIX)/lib/pkgconfig \
	    $(DESTDIR)$(PREFIX)/include/gauntlet $(DESTDIR)$(PREFIX)/share/gauntlet \
	    $(DESTDIR)$(PREFIX)/share/doc/gauntlet $(SHELL_FOLDERS:%=$(DESTDIR)$(PREFIX)/share/%)
	install $(B)/gauntlet $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $(B)/libgauntlet-nn.so.0 $(DESTDIR)$(PREFIX)/lib/gauntlet/
	ln -sf libgauntlet-nn.so.0 $(DESTDIR)$(PREFIX)/lib/gauntlet/libgauntlet-nn.so
	$(if $(PYTHON_SO),install -m 644 $(PYTHON_SO) $(DESTDIR)$(PREFIX)/lib/gauntlet/)
	for p in $(PLUGINS:$(B)/plugins/%=%); do \
	    install -m 644 $(B)/plugins/$$p $(DESTDIR)$(PREFIX)/lib/gauntlet/plugins/$$p || exit 1; done
	install -m 644 harness/include/gauntlet/*.h $(DESTDIR)$(PREFIX)/include/gauntlet/
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: gauntlet' 'Description: plugins for gauntlet' \
	    "Version: $$(sed -n 's/^#define GNT_VERSION "\(.*\)"$$/\1/p' harness/run/version.h)" \
	    'plugins=$${prefix}/lib/gauntlet/plugins' 'Cflags: -I$${prefix}/include' \
	    'Libs: -L$${prefix}/lib/gauntlet -lgauntlet-nn -Wl,-rpath,$${prefix}/lib/gauntlet' \
	    >$(DESTDIR)$(PREFIX)/lib/pkgconfig/gauntlet.pc
	cp -R models suites templates $(DESTDIR)$(PREFIX)/share/gauntlet/
	install -d $(DESTDIR)$(PREFIX)/share/gauntlet/tools
	install -m 644 tools/*.py $(DESTDIR)$(PREFIX)/share/gauntlet/tools/
	cp -R README.md docs $(DESTDIR)$(PREFIX)/share/doc/gauntlet/
	install -m 644 $(B)/shell/man1/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 $(B)/shell/bash/gauntlet $(DESTDIR)$(PREFIX)/share/bash-completion/completions/
	install -m 644 $(B)/shell/zsh/_gauntlet $(DESTDIR)$(PREFIX)/share/zsh/site-functions/
	install -m 644 $(B)/shell/fish/gauntlet.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/

SHELL_FOLDERS = man/man1 bash-completion/completions zsh/site-functions fish/vendor_completions.d

uninstall:
	cd $(DESTDIR)$(PREFIX) && rm -rf bin/gauntlet lib/gauntlet \
	    lib/pkgconfig/gauntlet.pc include/gauntlet share/gauntlet share/doc/gauntlet \
	    share/man/man1/gauntlet.1 share/man/man1/gauntlet-*.1 share/bash-completion/completions/gauntlet \
	    share/zsh/site-functions/_gauntlet share/fish/vendor_completions.d/gauntlet.fish

deb:
	@tools/deb

clean:
	rm -rf $(B)

Q = $(if $(V),,@)
-include $(LIB_OBJ:.o=.d) $(B)/obj/harness/cli/main.d $(PLUGIN_OBJ:.o=.d) \
    $(UNIT_OBJ:.o=.d) $(HARNESSES:=.d) $(B)/obj/faulty.d $(BENCH_OBJ:.o=.d) $(DOCS_OBJ:.o=.d)
