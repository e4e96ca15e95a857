/* The report as a whole, on a made-up run folder: the same bytes twice; hostile text in every field reaches
 * no interpreter and the pictures still come out; the Pareto front in the data that gnuplot draws; empty
 * runs, runs without gnuplot; an untrained network; what an earlier report left; image sheets pixel by pixel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <dirent.h>
#include <ftw.h>
#include <unistd.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <png.h>

#include "report/plot/gnuplot.h"
#include "report/report_impl.h"
#include "report_folder.h"
#include "synthetic_run.h"

/* Every plain file of `folder` is the same in `other`; returns how many. */
static int compare_folders(const char *folder, const char *other) {
    int n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        char path[1024];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (stat(path, &st) || !S_ISREG(st.st_mode))
            continue;
        size_t size, again;
        char *a = read_text(folder, e->d_name, &size), *c = read_text(other, e->d_name, &again);
        if (size != again || memcmp(a, c, size) != 0)
            fail_msg("%s differs between two reports on one run", e->d_name);
        gnt_free(a);
        gnt_free(c);
        n++;
    }
    closedir(dir);
    return n;
}

static void same_results_same_bytes(void **state) {
    bench *b = *state;
    synthetic s = {.folder = b->folder, .spoil = "", .tasks = 1, .stages = 1, .images = 1};
    char one[128], two[128], a[160], c[160];
    assert_int_equal(synthetic_write(&s), 0);
    snprintf(one, sizeof one, "%s/one", b->folder);
    snprintf(two, sizeof two, "%s/two", b->folder);
    int formats = gnt_gnuplot_present() ? GNT_FORMAT_SVG | GNT_FORMAT_PNG : 0;
    gnt_text notices;
    gnt_text_init(&notices, 1 << 16);
    make(b, one, formats, &notices);
    make(b, two, formats, &notices);
    assert_string_equal(gnt_text_get(&notices), "");
    assert_true(compare_folders(one, two) >= (formats ? 24 : 6));
    snprintf(a, sizeof a, "%s/tables", one);
    snprintf(c, sizeof c, "%s/tables", two);
    assert_true(compare_folders(a, c) >= 21);
    gnt_text_free(&notices);
}

/* ---- a paper's tables ---- */

/* One defense at two strengths under two attacks; the numbers are distinguished by eye. */
static const char paper_run[] =
    "{\"format\": 1, \"suite\": \"s\", \"title\": \"t\", \"scale\": {\"name\": \"tiny\", \"says\": \"One "
    "<b>image</b>.\"},"
    "\"tables\": [{\"id\": \"table-1\", \"title\": \"Table <1>\", \"note\": \"A note.\", \"columns\":"
    "  [{\"label\": \"p = 0.9\", \"defense\": \"prune\", \"strength\": 0.9},"
    "   {\"label\": \"p = 0.99\", \"defense\": \"prune\", \"strength\": 0.99},"
    "   {\"label\": \"other\", \"defense\": \"nobody\"}],"
    " \"rows\": [{\"label\": \"accuracy\", \"show\": \"utility\"},"
    "  {\"label\": \"one attack\", \"measure\": \"psnr\", \"show\": \"deviation\", \"attack\": \"dlg\"},"
    "  {\"label\": \"any attack\", \"measure\": \"psnr\", \"show\": \"worst\"}],"
    " \"paper\": [[95.2, 88, null], [\"16.61 ± 2.62\", 5, null], [20.78, 10.43, null]]}],"
    "\"cells\": [], \"groups\": ["
    "{\"task\": \"a\", \"stage\": 0, \"defense\": \"prune\", \"strength\": 0.9, \"mode\": \"sweep\", "
    "\"attack\": \"dlg\","
    " \"status\": \"ok\", \"n_cells\": 1, \"n_ok\": 1, \"utility\": {\"measure\": \"accuracy\", \"mean\": "
    "0.75},"
    " \"measures\": {\"psnr\": {\"mean\": 11, \"deviation\": 2, \"worst\": 13, \"n\": 4}}},"
    "{\"task\": \"a\", \"stage\": 0, \"defense\": \"prune\", \"strength\": 0.9, \"mode\": \"sweep\", "
    "\"attack\": \"idlg\","
    " \"status\": \"ok\", \"n_cells\": 1, \"n_ok\": 1, \"utility\": {\"measure\": \"accuracy\", \"mean\": "
    "0.75},"
    " \"measures\": {\"psnr\": {\"mean\": 10, \"deviation\": 2, \"worst\": 17, \"n\": 4}}},"
    "{\"task\": \"a\", \"stage\": 0, \"defense\": \"prune\", \"strength\": 0.99, \"mode\": \"sweep\", "
    "\"attack\": \"dlg\","
    " \"status\": \"failed\", \"reason\": \"x\", \"n_cells\": 1, \"n_ok\": 0}]}";

