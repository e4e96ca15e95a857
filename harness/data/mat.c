#include "data/mat.h"

#include <string.h>

#include "base/mem.h"
#include "base/library.h"

#ifdef GNT_MATIO

#include <matio.h>

/* The functions of libmatio that are called. */
typedef struct matio {
    __typeof__(&Mat_Open) open;
    __typeof__(&Mat_Close) close;
    __typeof__(&Mat_VarReadNextInfo) next;
    __typeof__(&Mat_VarReadDataAll) data;
    __typeof__(&Mat_VarFree) drop;
} matio;

static int matio_load(matio *m, gnt_err *err) {
    static const char *const files[] = {"libmatio.so.11", "libmatio.so.12", "libmatio.so.13", "libmatio.so",
                                        NULL};
    const gnt_symbol wanted[] = {{"Mat_Open", &m->open},
                                 {"Mat_Close", &m->close},
                                 {"Mat_VarReadNextInfo", &m->next},
                                 {"Mat_VarReadDataAll", &m->data},
                                 {"Mat_VarFree", &m->drop}};
    return gnt_library_open(files, wanted, sizeof wanted / sizeof *wanted,
                            "libmatio, which reads .mat files,", "libmatio-dev", err);
}

static int check_shape(const matvar_t *v, const char *path, const char *name, int rank, int64_t *dim,
                       int64_t most, gnt_err *err) {
    int fits = v->rank == rank && v->dims;
    for (int i = 0; i < rank && fits; i++)
        fits = dim[i] < 0 || v->dims[i] == (size_t)dim[i];
    if (!fits || v->isComplex || (v->class_type != MAT_C_UINT8 && v->class_type != MAT_C_DOUBLE))
        return gnt_fail(
            err, "%s: variable %s is not of the shape and kind expected: %d axes of real uint8 or double",
            path, name, rank);
    for (int i = 0; i < rank; i++) {
        if (dim[i] < 0 && (v->dims[i] < 1 || v->dims[i] > (size_t)most))
            return gnt_fail(err, "%s: variable %s has %zu entries along axis %d; expected 1 to %lld", path,
                            name, v->dims[i], i + 1, (long long)most);
        dim[i] = (int64_t)v->dims[i];
    }
    return 0;
}

static int copy_bytes(const matvar_t *v, const char *path, const char *name, size_t n, uint8_t *to,
                      gnt_err *err) {
    const size_t width = v->class_type == MAT_C_DOUBLE ? sizeof(double) : 1;
    if (!v->data || v->data_size != (int)width || v->nbytes != n * width)
        return gnt_fail(err, "%s: variable %s could not be read whole; fetch the file again", path, name);
    if (width == 1) {
        memcpy(to, v->data, n);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        double value = ((const double *)v->data)[i];
        if (!(value >= 0 && value <= 255) || value != (double)(uint8_t)value)
            return gnt_fail(err, "%s: variable %s, entry %zu is %g; expected a whole number from 0 to 255",
                            path, name, i + 1, value);
        to[i] = (uint8_t)value;
    }
    return 0;
}

int data_mat_read(const char *path, const char *name, int rank, int64_t *dim, int64_t most, uint8_t **out,
                  gnt_err *err) {
    matio m;
    *out = NULL;
    if (matio_load(&m, err))
        return gnt_fail_in(err, "%s", path);
    mat_t *file = m.open(path, MAT_ACC_RDONLY);
    if (!file)
        return gnt_fail(err, "%s: libmatio cannot open it", path);
    matvar_t *v;
    while ((v = m.next(file)) && (!v->name || strcmp(v->name, name) != 0))
        m.drop(v);
    int rc = v ? check_shape(v, path, name, rank, dim, most, err)
               : gnt_fail(err, "%s: there is no variable %s in it, or not where a variable should begin",
                          path, name);
    if (rc == 0) {
        size_t n = 1;
        for (int i = 0; i < rank; i++)
            n *= (size_t)dim[i];
        *out = gnt_array(n, 1);
        rc = !*out                  ? gnt_fail(err, "%s: out of memory for variable %s", path, name)
             : m.data(file, v) != 0 ? gnt_fail(err, "%s: libmatio cannot read variable %s", path, name)
                                    : copy_bytes(v, path, name, n, *out, err);
    }
    if (v)
        m.drop(v);
    m.close(file);
    if (rc != 0) {
        gnt_free(*out);
        *out = NULL;
    }
    return rc;
}

#else

int data_mat_read(const char *path, const char *name, int rank, int64_t *dim, int64_t most, uint8_t **out,
                  gnt_err *err) {
    (void)rank, (void)dim, (void)most;
    *out = NULL;
    return gnt_fail(
        err,
        "%s: variable %s cannot be read: this build has no libmatio; install libmatio-dev and build again",
        path, name);
}

#endif
