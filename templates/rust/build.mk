# Two calls of rustc, without cargo and without a network. panic=abort: a panic crashes one cell, never a run.
packages = rustc gcc libc6-dev
RUSTC ?= rustc
RUSTFLAGS ?= -O
flags = --edition 2021 -C panic=abort $(RUSTFLAGS)
crate = build/libgauntlet_plugin.rlib

$(crate): $(wildcard gauntlet-plugin/src/*.rs)
	mkdir -p build
	$(RUSTC) $(flags) --crate-type rlib --crate-name gauntlet_plugin -o $@ gauntlet-plugin/src/lib.rs

$(plugin): plugin-name.rs $(crate)
	$(RUSTC) $(flags) --crate-type cdylib --crate-name plugin --extern gauntlet_plugin=$(crate) -o $@ $<