/* A row and a column choose together; the worst is over every attack that neither names; the paper is listed
 * below. */
static void a_papers_table_is_filled(void **state) {
    bench *b = *state;
    gnt_text notices;
    char out[128];
    gnt_text_init(&notices, 1 << 16);
    write_results(b, paper_run);
    snprintf(out, sizeof out, "%s/out", b->folder);
    make(b, out, 0, &notices);
    char *csv = read_text(out, "tables/paper-table-1.csv", NULL);
    static const char *const lines[] = {
        ",source,p = 0.9,p = 0.99,other",    "accuracy,here,75.0 %,failed,not run",
        "accuracy,paper,95.2,88,–",          "one attack,here,11.0 ± 2.0,failed,not run",
        "one attack,paper,16.61 ± 2.62,5,–", "any attack,here,17.0,failed,not run",
        "any attack,paper,20.78,10.43,–"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(csv, lines[i]))
            fail_msg("no line \"%s\" in:\n%s", lines[i], csv);
    char *html = read_text(out, "index.html", NULL);
    assert_non_null(strstr(html, "Table &lt;1&gt;"));
    assert_non_null(strstr(html, "Scale tiny. One &lt;b&gt;image&lt;/b&gt;."));
    assert_non_null(strstr(html, "A note."));
    gnt_free(csv);
    gnt_free(html);
    gnt_text_free(&notices);
}

/* Tables of a hostile file are left out, not followed. */
static void a_senseless_table_is_left_out(void **state) {
    static const char *const bad[] = {
        "7",
        "[7]",
        "[{\"id\": \"../../x\", \"title\": \"t\", \"columns\": [{}], \"rows\": [{}]}]",
        "[{\"id\": \"t\", \"title\": 3, \"columns\": [{}], \"rows\": [{}]}]",
        "[{\"id\": \"t\", \"title\": \"t\", \"columns\": 1, \"rows\": [{}]}]",
        "[{\"id\": \"t\", \"title\": \"t\", \"columns\": [], \"rows\": [{}]}]"};
    bench *b = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[512], path[128], out[128];
        gnt_text notices;
        gnt_text_init(&notices, 1 << 16);
        snprintf(text, sizeof text,
                 "{\"format\": 1, \"suite\": \"s\", \"cells\": [], \"groups\": [], \"tables\": %s}", bad[i]);
        write_results(b, text);
        snprintf(out, sizeof out, "%s/out", b->folder);
        make(b, out, 0, &notices);
        snprintf(path, sizeof path, "%s/out/tables/paper-t.csv", b->folder);
        assert_int_equal(access(path, F_OK), -1);
        gnt_text_free(&notices);
    }
}

/* ---- hostile text ---- */

static const char hostile[] =
    "`touch PWNED1`$(touch PWNED2)\"; system(\"touch PWNED3\") # '\n!touch PWNED4\n<touch PWNED5 "
    "%s%n%g @PWNED {/=99 x} \\n\\\" ]]></title><script>alert(1)</script>|touch PWNED6 日本 ../../x =1+1";

static int count_pwned(const char *folder) {
    int n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        n += strncmp(e->d_name, "PWNED", 5) == 0;
    closedir(dir);
    return n;
}

/* The canary works: in a script, gnuplot does run back-ticks. */
static void gnuplot_would_run_it(void **state) {
    bench *b = *state;
    char path[128];
    if (!gnt_gnuplot_present())
        skip();
    snprintf(path, sizeof path, "%s/evil.gp", b->folder);
    const char *script = "x = \"`touch PWNED1`\"\n";
    assert_int_equal(gnt_file_write(path, script, strlen(script), NULL), 0);
    assert_int_equal(gnt_gnuplot_run(b->folder, "evil.gp", NULL), 0);
    assert_int_equal(count_pwned(b->folder), 1);
}

