/* onnx_bytes: ONNX files from a text, a line for each part:
 *
 *   opset 13                            the operator set (17 without it)
 *   in x N,3,8,8 [TYPE]                 the input; a letter is a dimension without size
 *   out y                               the output
 *   t w 6,3,5,5 [TYPE [COUNT]]          a tensor of COUNT entries of 0.5; TYPE: ONNX's number (1, float)
 *   i shape 1,-1                        a tensor of these integers
 *   n Conv x,w,- y pads=1,1,1,1 …       a node; "-" is an absent input. Attributes: 1 is an integer, 1,1
 *                                       and 1, integers, 1.0 a float, a word a text
 *
 * Entries of tensors whose names contain "one" are 1, and "zero" 0. */
#ifndef GNT_TESTS_ONNX_BYTES_H
#define GNT_TESTS_ONNX_BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct onnx_bytes {
    uint8_t at[1 << 16];
    size_t n;
} onnx_bytes;

static inline void onnx_varint(onnx_bytes *b, uint64_t v) {
    for (; v > 127; v >>= 7)
        b->at[b->n++] = (uint8_t)(v | 128);
    b->at[b->n++] = (uint8_t)v;
}

static inline void onnx_number(onnx_bytes *b, int field, uint64_t v) {
    onnx_varint(b, (uint64_t)field << 3);
    onnx_varint(b, v);
}

static inline void onnx_block(onnx_bytes *b, int field, const void *data, size_t n) {
    onnx_varint(b, (uint64_t)field << 3 | 2);
    onnx_varint(b, n);
    memcpy(b->at + b->n, data, n);
    b->n += n;
}

static inline void onnx_word(onnx_bytes *b, int field, const char *text) {
    onnx_block(b, field, text, strlen(text));
}

/* Cuts the next part off a text, up to `end`; NULL after the last. */
static inline char *onnx_part(char **rest, char end) {
    char *part = *rest;
    if (!part || !*part)
        return NULL;
    char *stop = strchr(part, end);
    *rest = stop ? stop + 1 : NULL;
    if (stop)
        *stop = 0;
    return part;
}

static inline void onnx_attribute_bytes(onnx_bytes *node, char *text) {
    onnx_bytes a = {.n = 0};
    char *value = strchr(text, '=') + 1, *part;
    value[-1] = 0;
    onnx_word(&a, 1, text);
    const int is_number = strchr("-0123456789", *value) != NULL;
    const int type = !is_number ? 3 : strchr(value, ',') ? 7 : strpbrk(value, ".n") ? 1 : 2;
    const float real = strtof(value, NULL);
    if (type == 3)
        onnx_word(&a, 4, value);
    if (type == 2)
        onnx_number(&a, 3, (uint64_t)strtoll(value, NULL, 10));
    if (type == 1) {
        onnx_varint(&a, 2 << 3 | 5);
        memcpy(a.at + a.n, &real, sizeof real);
        a.n += sizeof real;
    }
    while (type == 7 && (part = onnx_part(&value, ',')))
        onnx_number(&a, 8, (uint64_t)strtoll(part, NULL, 10));
    onnx_number(&a, 20, (uint64_t)type);
    onnx_block(node, 5, a.at, a.n);
}

static inline void onnx_node_bytes(onnx_bytes *graph, char *rest) {
    onnx_bytes node = {.n = 0};
    char *op = onnx_part(&rest, ' '), *in = onnx_part(&rest, ' '), *out = onnx_part(&rest, ' '), *part;
    char name[80];
    snprintf(name, sizeof name, "/%.60s", out ? out : "");
    while ((part = onnx_part(&in, ',')))
        onnx_word(&node, 1, strcmp(part, "-") == 0 ? "" : part);
    while ((part = onnx_part(&out, ',')))
        onnx_word(&node, 2, part);
    onnx_word(&node, 3, name);
    onnx_word(&node, 4, op);
    while ((part = onnx_part(&rest, ' ')))
        onnx_attribute_bytes(&node, part);
    onnx_block(graph, 1, node.at, node.n);
}

