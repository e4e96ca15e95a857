/* The cost of a job: measured on its processes, kept next to its entry in the store, read back from there. */
#include <math.h>

#include "plugin/hook_times.h"
#include "run/lease/order.h"
#include "run/run_impl.h"
#include "run/side_processes.h"

void run_cost_measure(run_job *j) {
    run_cost *c = &j->cost;
    json_decref(c->hooks); /* a job that is computed again has a cost already */
    *c = (run_cost){.wall_seconds = gnt_child_result_of(j->processes.child)->wall_seconds,
                    .hooks = run_sides_hooks(j)};
    for (size_t i = 0; i <= j->processes.n_sides; i++) {
        const gnt_child_result *one = run_process_result(j, i);
        c->cpu_seconds += one->cpu_seconds;
        c->peak += one->peak;
    }
}

int run_cost_put(run *r, const run_job *j, gnt_err *err) {
    json_t *times =
        json_pack("{s:f, s:f, s:I, s:O}", "seconds", j->cost.wall_seconds, "cpu_seconds", j->cost.cpu_seconds,
                  "peak_bytes", (json_int_t)j->cost.peak, "hooks", j->cost.hooks);
    const int rc = times ? gnt_store_put_times(r->store, &j->stored.key, times, err)
                         : gnt_fail(err, "out of memory for the job %s", j->name);
    json_decref(times);
    return rc;
}

static double no_less_than_0(const json_t *times, const char *name) {
    const double x = json_number_value(json_object_get(times, name));
    return isfinite(x) && x > 0 ? x : 0;
}

void run_cost_read(run *r, run_job *j) {
    struct run_order *order = r->sharing.order;
    if (r->options->share == GNT_SHARE_WORK && !run_order_wants(order, j->name, j->attack))
        return;
    json_t *times = gnt_store_times(r->store, &j->stored.key);
    const json_int_t peak = json_integer_value(json_object_get(times, "peak_bytes"));
    json_decref(j->cost.hooks);
    j->cost = (run_cost){.wall_seconds = no_less_than_0(times, "seconds"),
                         .cpu_seconds = no_less_than_0(times, "cpu_seconds"),
                         .peak = peak > 0 ? (uint64_t)peak : 0,
                         .hooks = json_array()};
    gnt_hook_times_join(j->cost.hooks, json_object_get(times, "hooks"));
    if (order && times)
        run_order_learn(order, j->name, j->attack, j->cost.wall_seconds);
    json_decref(times);
}