/* Calls `check` on each file of a folder with the ending. */
static int each(const char *folder, const char *ending,
                void (*check)(const char *name, const char *text, size_t n)) {
    int n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        size_t length = strlen(e->d_name), tail = strlen(ending), size;
        if (length < tail || strcmp(e->d_name + length - tail, ending) != 0)
            continue;
        char *text = read_text(folder, e->d_name, &size);
        check(e->d_name, text, size);
        gnt_free(text);
        n++;
    }
    closedir(dir);
    return n;
}

static void script_is_ours(const char *name, const char *text, size_t n) {
    (void)n;
    /* file names hold the letters and digits of foreign names, nothing else */
    if (strpbrk(text, "`@<|!") || strstr(text, "$(") || strstr(text, "touch ") || strstr(text, "system(") ||
        strstr(text, "alert("))
        fail_msg("%s holds foreign text", name);
}

static void picture_is_whole(const char *name, const char *text, size_t n) {
    if (n < 2000 || !strstr(text, "</svg>") || strstr(text, "<script") || strstr(text, "]]>"))
        fail_msg("%s is broken or carries markup", name);
}

/* The page has one script, its own, at the end. */
static void page_is_plain(const char *name, const char *text, size_t n) {
    static const char own[] = "<script>/* Sorts a table";
    const char *script = strstr(text, "<script");
    (void)n;
    if (!script || strncmp(script, own, sizeof own - 1) != 0 || strstr(script + 1, "<script") ||
        strcmp(strstr(script, "</script>"), "</script>\n</body>\n</html>\n") != 0 ||
        strstr(text, "</title><"))
        fail_msg("%s carries foreign markup", name);
    if (!strstr(text, "&lt;script"))
        fail_msg("%s lost the text it should show", name);
}

static void png_is_whole(const char *name, const char *text, size_t n) {
    if (n < 500 || memcmp(text, "\x89PNG", 4) != 0 || memcmp(text + n - 8, "IEND", 4) != 0)
        fail_msg("%s is no whole PNG", name);
}

static void hostile_text_reaches_no_interpreter(void **state) {
    bench *b = *state;
    synthetic s = {.folder = b->folder, .spoil = hostile, .tasks = 1, .stages = 1, .images = 1};
    char report[128], plots[160], here[1024];
    gnt_text notices;
    if (!gnt_gnuplot_present())
        skip();
    assert_int_equal(synthetic_write(&s), 0);
    snprintf(report, sizeof report, "%s/report", b->folder);
    snprintf(plots, sizeof plots, "%s/report/plots", b->folder);
    gnt_text_init(&notices, 1 << 16);
    make(b, NULL, GNT_FORMAT_SVG | GNT_FORMAT_PNG, &notices);
    assert_string_equal(gnt_text_get(&notices), ""); /* gnuplot had nothing to say either */
    gnt_text_free(&notices);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(count_pwned(report) + count_pwned(plots) + count_pwned(b->folder) + count_pwned(here),
                     0);
    assert_int_equal(each(plots, ".gp", script_is_ours), 12);
    assert_int_equal(each(report, ".svg", picture_is_whole), 12);
    assert_int_equal(each(report, ".png", png_is_whole), 12 + 4);
    assert_int_equal(each(report, ".html", page_is_plain), 1);
}

/* ---- the front ---- */