static inline void onnx_tensor_bytes(onnx_bytes *graph, char *rest) {
    onnx_bytes t = {.n = 0};
    char *name = onnx_part(&rest, ' '), *dims = onnx_part(&rest, ' '), *type = onnx_part(&rest, ' '),
         *count = onnx_part(&rest, ' '), *part;
    long n = 1;
    static float values[1 << 13];
    while ((part = onnx_part(&dims, ','))) {
        n *= strtol(part, NULL, 10);
        onnx_number(&t, 1, (uint64_t)strtoll(part, NULL, 10));
    }
    n = count ? strtol(count, NULL, 10) : n;
    for (long i = 0; i < n && i < 1 << 13; i++)
        values[i] = strstr(name, "one") ? 1 : strstr(name, "zero") ? 0 : 0.5F;
    onnx_number(&t, 2, type ? strtoull(type, NULL, 10) : 1);
    onnx_word(&t, 8, name);
    onnx_block(&t, 9, values, (size_t)(n < 1 << 13 ? n : 0) * 4);
    onnx_block(graph, 5, t.at, t.n);
}

static inline void onnx_integers_bytes(onnx_bytes *graph, char *rest) {
    onnx_bytes t = {.n = 0};
    char *name = onnx_part(&rest, ' '), *list = onnx_part(&rest, ' '), *part;
    int n = 0;
    for (; (part = onnx_part(&list, ',')); n++)
        onnx_number(&t, 7, (uint64_t)strtoll(part, NULL, 10));
    onnx_number(&t, 1, (uint64_t)n);
    onnx_number(&t, 2, 7);
    onnx_word(&t, 8, name);
    onnx_block(graph, 5, t.at, t.n);
}

static inline void onnx_info_bytes(onnx_bytes *graph, int field, char *rest) {
    onnx_bytes info = {.n = 0}, type = {.n = 0}, tensor = {.n = 0}, shape = {.n = 0};
    char *name = onnx_part(&rest, ' '), *dims = onnx_part(&rest, ' '), *element = onnx_part(&rest, ' '),
         *part;
    while ((part = onnx_part(&dims, ','))) {
        onnx_bytes dim = {.n = 0};
        if (strchr("-0123456789", *part))
            onnx_number(&dim, 1, (uint64_t)strtoll(part, NULL, 10));
        else
            onnx_word(&dim, 2, part);
        onnx_block(&shape, 1, dim.at, dim.n);
    }
    onnx_number(&tensor, 1, element ? strtoull(element, NULL, 10) : 1);
    onnx_block(&tensor, 2, shape.at, shape.n);
    onnx_block(&type, 1, tensor.at, tensor.n);
    onnx_word(&info, 1, name);
    onnx_block(&info, 2, type.at, type.n);
    onnx_block(graph, field, info.at, info.n);
}

static inline void onnx_write(onnx_bytes *file, const char *text) {
    static onnx_bytes graph;
    static char copy[1 << 14];
    onnx_bytes opset = {.n = 0};
    uint64_t version = 17;
    char *rest = copy, *line;
    graph.n = file->n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    while ((line = onnx_part(&rest, '\n'))) {
        char *kind = onnx_part(&line, ' ');
        if (strcmp(kind, "opset") == 0)
            version = strtoull(line, NULL, 10);
        else if (strcmp(kind, "in") == 0)
            onnx_info_bytes(&graph, 11, line);
        else if (strcmp(kind, "out") == 0)
            onnx_info_bytes(&graph, 12, line);
        else if (strcmp(kind, "t") == 0)
            onnx_tensor_bytes(&graph, line);
        else if (strcmp(kind, "i") == 0)
            onnx_integers_bytes(&graph, line);
        else
            onnx_node_bytes(&graph, line);
    }
    onnx_number(file, 1, 8);
    onnx_block(file, 7, graph.at, graph.n);
    onnx_number(&opset, 2, version);
    onnx_block(file, 8, opset.at, opset.n);
}

#endif
