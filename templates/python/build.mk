# gauntlet runs the script as it is.
packages = python3-dev python3-numpy

$(plugin): plugin-name.py
	mkdir -p build
	cp $< $@
