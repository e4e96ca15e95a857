# gauntlet: `make demo` builds, runs the quick suite and leaves a report; `make test` runs the tests. README.md tells more.

B ?= build
CC ?= gcc
PREFIX ?= /usr/local
CSTD = -std=c11 -D_GNU_SOURCE
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Werror
OPT ?= -O2 -g
# no errno and no traps in numeric loops, so that the compiler may vectorise them; nothing here reorders sums
FLOAT = -fno-math-errno -fno-trapping-math
CFLAGS_ALL = $(CSTD) $(WARN) $(OPT) $(FLOAT) -fPIC -fvisibility=hidden -MMD -MP $(SAN) $(CFLAGS)
LIBS = -ljansson -lopenblas -lsodium -lseccomp -lpng -lz -lm -ldl -lpthread

ROOMS = base data nn metric fl match suite plugin job run report cli
ROOM_SRC = $(foreach r,$(ROOMS),$(wildcard harness/$(r)/*.c))
# files named real_*.c are compiled twice, for float and for double
REAL_SRC = $(filter harness/nn/real_%.c,$(ROOM_SRC))
PLAIN_SRC = $(filter-out $(REAL_SRC) harness/cli/main.c,$(ROOM_SRC))
LIB_OBJ = $(PLAIN_SRC:%.c=$(B)/obj/%.o) $(REAL_SRC:%.c=$(B)/obj/%.f32.o) $(REAL_SRC:%.c=$(B)/obj/%.f64.o)
NN_OBJ = $(filter $(B)/obj/harness/base/% $(B)/obj/harness/nn/%,$(LIB_OBJ))

PLUGIN_ONE = $(wildcard plugins/defenses/*.c plugins/attacks/*.c)
PLUGIN_DIR = $(patsubst %/,%,$(sort $(dir $(wildcard plugins/defenses/*/*.c plugins/attacks/*/*.c))))
PLUGINS = $(PLUGIN_ONE:%.c=$(B)/%.so) $(PLUGIN_DIR:%=$(B)/%.so)
PLUGIN_CFLAGS = $(CSTD) $(WARN) $(OPT) $(FLOAT) -fPIC -fvisibility=hidden -Iharness/include -MMD -MP $(SAN) $(CFLAGS)
PLUGIN_LDFLAGS = -shared -Wl,--as-needed -Wl,--version-script=plugins/plugin.map -Wl,-z,defs $(SAN)

UNIT = $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))

.PHONY: all demo test asan bench format clean units plugins
.SECONDARY:
all: $(B)/gauntlet plugins

plugins: $(PLUGINS)

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -Iharness -Iharness/include -c $< -o $@
$(B)/obj/%.f32.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -Iharness -Iharness/include -c $< -o $@
$(B)/obj/%.f64.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -DGNT_REAL_F64 -Iharness -Iharness/include -c $< -o $@

$(B)/libgauntlet.a: $(LIB_OBJ)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/gauntlet: $(B)/obj/harness/cli/main.o $(B)/libgauntlet.a
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/libgauntlet-nn.so.0: $(NN_OBJ) harness/nn/nn.map
	$(Q)$(CC) -shared $(SAN) $(LDFLAGS) -Wl,-soname,libgauntlet-nn.so.0 -Wl,--version-script=harness/nn/nn.map \
	    -o $@ $(NN_OBJ) $(LIBS)

define plugin_link
	@mkdir -p $(@D)
	$(Q)$(CC) $(PLUGIN_CFLAGS) -MF $@.d $(1) -o $@ $(PLUGIN_LDFLAGS) $(B)/libgauntlet-nn.so.0 -lm \
	    -Wl,-rpath,'$$ORIGIN/../..'
endef
$(PLUGIN_ONE:%.c=$(B)/%.so): $(B)/%.so: %.c $(B)/libgauntlet-nn.so.0 plugins/plugin.map
	$(call plugin_link,$<)
.SECONDEXPANSION:
$(PLUGIN_DIR:%=$(B)/%.so): $(B)/%.so: $$(wildcard %/*.c) $(B)/libgauntlet-nn.so.0 plugins/plugin.map
	$(call plugin_link,$(filter %.c,$^))

$(B)/tests/%: tests/unit/%.c $(B)/libgauntlet.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -Iharness -Iharness/include -Itests $< -o $@ $(B)/libgauntlet.a -lcmocka $(LIBS)
units: $(UNIT)

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf $(B)

Q = $(if $(V),,@)
-include $(LIB_OBJ:.o=.d) $(PLUGINS:=.d) $(UNIT:=.d)
