#include "request/side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gnt_request_sides gnt_request_sides_of(const gnt_request *job) {
    const gnt_request_train *t = &job->train;
    const gnt_request_replay *p = &job->replay;
    if (job->kind == GNT_JOB_TRAIN)
        return (gnt_request_sides){.model = &t->model,
                                   .samples = &t->samples,
                                   .defense = &t->defense,
                                   .key = &t->defense_key,
                                   .training_stats = t->federated.training_stats,
                                   .wanted = t->sides,
                                   .copies = t->copies,
                                   .server_copies = gnt_server_copies(t->record)};
    if (job->kind == GNT_JOB_REPLAY)
        return (gnt_request_sides){.model = &p->model,
                                   .samples = &p->samples,
                                   .defense = &p->defense,
                                   .key = &p->defense_key,
                                   .training_stats = p->federated.training_stats,
                                   .wanted = p->sides,
                                   .copies = p->copies};
    return (gnt_request_sides){0};
}

size_t gnt_server_copies(const gnt_request_record *record) {
    const size_t each = record && record->shadow ? 2 : 1;
    return record && record->influence ? record->stages.n * (size_t)record->influence * each + 2 : 0;
}

void gnt_server_copy_name(size_t i, char name[GNT_SIDE_NAME_SIZE]) {
    snprintf(name, GNT_SIDE_NAME_SIZE, "server.%zu", i + 1);
}

gnt_request gnt_request_of_side(const gnt_request_sides *sides, uint32_t side) {
    const char *name = gnt_word_name(&gnt_side_words, side);
    gnt_request_samples samples = *sides->samples;
    samples.hiders = NULL; /* a client's hooks get only what that client hides */
    return (gnt_request){.kind = GNT_JOB_SIDE,
                         .side = {.side = side,
                                  .model = *sides->model,
                                  .samples = samples,
                                  .defense = *sides->defense,
                                  .key = gnt_key_derive(sides->key, name),
                                  .training_stats = sides->training_stats}};
}

int gnt_side_copies(const gnt_request_sides *sides, uint32_t side) {
    return sides->copies && side == GNT_SIDE_CLIENT;
}

int gnt_side_reads(const gnt_request_sides *sides, uint32_t side, const char *input) {
    static const char artefacts[] = "artefacts.";
    if (strncmp(input, artefacts, sizeof artefacts - 1) != 0)
        return strcmp(input, "public") == 0 || strncmp(input, "model.", 6) == 0;
    const size_t member = (size_t)strtoul(input + sizeof artefacts - 1, NULL, 10);
    return side != GNT_SIDE_SERVER ||
           (member < sides->defense->n && !sides->defense->at[member].private_artefacts);
}