static void front_is_the_staircase_of_the_best(void **state) {
    bench *b = *state;
    char plots[160];
    if (!gnt_gnuplot_present())
        skip();
    /* utility %, PSNR: (90, 30) none; (80, 10) and (85, 20) on the front; (82, 25) beaten by (85, 20) */
    static const double at[4][2] = {{0.9, 30}, {0.8, 10}, {0.85, 20}, {0.82, 25}};
    gnt_text t;
    gnt_text_init(&t, 1 << 16);
    gnt_text_add(
        &t, "{\"format\": 1, \"cells\": [{\"task\": \"t\", \"defense\": \"none\", \"attack\": \"a\", "
            "\"mode\": \"none\", "
            "\"status\": \"ok\", \"utility\": {\"measure\": \"accuracy\", \"value\": 0.9}}], \"groups\": [");
    for (int i = 0; i < 4; i++)
        gnt_text_add(&t,
                     "%s{\"task\": \"t\", \"defense\": \"%s\", \"attack\": \"a\", \"mode\": \"%s\", "
                     "\"strength\": %d, \"status\": "
                     "\"ok\", \"utility\": {\"mean\": %g}, \"measures\": {\"psnr\": {\"mean\": %g}}}",
                     i ? ", " : "", i ? "d" : "none", i ? "sweep" : "none", i, at[i][0], at[i][1]);
    gnt_text_add(&t, "]}");
    write_results(b, gnt_text_get(&t));
    gnt_text_free(&t);
    make(b, NULL, GNT_FORMAT_SVG, NULL);
    snprintf(plots, sizeof plots, "%s/report/plots", b->folder);
    char *data = read_text(plots, "tradeoff-t-r0-psnr.tsv", NULL);
    /* x from 80 − 7 % of 10 to the first point, then steps; up at the last */
    static const char expected[] = "79.3\t10\n80\t10\n80\t20\n85\t20\n85\t30\n90\t30\n90\t31.4\n";
    assert_memory_equal(data, expected, sizeof expected - 1);
    gnt_free(data);
}

/* ---- small and broken runs ---- */

static void empty_run_gives_a_page(void **state) {
    bench *b = *state;
    char report[128];
    write_results(b, "{\"format\": 1, \"suite\": \"s\", \"cells\": [], \"groups\": []}");
    make(b, NULL, GNT_FORMAT_SVG, NULL);
    snprintf(report, sizeof report, "%s/report", b->folder);
    char *page = read_text(report, "index.md", NULL);
    assert_non_null(strstr(page, "This run holds no results yet."));
    gnt_free(page);
    char *table = read_text(report, "tables/groups.json", NULL);
    assert_string_equal(table, "[\n]\n");
    gnt_free(table);
}

static void without_gnuplot_tables_remain(void **state) {
    bench *b = *state;
    synthetic s = {.folder = b->folder, .spoil = "", .tasks = 1, .stages = 1};
    char report[128], *path = gnt_strdup(getenv("PATH"));
    gnt_text notices;
    assert_int_equal(synthetic_write(&s), 0);
    gnt_text_init(&notices, 1 << 16);
    assert_int_equal(setenv("PATH", b->folder, 1), 0);
    make(b, NULL, GNT_FORMAT_SVG, &notices);
    assert_int_equal(path ? setenv("PATH", path, 1) : unsetenv("PATH"), 0);
    gnt_free(path);
    assert_non_null(strstr(gnt_text_get(&notices), "gnuplot was not found"));
    gnt_text_free(&notices);
    snprintf(report, sizeof report, "%s/report", b->folder);
    char *page = read_text(report, "index.html", NULL);
    assert_non_null(strstr(page, "gnuplot was not found"));
    assert_null(strstr(page, ".svg"));
    assert_non_null(strstr(page, "32.4 dB"));
    gnt_free(page);
}

static void unreadable_results_are_distinguished(void **state) {
    bench *b = *state;
    gnt_report_options options = {.formats = 0};
    gnt_err err = {""};
    assert_int_equal(gnt_report_make(b->folder, &options, NULL, &err), GNT_REPORT_UNREADABLE);
    assert_non_null(strstr(err.text, "results.json"));
}

/* One group of "t" under attack "a". */
static void add_group(gnt_text *t, const char *defense, const char *mode, double strength,
                      const char *utility, double psnr) {
    gnt_text_add(t,
                 "%s{\"task\": \"t\", \"defense\": \"%s\", \"attack\": \"a\", \"mode\": \"%s\", "
                 "\"strength\": %g, \"status\": \"ok\", \"utility\": %s, \"measures\": {\"psnr\": "
                 "{\"mean\": %g}}}",
                 t->size ? ", " : "", defense, mode, strength, utility, psnr);
}

static void write_groups(const bench *b, gnt_text *groups) {
    gnt_text all;
    gnt_text_init(&all, 1 << 16);
    gnt_text_add(&all, "{\"format\": 1, \"cells\": [], \"groups\": [%s]}", gnt_text_get(groups));
    write_results(b, gnt_text_get(&all));
    gnt_text_free(&all);
    gnt_text_free(groups);
}

