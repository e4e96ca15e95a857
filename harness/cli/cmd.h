/* cmd: the subcommands. Each gets argv[0] = its own name, and returns the exit code: 0 success, 1 a cell or a
 * check failed, 2 the command or its suite is invalid, 130 interrupted; `check` also 3: there is no baseline
 * yet, and 4: undecided. */
#ifndef GNT_CLI_CMD_H
#define GNT_CLI_CMD_H

enum { GNT_EXIT_OK = 0, GNT_EXIT_FAILED = 1, GNT_EXIT_WRONG = 2, GNT_EXIT_INTERRUPTED = 130 };

int gnt_cmd_run(int argc, char **argv);
int gnt_cmd_data(int argc, char **argv);
int gnt_cmd_list(int argc, char **argv);
int gnt_cmd_show(int argc, char **argv);
int gnt_cmd_model(int argc, char **argv);
int gnt_cmd_program(int argc, char **argv);
int gnt_cmd_clean(int argc, char **argv);
int gnt_cmd_new(int argc, char **argv);
int gnt_cmd_vet(int argc, char **argv);
int gnt_cmd_slurm(int argc, char **argv);
int gnt_cmd_audit(int argc, char **argv);
int gnt_cmd_pace(int argc, char **argv);
int gnt_cmd_sign(int argc, char **argv);
int gnt_cmd_verify(int argc, char **argv);
int gnt_cmd_report(int argc, char **argv);
int gnt_cmd_scores(int argc, char **argv);
int gnt_cmd_leaderboard(int argc, char **argv);
int gnt_cmd_check(int argc, char **argv);
int gnt_cmd_accept(int argc, char **argv);
int gnt_cmd_season(int argc, char **argv);
int gnt_cmd_capture(int argc, char **argv);
int gnt_cmd_attack(int argc, char **argv);
int gnt_cmd_doctor(int argc, char **argv);
int gnt_cmd_schema(int argc, char **argv);
int gnt_cmd_version(int argc, char **argv);

#endif
