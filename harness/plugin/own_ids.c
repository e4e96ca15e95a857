#include "plugin/own_ids.h"

#include <stddef.h>
#include <string.h>

static const char *const ids[] = {
    "ada-lrp",
    "adversarial",
    "attr-forest",
    "attr-nn",
    "attr-nn-adaptive",
    "attr-svm",
    "auto",
    "blur-lus",
    "clip",
    "decensor",
    "decoder",
    "decompose",
    "dlg",
    "dlg-whitened",
    "dp-fedavg",
    "dp-gaussian",
    "dp-laplace",
    "dp-sgd",
    "dpfe",
    "fedre",
    "fedre-sample",
    "fgsm-avg",
    "fgsm-iter",
    "fgsm-momentum",
    "fgsm-one",
    "fresh",
    "ggl",
    "idlg",
    "instahide",
    "invert",
    "invert-gradients",
    "layout",
    "linear-layer",
    "loda",
    "loda-inverse",
    "loda-kkt",
    "lrp",
    "lrp-search",
    "masked-words",
    "mixup",
    "none",
    "pda-pam",
    "pixel-noise",
    "prune",
    "rank1",
    "recup",
    "recup-random-target",
    "recup-residue",
    "region-known",
    "region-read",
    "ridge",
    "scheme-one",
    "sign-noise",
    "soteria",
    "string-hypothesis",
    "tappfl",
    "uniform",
    "update-decoder",
    "update-norm",
    "via-task",
};

int gnt_is_own_id(const char *id) {
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(ids[i], id) == 0)
            return 1;
    return 0;
}
