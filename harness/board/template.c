/* page.html as it lies beside this file, terminated: the program carries its template with it wherever it is
 * installed. Compiled from the root of the repository. */
#include "board/board_impl.h"

__asm__(".pushsection .rodata\n"
        ".global board_template\n"
        ".hidden board_template\n"
        "board_template:\n"
        ".incbin \"harness/board/page.html\"\n"
        ".byte 0\n"
        ".popsection\n");
