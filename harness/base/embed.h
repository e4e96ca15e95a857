/* embed: puts a file into the program as it is, so that it travels with it wherever it is installed. */
#ifndef GNT_BASE_EMBED_H
#define GNT_BASE_EMBED_H

/* Defines the bytes of a file as `name`, with a 0 after them; the path is relative to the root of the
 * repository, where everything is compiled. Declare it elsewhere as `extern const char name[]`; the Makefile
 * names the file as a dependency of the object. */
#define GNT_EMBED(name, path)                                                                                \
    __asm__(".pushsection .rodata\n"                                                                         \
            ".global " #name "\n"                                                                            \
            ".hidden " #name "\n" #name ":\n"                                                                \
            ".incbin \"" path "\"\n"                                                                         \
            ".byte 0\n"                                                                                      \
            ".popsection\n")

#endif