/* Without utility there is no trade-off; the strengths 0.01, 0.1, 1 are on a logarithmic axis, in order. */
static void untrained_network_is_drawn_by_strength(void **state) {
    bench *b = *state;
    char plots[160];
    gnt_text g;
    if (!gnt_gnuplot_present())
        skip();
    gnt_text_init(&g, 1 << 16);
    add_group(&g, "none", "none", 0, "null", 40);
    add_group(&g, "d", "sweep", 1, "null", 10);
    add_group(&g, "d", "sweep", 0.01, "null", 30);
    add_group(&g, "d", "sweep", 0.1, "null", 20);
    write_groups(b, &g);
    make(b, NULL, GNT_FORMAT_SVG, NULL);
    assert_true(is_drawn(b, "strength-t-r0-psnr.svg"));
    assert_false(is_drawn(b, "tradeoff-t-r0-psnr.svg"));
    snprintf(plots, sizeof plots, "%s/report/plots", b->folder);
    char *data = read_text(plots, "strength-t-r0-psnr.tsv", NULL);
    static const char expected[] = "-2\t30\t30\t30\n-1\t20\t20\t20\n0\t10\t10\t10\n";
    assert_memory_equal(data, expected, sizeof expected - 1);
    gnt_free(data);
}

/* The report of one attack whose cost at three steps is `points`, in JSON; the script and data of its
 * picture. */
static void draw_costs(bench *b, const char *points, char **script, char **data) {
    char plots[160];
    gnt_text t;
    gnt_text_init(&t, 1 << 16);
    gnt_text_add(&t,
                 "{\"format\": 1, \"cells\": [{\"task\": \"t\", \"defense\": \"none\", \"attack\": \"a\", "
                 "\"mode\": \"none\", \"status\": \"ok\", \"convergence\": [{\"target\": 0, \"restart\": 0, "
                 "\"points\": %s}]}], \"groups\": [{\"task\": \"t\", \"defense\": "
                 "\"none\", \"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\"}]}",
                 points);
    write_results(b, gnt_text_get(&t));
    gnt_text_free(&t);
    make(b, NULL, GNT_FORMAT_SVG, NULL);
    snprintf(plots, sizeof plots, "%s/report/plots", b->folder);
    *script = read_text(plots, "convergence-t-r0.gp", NULL);
    *data = read_text(plots, "convergence-t-r0.tsv", NULL);
}

/* One minus a cosine may end a hair below zero: still a logarithmic axis, drawn at the least positive cost.
 */
static void costs_below_zero_by_rounding_stay_logarithmic(void **state) {
    if (!gnt_gnuplot_present())
        skip();
    for (int negative = 0; negative < 2; negative++) {
        char *script, *data;
        draw_costs(*state, negative ? "[[0, 1], [1, 0.001], [2, -0.5]]" : "[[0, 1], [1, 0.001], [2, -1e-8]]",
                   &script, &data);
        assert_int_equal(strstr(script, "set logscale y") != NULL, !negative);
        assert_non_null(strstr(data, negative ? "2\t-0.5\t-0.5\t-0.5\n" : "2\t0.001\t0.001\t0.001\n"));
        gnt_free(script);
        gnt_free(data);
    }
}

/* A cost that never changes has an axis of its own, or gnuplot warns of an empty one; what varies keeps
 * gnuplot's. */
static void a_cost_that_stays_has_an_axis(void **state) {
    static const struct {
        const char *points, *range;
    } cases[] = {{"[[0, 2], [1, 2]]", "set yrange [1.8:2.2]\n"},
                 {"[[0, -2], [1, -2]]", "set yrange [-2.2:-1.8]\n"},
                 {"[[0, 0], [1, 0]]", "set yrange [-1:1]\n"},
                 {"[[0, 2], [1, 1]]", NULL},
                 {"[[0, -1], [1, -2]]", NULL}};
    if (!gnt_gnuplot_present())
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *script, *data, *first;
        draw_costs(*state, cases[i].points, &script, &data);
        first = strstr(script, "\nplot NaN"); /* the panel; after it comes the key, with a range of its own */
        assert_non_null(first);
        *first = 0;
        if (cases[i].range)
            assert_non_null(strstr(script, cases[i].range));
        else
            assert_null(strstr(script, "set yrange"));
        gnt_free(script);
        gnt_free(data);
    }
}

