/* Calls every function of include/perfmodel.h from C99. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfmodel.h"

#define ROWS 32

static int failures = 0;

static void check(int holds, const char* what, int line) {
  if (!holds) {
    fprintf(stderr, "line %d: %s (last error: %s)\n", line, what, perfmodel_last_error());
    ++failures;
  }
}
#define CHECK(condition) check((condition), #condition, __LINE__)

static double time_of(double batch, double gpus, unsigned kind) {
  return (kind == 0 ? 0.3 : 0.5) * batch / gpus + 2;
}

/* Times of 4 numbers of GPUs, 4 batch sizes and 2 kinds. */
static perfmodel_table* runs(int with_time) {
  double batch[ROWS], gpus[ROWS], times[ROWS];
  uint32_t kinds[ROWS];
  const char* const levels[] = {"plain", "wide", "unused"};
  perfmodel_table* const table = perfmodel_table_new(ROWS);
  int i;
  for (i = 0; i < ROWS; ++i) {
    gpus[i] = 1 << (i % 4);
    batch[i] = 16 * (1 + i / 4 % 4);
    kinds[i] = (uint32_t)(i / 16);
    times[i] = time_of(batch[i], gpus[i], kinds[i]);
  }
  CHECK(table != NULL);
  CHECK(perfmodel_table_add_numbers(table, "batch", batch) == PERFMODEL_DONE);
  CHECK(perfmodel_table_add_numbers(table, "gpus", gpus) == PERFMODEL_DONE);
  CHECK(perfmodel_table_add_texts(table, "kind", kinds, levels, 3) == PERFMODEL_DONE);
  if (with_time)
    CHECK(perfmodel_table_add_numbers(table, "time_s", times) == PERFMODEL_DONE);
  return table;
}

static int count_calls(void* user, const char* stage, size_t done, size_t all) {
  ++*(int*)user;
  return strlen(stage) == 0 || (all > 0 && done > all);
}

static int cancel(void* user, const char* stage, size_t done, size_t all) {
  (void)user, (void)stage, (void)done, (void)all;
  return 1;
}

static void test_fit_and_predict(void) {
  double times[ROWS], lower[ROWS], upper[ROWS];
  int calls = 0, i;
  perfmodel_table* const table = runs(1);
  perfmodel_table* const inputs = runs(0);
  perfmodel_model *model, *copy;
  char *text, *again;
  model = perfmodel_fit(table, "{\"expression\": \"multi\", \"extrinsic\": [\"gpus\"]}",
                        count_calls, &calls);
  CHECK(model != NULL);
  CHECK(perfmodel_predict(model, inputs, 0, times, NULL, NULL) == PERFMODEL_DONE);
  for (i = 0; i < ROWS; ++i)
    CHECK(fabs(times[i] / time_of(16 * (1 + i / 4 % 4), 1 << (i % 4), (unsigned)(i / 16)) - 1) <
          0.05);
  CHECK(perfmodel_predict(model, inputs, 0.8, times, lower, upper) == PERFMODEL_DONE);
  for (i = 0; i < ROWS; ++i)
    CHECK(lower[i] <= times[i] && times[i] <= upper[i]);
  CHECK(perfmodel_predict(model, inputs, 1, times, lower, upper) == PERFMODEL_WRONG_USAGE);
  text = perfmodel_model_to_json(model);
  copy = perfmodel_model_from_json(text);
  again = perfmodel_model_to_json(copy);
  CHECK(text != NULL && again != NULL && strcmp(text, again) == 0);
  perfmodel_text_free(text);
  perfmodel_text_free(again);
  perfmodel_model_free(model);
  perfmodel_model_free(copy);
  perfmodel_table_free(table);
  perfmodel_table_free(inputs);
}

/* Numbers may be levels, an option may be a list, a flag, a number or null. */
static void test_options(void) {
  double times[ROWS], lower[ROWS], upper[ROWS];
  perfmodel_table* const table = runs(1);
  perfmodel_model* const model = perfmodel_fit(
      table,
      "{\"expression\": \"generic\", \"extrinsic\": [\"gpus\"], \"categorical\": [\"batch\"],"
      " \"bounds\": [\"C=0:3\", \"q=-0.9:-0.9\"], \"l2\": 1e-9, \"keep_totals\": false,"
      " \"search\": [\"population=6\", \"generations=2\"],"
      " \"coverage\": \"none\", \"seed\": null}",
      NULL, NULL);
  char* const text = perfmodel_model_to_json(model);
  CHECK(model != NULL && text != NULL);
  if (text != NULL) {
    CHECK(strstr(text, "\"level\": \"48\"") != NULL);
    CHECK(strstr(text, "\"q\": -0.9,") != NULL);
    CHECK(strstr(text, "\"generations\": 2,") != NULL);
    CHECK(strstr(text, "\"penalty\": {\"l1\": 0, \"l2\": 1e-09}") != NULL);
  }
  CHECK(perfmodel_predict(model, table, 0, times, lower, upper) == PERFMODEL_BAD_INPUT);
  CHECK(strstr(perfmodel_last_error(), "no prediction intervals") != NULL);
  perfmodel_text_free(text);
  perfmodel_model_free(model);
  perfmodel_table_free(table);
}

static void expect(const perfmodel_table* table, const char* options, int status,
                   const char* message) {
  perfmodel_model* const model = perfmodel_fit(table, options, NULL, NULL);
  CHECK(model == NULL);
  CHECK(perfmodel_last_status() == status);
  CHECK(strstr(perfmodel_last_error(), message) != NULL);
  perfmodel_model_free(model);
}

