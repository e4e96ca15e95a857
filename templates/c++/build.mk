# plugin.map hides all symbols but the entry. -fvisibility=hidden would leave templates of libstdc++ visible.
packages = g++ pkg-config
CXXFLAGS ?= -O2 -g
flags = -std=c++17 -Wall -Wextra -Wno-missing-field-initializers -fPIC $(shell $(PKG_CONFIG) --cflags gauntlet) $(CXXFLAGS)

$(plugin): plugin-name.cpp plugin.map
	mkdir -p build
	$(CXX) $(flags) -shared -o $@ $< -Wl,--version-script=plugin.map $(LDFLAGS)
