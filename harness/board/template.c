#include "base/embed.h"
#include "board/board_impl.h"

GNT_EMBED(board_template, "harness/board/page.html");
