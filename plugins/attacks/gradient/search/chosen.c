#include "search/chosen.h"

#include "hook.h"

static void report_choice(const search *s, const prior_setting *setting, const noise_law *law) {
    const gnt_host *host = s->self->host;
    if (s->term[0].cost != DATA_LIKELIHOOD)
        return;
    gnt_host_fact(host, "likelihood", 1);
    gnt_host_fact(host, "noise", noise_deviation(law));
    gnt_host_fact(host, "prior_kind", setting->kind);
    gnt_host_fact(host, "prior_weight", setting->weight);
    gnt_host_fact(host, "tv", s->tv);
}

gnt_status chosen_search(search *s, const char *id, invert *self, const gnt_observation *seen,
                         const gnt_artefacts *own, public_images *images) {
    const gnt_host *host = self->host;
    const chosen_recipe *r = chosen_recipe_of(id);
    gnt_observation used = *seen;
    int cost;
    TRY(hook_needs_batch(host, seen));
    float *y = gnt_host_scratch(host, seen->n * host->model->info->classes, sizeof *y);
    TRY(hook_memory(host, y != NULL));
    /* in any chain: a clip of what another member left is nearer than none */
    granted_defense granted = granted_defense_of(seen);
    if (r->reads)
        r->reads(&granted, seen);
    TRY(r->cost(self, &used, &granted, &cost));
    const prior_setting setting = r->prior(self, cost, own);
    TRY(search_open(s, self, &used, y, cost, &granted));
    TRY(r->label(s, &used, y));
    if (!s->begin && GNT_HAS(gnt_observation, seen, start_x) && seen->start_x) {
        s->begin = seen->start_x;
        s->is_near = 1;
    }
    TRY(r->bind(s, &used, &granted));
    TRY(public_images_open(images, host, used.public_data, r->trials * seen->n));
    TRY(search_use(s, &setting, images));
    report_choice(s, &setting, &granted.noise);
    return r->run(s, &used);
}

gnt_status chosen_run(const char *id, void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    search s = {.answer = answer};
    public_images images;
    TRY(chosen_search(&s, id, self, seen, own, &images));
    answer->chosen(answer->context, s.chosen, s.least);
    search_report_end(&s, seen);
    return answer->reconstruction(answer->context, s.n, s.winner);
}
