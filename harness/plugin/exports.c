#include "plugin/exports.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

typedef struct object {
    const uint8_t *bytes;
    size_t size;
    const char *where;
} object;

/* Copies n bytes at `offset`, which may be out of range or unaligned. */
static int get(const object *o, uint64_t offset, void *out, size_t n) {
    if (offset > o->size || n > o->size - offset)
        return -1;
    memcpy(out, o->bytes + offset, n);
    return 0;
}

static int broken(const object *o, const char *what, gnt_err *err) {
    return gnt_fail(err, "%s: %s", o->where, what);
}

static int read_header(const object *o, Elf64_Ehdr *h, gnt_err *err) {
    if (get(o, 0, h, sizeof *h) != 0 || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        return broken(o, "is no ELF file; expected a shared object", err);
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_type != ET_DYN)
        return broken(o, "is no 64-bit shared object", err);
    if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum == 0)
        return broken(o, "has no table of sections, so its symbols cannot be listed", err);
    return 0;
}

static int section(const object *o, const Elf64_Ehdr *h, uint64_t index, Elf64_Shdr *out) {
    if (index >= h->e_shnum || h->e_shoff > o->size)
        return -1;
    return get(o, h->e_shoff + index * sizeof *out, out, sizeof *out);
}

/* Finds the section of that type, whose entries have `entry` bytes, and the strings that it refers to. */
static int find_table(const object *o, uint32_t type, size_t entry, Elf64_Shdr *table, Elf64_Shdr *strings,
                      gnt_err *err) {
    Elf64_Ehdr h;
    if (read_header(o, &h, err) != 0)
        return -1;
    for (uint64_t i = 0; i < h.e_shnum; i++) {
        if (section(o, &h, i, table) != 0)
            return broken(o, "its table of sections lies outside the file", err);
        if (table->sh_type != type)
            continue;
        if (table->sh_entsize != entry || section(o, &h, table->sh_link, strings) != 0 ||
            strings->sh_offset > o->size || strings->sh_size > o->size - strings->sh_offset)
            return broken(o, "its table of symbols is broken", err);
        return 0;
    }
    return broken(o, "has no dynamic symbols", err);
}

/* Adds the string at `offset` as a line. */
static int add_name(gnt_text *names, const object *o, const Elf64_Shdr *strings, uint64_t offset,
                    gnt_err *err) {
    const size_t room = offset < strings->sh_size ? strings->sh_size - offset : 0;
    const char *name = (const char *)o->bytes + strings->sh_offset + offset;
    const size_t n = room ? strnlen(name, room) : 0;
    if (n == 0 || n == room)
        return broken(o, "a symbol's name lies outside its strings", err);
    gnt_text_bytes(names, name, n);
    gnt_text_add(names, "\n");
    return 0;
}

static int is_exported(const Elf64_Sym *s) {
    const unsigned bind = ELF64_ST_BIND(s->st_info), seen = ELF64_ST_VISIBILITY(s->st_other);
    return s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS &&
           (bind == STB_GLOBAL || bind == STB_WEAK || bind == STB_GNU_UNIQUE) &&
           (seen == STV_DEFAULT || seen == STV_PROTECTED);
}

int gnt_exports(gnt_text *names, const void *bytes, size_t size, const char *where, gnt_err *err) {
    const object o = {bytes, size, where};
    Elf64_Shdr symbols, strings;
    if (find_table(&o, SHT_DYNSYM, sizeof(Elf64_Sym), &symbols, &strings, err) != 0)
        return -1;
    for (uint64_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym s;
        if (symbols.sh_offset > size || get(&o, symbols.sh_offset + i * sizeof s, &s, sizeof s) != 0)
            return broken(&o, "its table of symbols ends outside the file", err);
        if (!is_exported(&s))
            continue;
        if (add_name(names, &o, &strings, s.st_name, err) != 0)
            return -1;
    }
    return names->failed ? gnt_fail(err, "%s: exports more symbols than can be listed", where) : 0;
}

int gnt_libraries(gnt_text *names, const void *bytes, size_t size, const char *where, gnt_err *err) {
    const object o = {bytes, size, where};
    Elf64_Shdr table, strings;
    if (find_table(&o, SHT_DYNAMIC, sizeof(Elf64_Dyn), &table, &strings, err) != 0)
        return -1;
    for (uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Dyn); i++) {
        Elf64_Dyn d;
        if (table.sh_offset > size || get(&o, table.sh_offset + i * sizeof d, &d, sizeof d) != 0)
            return broken(&o, "its dynamic section ends outside the file", err);
        if (d.d_tag == DT_NEEDED && add_name(names, &o, &strings, d.d_un.d_val, err) != 0)
            return -1;
    }
    return names->failed ? gnt_fail(err, "%s: needs more libraries than can be listed", where) : 0;
}

/* Returns the end of what the segments load, 0 if they cannot be read. */
static size_t loaded_end(const object *o, const Elf64_Ehdr *h, size_t size) {
    Elf64_Phdr segment;
    size_t end = 0;
    if (h->e_phentsize != sizeof segment)
        return 0;
    for (uint64_t i = 0; i < h->e_phnum; i++) {
        if (h->e_phoff > o->size || get(o, h->e_phoff + i * sizeof segment, &segment, sizeof segment) != 0 ||
            segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
            return 0;
        if (segment.p_offset + segment.p_filesz > end)
            end = segment.p_offset + segment.p_filesz;
    }
    return end;
}

void gnt_object_parts(gnt_object_part part[2], const void *head, size_t n_head, size_t size) {
    const object o = {head, n_head, ""};
    Elf64_Ehdr h;
    part[0] = (gnt_object_part){0, size};
    part[1] = (gnt_object_part){size, size};
    if (read_header(&o, &h, NULL) != 0)
        return;
    const size_t end = loaded_end(&o, &h, size), sections = (size_t)h.e_shnum * sizeof(Elf64_Shdr);
    if (end == 0 || h.e_shoff < end || h.e_shoff > size || sections > size - h.e_shoff)
        return;
    part[0].end = end;
    part[1] = (gnt_object_part){h.e_shoff, h.e_shoff + sections};
}
