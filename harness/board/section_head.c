/* Says at the head of a section how it was made: why it is apart, what the attacks saw, by which rounds
 * a defense counts, under what seed it ran, what public data alone give. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "board/board_impl.h"

static const gnt_task_facts *facts_of(const board *b, size_t run, const board_contest *c) {
    return gnt_facts_of(&b->run[run].results, c->task);
}

void board_say_alone(const board *b, const board_contest *c, gnt_text *out) {
    const board_contest *like = &b->contest[c->like];
    if (like == c)
        return;
    const board_run *other = &b->run[like->run[0]];
    gnt_text_add(out, "Not compared with the section of the same %s from suite %s of %s: ",
                 c->stage == like->stage ? "name" : "task", other->results.suite, other->contributor);
    if (c->in_round != like->in_round)
        gnt_text_add(out, "%s",
                     c->in_round ? "there the updates were probed, here they took part in training."
                                 : "there the updates took part in training, here they were probed.");
    else if (c->stage != like->stage)
        gnt_text_add(out, "%s",
                     c->stage == GNT_EVERY_STAGE
                         ? "there the suite fixed the observed rounds, here they were drawn."
                         : "there the observed rounds were drawn, here the suite fixed them.");
    else
        gnt_text_add(out, "the request differs there (data, model, training, seeds or target utility).");
}

static void say_public_seed(const board *b, const board_contest *c, gnt_text *out) {
    size_t n = 0;
    for (size_t k = 0; k < c->n_run; k++) {
        if (!facts_of(b, c->run[k], c)->seed_public)
            continue;
        gnt_text_add(out, "%s%zu", n++ ? ", " : "Run under a public seed (run ", c->run[k] + 1);
    }
    if (n)
        gnt_text_add(out, "): a plugin could compute which rounds and clients are observed. ");
}

int board_is_doubtful(const board *b, const board_contest *c) {
    int public = 0;
    for (size_t k = 0; k < c->n_run; k++)
    public |= facts_of(b, c->run[k], c)->seed_public;
    return public || !c->in_round;
}

void board_say_head(const board *b, const board_contest *c, gnt_text *out) {
    const double alone = gnt_public_only_mean(c->facts);
    const int of_representations = facts_of(b, c->run[0], c)->of_representations;
    if (!c->in_round && of_representations)
        gnt_text_add(
            out, "The representations are of samples that no client trained on, and no hook of the defense "
                 "got them. ");
    else if (!c->in_round)
        gnt_text_add(out, "Probe: the defense was run a second time for observation, outside training, and "
                          "could have detected it; ranks compare such rows alone. ");
    if (c->stage == GNT_EVERY_STAGE)
        gnt_text_add(out, "Observed rounds are drawn at random; the worst one counts. ");
    say_public_seed(b, c, out);
    if (isfinite(alone)) {
        const char *name = board_utility(b, c);
        gnt_text_add(out, "The public data alone give %s ", name);
        gnt_utility_write(name, alone, out);
        gnt_text_add(out, ": a defense must beat that for a rank. ");
    }
}