/* A triangle where the budget ended a search, a square at rest, a disc where it was done; too few points
 * say nothing. The words are in the key of each. */
static void curves_say_why_they_end(void **state) {
    static const struct {
        const char *points, *mark;
    } cases[] = {{"[[0, 8], [1, 7], [2, 6], [3, 5], [4, 4], [5, 3], [6, 2], [7, 1]]", "pt 8"},
                 {"[[0, 8], [1, 1], [2, 1], [3, 1], [4, 1], [5, 1], [6, 1], [7, 1]]", "pt 5"},
                 {"[[0, 8], [1, 7], [2, 6], [3, 5], [4, 4], [5, 3], [6, 2], [7, 7e-6]]", "pt 7"},
                 {"[[0, 8], [1, 7], [2, 6], [3, 5], [4, 4], [5, 3], [6, 2], [7, 9e-6]]", "pt 8"},
                 {"[[0, 8], [1, 7]]", NULL}};
    if (!gnt_gnuplot_present())
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *script, *data, *key;
        draw_costs(*state, cases[i].points, &script, &data);
        assert_non_null(strstr(script, "budget ended, not converged"));
        key = strstr(script, "reset\nset lmargin at screen 0\n"); /* before it lies the panel alone */
        assert_non_null(key);
        *key = 0;
        if (cases[i].mark)
            assert_non_null(strstr(script, cases[i].mark));
        else
            assert_null(strstr(script, "with points"));
        gnt_free(script);
        gnt_free(data);
    }
}

static void touch(const bench *b, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    assert_int_equal(gnt_file_write(path, "x", 1, NULL), 0);
}

static void two_stages_then_one(const bench *b) {
    for (int stages = 2; stages >= 1; stages--) {
        synthetic s = {.folder = b->folder, .spoil = "", .tasks = 1, .stages = stages};
        assert_int_equal(synthetic_write(&s), 0);
        make(b, NULL, stages == 2 ? GNT_FORMAT_SVG : 0, NULL);
        if (stages == 2 && gnt_gnuplot_present())
            assert_true(is_drawn(b, "matrix-glyphs-lenet-r10-psnr.svg"));
        touch(b, "report/matrix-mine.svg"); /* looks like ours, but no list names it */
    }
}

/* What an earlier report made and this one does not is removed; nothing else is. */
static void stale_pictures_are_removed(void **state) {
    bench *b = *state;
    two_stages_then_one(b);
    assert_false(is_drawn(b, "matrix-glyphs-lenet-r10-psnr.svg"));
    assert_false(is_drawn(b, "plots/matrix-glyphs-lenet-r10-psnr.gp"));
    assert_true(is_drawn(b, "matrix-mine.svg"));
    assert_true(is_drawn(b, "index.html"));
}

/* The list may come from a third party: names outside the folder, of other files, and through links stay. */
static void hostile_list_removes_nothing(void **state) {
    bench *b = *state;
    char plots[160], link_at[200];
    static const char list[] = "../sheet-a.png\nindex.html\n/tmp/sheet-b.png\nplots/../sheet-c.png\n"
                               "sheet-d.png/../../sheet-a.png\nsheet-e.txt\nplots/sheet-f.gp\nsheet-g.png\n";
    write_results(b, "{\"format\": 1, \"cells\": [], \"groups\": []}");
    make(b, NULL, 0, NULL);
    snprintf(plots, sizeof plots, "%s/report/plots", b->folder);
    snprintf(link_at, sizeof link_at, "%s/elsewhere", b->folder);
    assert_int_equal(gnt_make_dirs(link_at, NULL), 0);
    assert_int_equal(rmdir(plots), 0);
    assert_int_equal(symlink(link_at, plots), 0);
    touch(b, "sheet-a.png");
    touch(b, "report/sheet-c.png");
    touch(b, "report/sheet-e.txt");
    touch(b, "report/sheet-g.png");
    touch(b, "elsewhere/sheet-f.gp");
    snprintf(link_at, sizeof link_at, "%s/report/pictures.txt", b->folder);
    assert_int_equal(gnt_file_write(link_at, list, sizeof list - 1, NULL), 0);
    make(b, NULL, 0, NULL);
    assert_true(is_drawn(b, "../sheet-a.png") && is_drawn(b, "../elsewhere/sheet-f.gp"));
    assert_true(is_drawn(b, "index.html") && is_drawn(b, "sheet-c.png") && is_drawn(b, "sheet-e.txt"));
    assert_false(is_drawn(b, "sheet-g.png")); /* a name that a report gives does go */
}