static void test_errors(void) {
  const uint32_t codes[ROWS] = {7};
  const char* const levels[] = {"a"};
  const char* const unknown[] = {"perfmodel", "shwo"};
  double numbers[ROWS] = {0};
  /* Options about files, messages and several models. */
  const char* const only_of_program[] = {
      "output", "test", "separator", "input_format", "table", "sql",  "fail_if",
      "by",     "set",  "resume",    "shard",        "quiet", "color",      "help", "help_all"};
  char options[64];
  size_t i;
  perfmodel_table* const table = runs(1);
  perfmodel_table* const untimed = runs(0);
  perfmodel_table* const empty = perfmodel_table_new(0);
  perfmodel_model* model;
  numbers[1] = NAN;
  numbers[2] = INFINITY;
  CHECK(perfmodel_table_add_numbers(untimed, "", numbers) == PERFMODEL_WRONG_USAGE);
  CHECK(perfmodel_table_add_numbers(untimed, "time_s", numbers) == PERFMODEL_DONE);
  expect(untimed, "{\"failed\": \"refuse\"}", PERFMODEL_BAD_INPUT, "the cell is blank");
  expect(empty, "{}", PERFMODEL_BAD_INPUT, "the table has no rows");
  CHECK(perfmodel_table_new((size_t)1 << 33) == NULL);
  CHECK(perfmodel_last_status() == PERFMODEL_WRONG_USAGE);
  expect(NULL, "{}", PERFMODEL_WRONG_USAGE, "table is NULL");
  expect(table, "[]", PERFMODEL_WRONG_USAGE, "no JSON object");
  expect(table, "{\"extrnsic\": [\"gpus\"]}", PERFMODEL_WRONG_USAGE, "extrinsic");
  expect(table, "{\"l2\": -1}", PERFMODEL_WRONG_USAGE, "l2");
  expect(table, "{\"l2\": {}}", PERFMODEL_WRONG_USAGE, "expected a text");
  for (i = 0; i < sizeof only_of_program / sizeof *only_of_program; ++i) {
    sprintf(options, "{\"%s\": \"1\"}", only_of_program[i]);
    expect(table, options, PERFMODEL_WRONG_USAGE, "only the program");
  }
  expect(table, "{\"extrinsic\": [\"gpu\"]}", PERFMODEL_WRONG_USAGE, "gpus");
  CHECK(perfmodel_table_add_texts(table, "other", codes, levels, 1) == PERFMODEL_WRONG_USAGE);
  CHECK(perfmodel_table_add_texts(table, "kind", codes, levels, 1) == PERFMODEL_WRONG_USAGE);
  model = perfmodel_fit(table, "{\"expression\": \"auto\", \"bootstrap\": 5000}", cancel, NULL);
  CHECK(model == NULL && perfmodel_last_status() == PERFMODEL_CANCELLED);
  CHECK(perfmodel_model_from_json("{}") == NULL);
  CHECK(perfmodel_last_status() == PERFMODEL_BAD_INPUT);
  CHECK(perfmodel_run(2, unknown) == PERFMODEL_WRONG_USAGE);
  CHECK(strstr(perfmodel_last_error(), "show") != NULL);
  perfmodel_table_free(table);
  perfmodel_table_free(untimed);
  perfmodel_table_free(empty);
  perfmodel_table_free(NULL);
  perfmodel_model_free(NULL);
  perfmodel_text_free(NULL);
}

/* Texts are read as the cells of a file; facts about them are kept in the model. */
static void test_cells(void) {
  const char* const cells[] = {"3", "4", "OOM", "5"};
  uint32_t codes[ROWS];
  double times[ROWS];
  int i;
  perfmodel_table* const failing = runs(0);
  perfmodel_table* const table = runs(1);
  perfmodel_model* model;
  char* text;
  for (i = 0; i < ROWS; ++i)
    codes[i] = (uint32_t)(i % 4);
  CHECK(perfmodel_table_add_texts(failing, "time_s", codes, cells, 4) == PERFMODEL_DONE);
  expect(failing, "{\"failed\": \"refuse\"}", PERFMODEL_BAD_INPUT, "OOM");
  model = perfmodel_fit(failing, "{\"expression\": \"multi\", \"terms\": 1}", NULL, NULL);
  CHECK(model != NULL);
  CHECK(strstr(perfmodel_model_warnings(model), "8 of 32 runs failed and are left out") != NULL);
  perfmodel_model_free(model);
  model = perfmodel_fit(table,
                        "{\"expression\": \"multi\", \"terms\": 1, \"facts\": {\"kind\": "
                        "\"kind,width,maker\\nplain,1,a\\nwide,2,b\\n\"}, \"ignore\": [\"maker\"]}",
                        NULL, NULL);
  CHECK(model != NULL && strcmp(perfmodel_model_warnings(model), "") == 0);
  text = perfmodel_model_to_json(model);
  CHECK(text != NULL && strstr(text, "plain,1,a") != NULL);
  CHECK(perfmodel_predict(model, table, 0, times, NULL, NULL) == PERFMODEL_DONE);
  expect(table, "{\"facts\": 1}", PERFMODEL_WRONG_USAGE, "an object of tables");
  perfmodel_text_free(text);
  perfmodel_model_free(model);
  perfmodel_table_free(failing);
  perfmodel_table_free(table);
}

int main(void) {
  const char* const help[] = {"perfmodel", "--version"};
  CHECK(strstr(perfmodel_version(), "\"version\"") != NULL);
  CHECK(perfmodel_run(2, help) == 0);
  test_fit_and_predict();
  test_options();
  test_errors();
  test_cells();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
