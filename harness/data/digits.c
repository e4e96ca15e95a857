/* Names that several sets have in common. */
#include "data/source.h"

const char *const data_part_names[3] = {"train", "test", "public"};
const char *const data_digit_names[10] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
const char *const data_even_names[2] = {"odd", "even"};
