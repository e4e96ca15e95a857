/* Files of a data set in forms that are not read: other versions, archives that were not unpacked. Where no
 * file of the set is, the sentence names those that lie there. */
#include <string.h>

#include "base/mem.h"
#include "data/bytes.h"
#include "data/source.h"

typedef struct other_form {
    const char *set;
    /* Its name, under one of the set's folders or under `folder`. */
    const char *file, *folder;
    const char *is, *instead;
} other_form;

static const char cifar_pickle[] = "the Python version (pickle)",
                  unpacked[] = "an archive that was not unpacked", keras[] = "Keras' form (NumPy)",
                  table[] = "a table of pixels (CSV)", parquet[] = "a table of encoded images (Parquet)";
static const char cifar_10[] = "fetch the binary version, cifar-10-binary.tar.gz, and unpack it there",
                  cifar_100[] = "fetch the binary version, cifar-100-binary.tar.gz, and unpack it there",
                  idx[] = "fetch the IDX files, such as train-images-idx3-ubyte.gz",
                  unpack[] = "unpack it there, by tar -xzf", unzip[] = "unpack it there, by unzip",
                  columns[] = "fetch adult.data and adult.test, as published by UCI",
                  matlab[] = "fetch the cropped digits, train_32x32.mat and test_32x32.mat";

static const other_form forms[] = {
    {"cifar10", "data_batch_1", "cifar-10-batches-py", cifar_pickle, cifar_10},
    {"cifar10", "test_batch", "cifar-10-batches-py", cifar_pickle, cifar_10},
    {"cifar10", "batches.meta", "cifar-10-batches-py", cifar_pickle, cifar_10},
    {"cifar10", "cifar-10-binary.tar.gz", "", unpacked, unpack},
    {"cifar10", "cifar-10-python.tar.gz", "", "an archive of the Python version (pickle)", cifar_10},
    {"cifar10", "cifar-10-matlab.tar.gz", "", "an archive of the Matlab version", cifar_10},
    {"cifar10", "data_batch_1.mat", "cifar-10-batches-mat", "the Matlab version", cifar_10},
    {"cifar10", "trainLabels.csv", "", "Kaggle's form (images and a table)", cifar_10},
    {"cifar100", "train", "cifar-100-python", cifar_pickle, cifar_100},
    {"cifar100", "test", "cifar-100-python", cifar_pickle, cifar_100},
    {"cifar100", "meta", "cifar-100-python", cifar_pickle, cifar_100},
    {"cifar100", "cifar-100-binary.tar.gz", "", unpacked, unpack},
    {"cifar100", "cifar-100-python.tar.gz", "", "an archive of the Python version (pickle)", cifar_100},
    {"cifar100", "cifar-100-matlab.tar.gz", "", "an archive of the Matlab version", cifar_100},
    {"cifar100", "train.mat", "cifar-100-matlab", "the Matlab version", cifar_100},
    {"mnist", "mnist.npz", "", keras, idx},
    {"mnist", "mnist.pkl.gz", "", "a pickle of Python's", idx},
    {"mnist", "mnist_train.csv", "", table, idx},
    {"mnist", "train.csv", "", table, idx},
    {"mnist", "training.pt", "MNIST/processed", "PyTorch's form", idx},
    {"mnist", "train-00000-of-00001.parquet", "", parquet, idx},
    {"cifar10", "train-00000-of-00001.parquet", "", parquet, cifar_10},
    {"cifar100", "train-00000-of-00001.parquet", "", parquet, cifar_100},
    {"mnist", "archive.zip", "", unpacked, unzip},
    {"svhn", "train.tar.gz", "", "an archive of whole street pictures", matlab},
    {"svhn", "digitStruct.mat", "train", "the list of whole street pictures", matlab},
    {"svhn", "train-00000-of-00001.parquet", "", parquet, matlab},
    {"adult", "adult.csv", "", "Kaggle's table, with a header line and both parts in one", columns},
    {"adult", "adult.zip", "", unpacked, unzip},
    {"adult", "adult.tar.gz", "", unpacked, unpack},
};

/* Returns the path of the file where it lies; NULL: nowhere. */
static char *place_of(const data_source *source, const char *folder, const other_form *f) {
    for (const char *const *under = source->folders; *under; under++)
        if (data_has("%s/%s/%s", folder, *under, f->file))
            return strcmp(*under, ".") == 0 ? gnt_format("%s/%s", folder, f->file)
                                            : gnt_format("%s/%s/%s", folder, *under, f->file);
    for (const char *const *under = source->folders; *f->folder && *under; under++)
        if (data_has("%s/%s/%s/%s", folder, *under, f->folder, f->file))
            return gnt_format("%s/%s/%s/%s", folder, *under, f->folder, f->file);
    return NULL;
}

char *data_other_form(const data_source *source, const char *folder) {
    char *place = NULL, *says = NULL;
    for (size_t i = 0; !place && i < sizeof forms / sizeof *forms; i++) {
        const other_form *f = &forms[i];
        place = strcmp(f->set, source->name) == 0 ? place_of(source, folder, f) : NULL;
        if (place)
            says = gnt_format("%s is %s, which is not read; %s", place, f->is, f->instead);
    }
    gnt_free(place);
    return says;
}
