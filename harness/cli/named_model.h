/* named_model: a model that a word of the command line names, for a shape of samples. */
#ifndef GNT_CLI_NAMED_MODEL_H
#define GNT_CLI_NAMED_MODEL_H

#include "cli/args.h"
#include "nn/model/model.h"

/* Options --sample and --classes, for a table of options, with a gnt_nn_shape and a uint64_t to set. */
#define CLI_SAMPLE(shape)                                                                                    \
    { .name = "sample", .kind = CLI_READ, .to = (shape), .read = cli_read_sample }
#define CLI_CLASSES(number)                                                                                  \
    { .name = "classes", .kind = CLI_WHOLE, .to = (number), .least = 2, .most = 100000 }

/* Reads 3x32x32 or 103 into a gnt_nn_shape; prints an error otherwise. */
int cli_read_sample(void *to, char *text);
/* Loads a model from a path, or by name from models/ and the model folders next to this program, as `run`
 * does. */
int cli_load_model(gnt_model **out, const char *name, const gnt_nn_shape *sample, int32_t classes,
                   gnt_err *err);

#endif