/* ---- image sheets ---- */

static void one_image_run(const bench *b, const char *images) {
    gnt_text t;
    gnt_text_init(&t, 1 << 16);
    for (int cell = 0; cell < 2; cell++)
        gnt_text_add(&t,
                     "%s{\"task\": \"t\", \"defense\": \"none\", \"attack\": \"a\", \"mode\": \"none\", "
                     "\"status\": \"ok\"%s%s%s}%s",
                     cell ? ", \"groups\": [" : "{\"format\": 1, \"cells\": [",
                     cell ? "" : ", \"images\": \"", cell ? "" : images, cell ? "" : "\"", "]");
    gnt_text_add(&t, "}");
    write_results(b, gnt_text_get(&t));
    gnt_text_free(&t);
}

/* Saves images/x.safetensors: one picture of 2 × 2 in planes, as it was recovered and, if requested, as it
 * was. */
static void save_picture(const bench *b, int64_t planes, const uint8_t *pixels, int with_private) {
    const int64_t dim[4] = {1, planes, 2, 2};
    char path[256];
    gnt_st st;
    snprintf(path, sizeof path, "%s/images", b->folder);
    assert_int_equal(gnt_make_dirs(path, NULL), 0);
    snprintf(path, sizeof path, "%s/images/x.safetensors", b->folder);
    gnt_st_init(&st);
    if (with_private)
        assert_int_equal(gnt_st_add(&st, "private", GNT_ST_U8, 4, dim, pixels, NULL, NULL), 0);
    assert_int_equal(gnt_st_add(&st, "recovered", GNT_ST_U8, 4, dim, pixels, NULL, NULL), 0);
    assert_int_equal(gnt_st_save(&st, path, NULL), 0);
    gnt_st_free(&st);
}

/* Makes the report and opens the sheet of the attack "a" on "t"; the caller reads it or frees it. */
static void open_sheet(const bench *b, png_image *image) {
    char path[256];
    make(b, NULL, 0, NULL);
    snprintf(path, sizeof path, "%s/report/sheet-t-r0-a.png", b->folder);
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(image, path));
}

static int height_of_sheet(const bench *b) {
    png_image image;
    open_sheet(b, &image);
    const int height = (int)image.height;
    png_image_free(&image);
    return height;
}

/* A 2 × 2 picture in three planes: each pixel becomes a square of 56, in its colour. */
static void sheets_show_the_pixels(void **state) {
    bench *b = *state;
    static const uint8_t planes[12] = {255, 0, 0, 10, 0, 255, 0, 20, 0, 0, 255, 30};
    png_image image;
    save_picture(b, 3, planes, 1);
    one_image_run(b, "images/x.safetensors");
    open_sheet(b, &image);
    image.format = PNG_FORMAT_RGB;
    uint8_t *rgb = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(rgb);
    assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
    static const uint8_t expected[4][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {10, 20, 30}};
    for (int row = 0; row < 2; row++) /* private: 112 + 8 high; 10 between; then recovered */
        for (int i = 0; i < 4; i++) {
            size_t x = 288 + (size_t)(i % 2) * 56, y = 44 + (size_t)row * 130 + (size_t)(i / 2) * 56;
            assert_memory_equal(rgb + (y * image.width + x) * 3, expected[i], 3);
            assert_memory_equal(rgb + ((y + 55) * image.width + x + 55) * 3, expected[i], 3);
        }
    free(rgb);
}

/* No defense and nine points of a sweep: eight blocks of a rule (10) and a recovered row (112, the PSNR's
 * line of 20, 8 below), after the head (44) and the private row (120), before one line (20) between gaps of 8
 * that names the two others. */
