/* leaderboard.html: the template with what the runs say in it. Everything foreign goes through
 * gnt_escape_html; the page's policy allows its own script and style by their digests, pictures as data:
 * URIs, and nothing else. */
#include <string.h>

#include <sodium/crypto_hash_sha256.h>

#include "base/file.h"
#include "base/mem.h"
#include "board/page_impl.h"

enum { MOST_PAGE = 192 << 20 };

/* Adds the digest of the template's own <script> or <style>, as a policy names it. */
static void add_hash(page *w, const char *open, const char *close) {
    const char *begin = strstr(board_template, open), *end = begin ? strstr(begin, close) : NULL;
    uint8_t digest[crypto_hash_sha256_BYTES];
    if (!end) {
        w->out.failed = 1;
        return;
    }
    begin += strlen(open);
    crypto_hash_sha256(digest, (const uint8_t *)begin, (size_t)(end - begin));
    page_add(w, "sha256-");
    w->out.failed |= page_base64(w, digest, sizeof digest) != 0;
}

/* ---- sections ---- */

/* Lists which values of the filter show this block. */
static void add_threat_values(page *w, const board_contest *c, size_t threat) {
    page_add(w, threat == 0 ? "any" : "");
    for (size_t i = 0, any = threat == 0; i < w->b->n_threat; i++)
        if (board_same_reach(c, c->threat[threat], w->b->threat[i]))
            gnt_text_add(&w->out, "%s%zu", any++ ? " " : "", i);
}

static void add_threat(page *w, const board_contest *c, size_t threat, board_place *places) {
    const size_t n = board_rank(c, c->lead, c->threat[threat], places);
    gnt_text text;
    if (!board_any_number(places, n))
        return;
    const page_scale s = page_scale_of(w, c, c->threat[threat], places, n);
    gnt_text_init(&text, BOARD_MOST_SAID);
    page_add(w, "<div class=\"threat\" data-threats=\"");
    add_threat_values(w, c, threat);
    page_add(w, threat ? "\"><h3>Against attackers that know no more than: "
                       : "\"><h3>Against every attack here; together they know: ");
    board_say_threat(c->threat[threat], &text);
    gnt_text_add(&text, ". Measured: %s", c->lead->title);
    page_say_text(w, &text);
    page_add(w, "</h3>\n");
    page_ranked(w, c, &s, places, n);
    page_apart(w, c, &s, places, n);
    page_add(w, "</div>\n");
    gnt_text_free(&text);
}

static size_t first_with_task(const board *b, const char *task) {
    size_t i = 0;
    while (strcmp(b->contest[i].task, task) != 0)
        i++;
    return i;
}

static void add_paragraph(page *w, const char *class, gnt_text *text) {
    if (text->size == 0)
        return;
    gnt_text_add(&w->out, "<p class=\"%s\">", class);
    page_say_text(w, text);
    page_add(w, "</p>\n");
}

static void add_contest(page *w, const board_contest *c) {
    board_place *places = gnt_array(c->n_row + 1, sizeof *places);
    gnt_text text;
    gnt_text_init(&text, BOARD_MOST_SAID);
    gnt_text_add(&w->out, "<section class=\"contest\" data-task=\"%zu\">\n<h2>",
                 first_with_task(w->b, c->task));
    board_say_place(w->b, c, &text);
    page_say_text(w, &text);
    page_add(w, "</h2>\n");
    board_say_head(w->b, c, &text);
    add_paragraph(w, board_is_doubtful(w->b, c) ? "warn" : "soft", &text);
    board_say_answer(w->b, c, &text);
    add_paragraph(w, "answer", &text);
    board_say_alone(w->b, c, &text);
    add_paragraph(w, "soft", &text);
    w->out.failed |= !places;
    for (size_t threat = 0; places && c->lead && threat < c->n_threat; threat++)
        add_threat(w, c, threat, places);
    page_pictures(w, c);
    page_add(w, "</section>\n");
    gnt_text_free(&text);
    gnt_free(places);
}

static void add_contests(page *w) {
    for (size_t i = 0; i < w->b->n_contest; i++)
        add_contest(w, &w->b->contest[i]);
    if (w->b->n_contest == 0)
        page_add(w, "<p>These runs hold no results yet.</p>\n");
}

static void add_tasks(page *w) {
    for (size_t i = 0; i < w->b->n_contest; i++) {
        if (first_with_task(w->b, w->b->contest[i].task) != i)
            continue;
        gnt_text_add(&w->out, "<option value=\"%zu\">", i);
        page_say(w, w->b->contest[i].task);
        page_add(w, "</option>");
    }
}

static void add_threats(page *w) {
    gnt_text text;
    gnt_text_init(&text, BOARD_MOST_SAID);
    page_add(w, "<option value=\"any\">anything granted here</option>");
    for (size_t i = 0; i < w->b->n_threat; i++) {
        gnt_text_add(&w->out, "<option value=\"%zu\">", i);
        board_say_threat(w->b->threat[i], &text);
        page_say_text(w, &text);
        page_add(w, "</option>");
    }
    gnt_text_free(&text);
}

