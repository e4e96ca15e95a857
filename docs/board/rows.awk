# Rows of a task in leaderboard.csv for leakage.gnuplot: number, defense, utility, PSNR, its interval.
# `want`: any, ranked, apart or none. Numbers count all rows, so that each keeps its place in the picture. A kind
# without rows has a point outside of it, since gnuplot warns of empty data.
function split_row(line, cell,    n, at, c, quoted) {
    n = 1
    cell[1] = ""
    for (at = 1; at <= length(line); at++) {
        c = substr(line, at, 1)
        if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) cell[++n] = ""
        else cell[n] = cell[n] c
    }
    return n
}
BEGIN {
    FS = "\n"
    if (want != "any")
        print "-9 \"\" \"\" -9 -9 -9"
}
NR == 1 { n = split_row($0, cell); for (i = 1; i <= n; i++) column[cell[i]] = i; next }
{
    split_row($0, cell)
    if (cell[column["attacker"]] != "any" || cell[column["measure"]] != "psnr" || cell[column["measured"]] == "" || cell[column["task"]] != task)
        next
    row++
    kind = cell[column["rank"]] != "" ? "ranked" : cell[column["standing"]] == "undefended" ? "none" : "apart"
    if (want == "any" || want == kind)
        printf "%d \"%s\" \"%.0f %%\" %s %s %s\n", row, cell[column["defense"]],
            100 * cell[column["utility"]], cell[column["measured"]], cell[column["low"]] == "" ? cell[column["measured"]] : cell[column["low"]],
            cell[column["high"]] == "" ? cell[column["measured"]] : cell[column["high"]]
}