static void sheets_hold_eight_blocks(void **state) {
    bench *b = *state;
    static const uint8_t pixel[4] = {1, 2, 3, 4};
    gnt_text t;
    save_picture(b, 1, pixel, 1);
    gnt_text_init(&t, 1 << 16);
    gnt_text_add(&t, "{\"format\": 1");
    for (int list = 0; list < 2; list++) {
        gnt_text_add(&t, ", \"%s\": [", list ? "groups" : "cells");
        for (int i = 0; i < 10; i++)
            gnt_text_add(&t,
                         "%s{\"task\": \"t\", \"defense\": \"%s\", \"attack\": \"a\", \"mode\": \"%s\", "
                         "\"strength\": %d, \"status\": \"ok\"%s}",
                         i ? ", " : "", i ? "d" : "none", i ? "sweep" : "none", i,
                         list ? "" : ", \"images\": \"images/x.safetensors\"");
        gnt_text_add(&t, "]");
    }
    gnt_text_add(&t, "}");
    write_results(b, gnt_text_get(&t));
    gnt_text_free(&t);
    assert_int_equal(height_of_sheet(b), 44 + 120 + 8 * (10 + 112 + 20 + 8) + 8 + 20 + 8);
}

/* Height of the sheet of one recovered image, whose group has this utility. */
static int height_under(const bench *b, const char *utility) {
    static const uint8_t pixel[4] = {1, 2, 3, 4};
    gnt_text t;
    save_picture(b, 1, pixel, 0);
    gnt_text_init(&t, 1 << 16);
#define ONE                                                                                                  \
    "[{\"task\": \"t\", \"defense\": \"none\", \"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\", "
    gnt_text_add(&t, "{\"format\": 1, \"cells\": " ONE "\"images\": \"images/x.safetensors\"}], ");
    gnt_text_add(&t, "\"groups\": " ONE "\"utility\": {\"measure\": \"accuracy\", \"mean\": %s}}]}", utility);
    write_results(b, gnt_text_get(&t));
    gnt_text_free(&t);
    return height_of_sheet(b);
}

/* A number next to recovered images could be taken for theirs: where there is one, a line (20) says whose. */
static void sheets_say_whose_utility_it_is(void **state) {
    bench *b = *state;
    int without = height_under(b, "null");
    assert_int_equal(height_under(b, "0.68"), without + 20);
}

static void images_outside_are_not_read(void **state) {
    bench *b = *state;
    static const char *const names[] = {"/etc/passwd", "images/../../x.safetensors", "../x.safetensors",
                                        "images/", "images/link"};
    char path[256];
    snprintf(path, sizeof path, "%s/images", b->folder);
    assert_int_equal(gnt_make_dirs(path, NULL), 0);
    snprintf(path, sizeof path, "%s/images/link", b->folder);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        gnt_text notices;
        gnt_text_init(&notices, 1 << 16);
        one_image_run(b, names[i]);
        make(b, NULL, 0, &notices);
        if (!strstr(gnt_text_get(&notices), "expected a"))
            fail_msg("\"%s\" was not refused", names[i]);
        gnt_text_free(&notices);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(same_results_same_bytes),
        IN_FOLDER(a_papers_table_is_filled),
        IN_FOLDER(a_senseless_table_is_left_out),
        IN_FOLDER(gnuplot_would_run_it),
        IN_FOLDER(hostile_text_reaches_no_interpreter),
        IN_FOLDER(front_is_the_staircase_of_the_best),
        IN_FOLDER(empty_run_gives_a_page),
        IN_FOLDER(without_gnuplot_tables_remain),
        IN_FOLDER(unreadable_results_are_distinguished),
        IN_FOLDER(untrained_network_is_drawn_by_strength),
        IN_FOLDER(costs_below_zero_by_rounding_stay_logarithmic),
        IN_FOLDER(a_cost_that_stays_has_an_axis),
        IN_FOLDER(curves_say_why_they_end),
        IN_FOLDER(stale_pictures_are_removed),
        IN_FOLDER(hostile_list_removes_nothing),
        IN_FOLDER(sheets_show_the_pixels),
        IN_FOLDER(sheets_hold_eight_blocks),
        IN_FOLDER(sheets_say_whose_utility_it_is),
        IN_FOLDER(images_outside_are_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
