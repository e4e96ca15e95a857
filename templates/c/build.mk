packages = gcc libc6-dev pkg-config
CFLAGS ?= -O2 -g
flags = -std=c11 -Wall -Wextra -fPIC -fvisibility=hidden $(shell $(PKG_CONFIG) --cflags gauntlet) $(CFLAGS)

$(plugin): plugin-name.c
	mkdir -p build
	$(CC) $(flags) -shared -o $@ $< $(LDFLAGS) -lm