static void add_summary(page *w) {
    const board *b = w->b;
    size_t people = 0;
    for (size_t i = 0; i < b->n_run; i++) {
        int known = 0;
        for (size_t k = 0; k < i; k++)
            known |= board_is_same_contributor(b, k, i);
        people += !known;
    }
    gnt_text_add(&w->out, "%zu run%s of %zu contributor%s.", b->n_run, b->n_run == 1 ? "" : "s", people,
                 people == 1 ? "" : "s");
    gnt_text chosen;
    gnt_text_init(&chosen, BOARD_MOST_SAID);
    page_add(w, " ");
    board_say_chosen(b, &chosen);
    page_say_text(w, &chosen);
    gnt_text_free(&chosen);
    if (b->options->season)
        gnt_text_add(&w->out, " The SHA-256 of this season's secret key is %s.", b->options->season);
    for (const char *line = gnt_text_get(&b->notices); *line;) {
        const size_t n = strcspn(line, "\n");
        char *one = gnt_format(" %.*s", (int)n, line);
        w->out.failed |= !one;
        if (one)
            page_say(w, one);
        gnt_free(one);
        line += n + (line[n] == '\n');
    }
}

static void add_footnotes(page *w) {
    uint32_t flag;
    const char *mark, *words;
    for (size_t n = 0; board_footnote(n, &flag, &mark, &words); n++)
        gnt_text_add(&w->out, "<li id=\"note-%s\"><sup>%s</sup> %s</li>", mark, mark, words);
}

static void add_history(page *w) {
    gnt_table t;
    board_table_history(w->b, &t);
    if (gnt_table_rows(&t)) {
        page_add(w, "<h2>History</h2>\n<p>What changed from one run of a contributor to the next.</p>\n");
        gnt_table_html(&t, &w->out);
    }
    gnt_table_free(&t);
}

static void add_plugins(page *w) {
    gnt_table t;
    board_table_plugins(w->b, &t);
    gnt_table_html(&t, &w->out);
    gnt_table_free(&t);
}

static void add_runs(page *w) {
    page_add(w, "<ol>\n");
    for (size_t i = 0; i < w->b->n_run; i++) {
        const board_run *run = &w->b->run[i];
        page_add(w, "<li>");
        page_say(w, run->contributor);
        if (*run->about.date) {
            page_add(w, ", ");
            page_say(w, run->about.date);
        }
        page_add(w, ": suite ");
        page_say(w, run->results.suite);
        if (*run->results.title) {
            page_add(w, ", ");
            page_say(w, run->results.title);
        }
        page_add(w, "; ");
        page_say(w, run->seal);
        if (*run->season)
            gnt_text_add(&w->out, "; run under the season's key, whose SHA-256 is %s", run->season);
        if (*run->about.note) {
            page_add(w, ". ");
            page_say(w, run->about.note);
        }
        for (size_t k = 0; k < run->about.n_link; k++) {
            page_add(w, " <a rel=\"noreferrer\" href=\"");
            page_say(w, run->about.link[k].url);
            page_add(w, "\">");
            page_say(w, run->about.link[k].title);
            page_add(w, "</a>");
        }
        page_add(w, "</li>\n");
    }
    page_add(w, "</ol>\n");
}

static void add_title(page *w) {
    page_say(w, w->b->title);
}

static void add_style_hash(page *w) {
    add_hash(w, "<style>", "</style>");
}

static void add_script_hash(page *w) {
    add_hash(w, "<script>", "</script>");
}

/* ---- the template ---- */

static void fill(page *w, const char *name, size_t n) {
    static const struct {
        const char *name;
        void (*add)(page *);
    } parts[] = {{"title", add_title},
                 {"style-hash", add_style_hash},
                 {"script-hash", add_script_hash},
                 {"summary", add_summary},
                 {"tasks", add_tasks},
                 {"threats", add_threats},
                 {"arenas", page_arenas},
                 {"contests", add_contests},
                 {"history", add_history},
                 {"footnotes", add_footnotes},
                 {"runs", add_runs},
                 {"plugins", add_plugins}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == n && !strncmp(parts[i].name, name, n)) {
            parts[i].add(w);
            return;
        }
    w->out.failed = 1;
}

int board_write_page(const board *b, gnt_err *err) {
    page w = {.b = b};
    const char *from = board_template;
    gnt_text_init(&w.out, MOST_PAGE);
    for (const char *open; (open = strstr(from, "{{")) != NULL;) {
        const char *close = strstr(open, "}}");
        if (!close)
            break;
        gnt_text_bytes(&w.out, from, (size_t)(open - from));
        fill(&w, open + 2, (size_t)(close - open - 2));
        from = close + 2;
    }
    page_add(&w, from);
    char *path = gnt_format("%s/leaderboard.html", b->options->folder);
    const int failed =
        !path || w.out.failed
            ? gnt_fail(err, "leaderboard.html: out of memory, or larger than %d MiB", MOST_PAGE >> 20)
            : gnt_file_write(path, gnt_text_get(&w.out), w.out.size, err);
    gnt_free(path);
    gnt_text_free(&w.out);
    return failed;
}
