/* The C interface of libperfmodel.so: fits, predictions and every command of the program.
 *
 * No function throws or ends the process. A function that fails returns NULL or a code other than
 * 0; perfmodel_last_error() is then the reason. Texts are UTF-8 with a final NUL. All functions may
 * be called by several threads at once; one object must not be changed by a thread while another
 * one uses it. Models are never changed.
 */
#ifndef PERFMODEL_H
#define PERFMODEL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PERFMODEL_API __attribute__((visibility("default")))
#else
#define PERFMODEL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Named columns of equal length. */
typedef struct perfmodel_table perfmodel_table;
/** A fitted model. */
typedef struct perfmodel_model perfmodel_model;

/** What a function returns; the same codes are exit codes of the program. */
enum perfmodel_status {
  PERFMODEL_DONE = 0,
  PERFMODEL_INTERNAL_ERROR = 1,
  PERFMODEL_WRONG_USAGE = 2, /**< an option or an argument is wrong */
  PERFMODEL_BAD_INPUT = 3,   /**< the data cannot be used */
  PERFMODEL_OUT_OF_MEMORY = 6,
  PERFMODEL_CANCELLED = 130
};

/** Version, compiler and instruction sets: the JSON of `perfmodel --version --json`. Never freed.
 */
PERFMODEL_API const char* perfmodel_version(void);

/** The reason of the last failure in this thread; "" if there was none. Valid until the next call
 * of this thread. */
PERFMODEL_API const char* perfmodel_last_error(void);
/** The status of the last call in this thread, a perfmodel_status. */
PERFMODEL_API int perfmodel_last_status(void);

/** Creates a table of `rows` rows without columns. Models and messages number rows by the lines of
 * a CSV file with a header: row i is on line i + 2. Free the table by perfmodel_table_free(). */
PERFMODEL_API perfmodel_table* perfmodel_table_new(size_t rows);
/** Appends a column of numbers, which are copied: one per row; NaN is a blank cell. Returns a
 * status. */
PERFMODEL_API int perfmodel_table_add_numbers(perfmodel_table* table, const char* name,
                                              const double* numbers);
/** Appends a column of texts, which are copied: row i has the text levels[codes[i]]. They are read
 * as the cells of a CSV file: "" is blank, "16GiB" a quantity, and numbers among other texts are
 * numbers; but texts that are all numbers are levels. Returns a status. */
PERFMODEL_API int perfmodel_table_add_texts(perfmodel_table* table, const char* name,
                                            const uint32_t* codes, const char* const* levels,
                                            size_t level_count);
/** Accepts NULL. */
PERFMODEL_API void perfmodel_table_free(perfmodel_table* table);

/** Called about every 50 ms during a fit, by the thread that called perfmodel_fit(): the stage,
 * such as "fitting" or "folds", and how many of its parts are done (`all` is 0 if that is unknown).
 * A result other than 0 cancels the fit. */
typedef int (*perfmodel_progress)(void* user, const char* stage, size_t done, size_t all);

/** Fits a model to all rows of a table.
 *
 * `options`: a JSON object, or NULL; its names and values are those of the options of
 * `perfmodel fit`: {"target": "time_s", "expression": "auto", "extrinsic": ["gpus"], "l2": 0.01,
 * "keep_totals": true}. Options about output, several models and files but "prior" are refused.
 * "facts": {"device": "device,bandwidth\na100,2039\n"} has tables as CSV; their columns are
 * appended. Failed runs are left out as by the program; perfmodel_model_warnings() tells.
 * `progress`: may be NULL; `user` is passed to it.
 *
 * Returns NULL after an error, or with the status PERFMODEL_CANCELLED. Free the model by
 * perfmodel_model_free(). */
PERFMODEL_API perfmodel_model* perfmodel_fit(const perfmodel_table* table, const char* options,
                                             perfmodel_progress progress, void* user);

/** Reads the text of model.json; NULL after an error. */
PERFMODEL_API perfmodel_model* perfmodel_model_from_json(const char* text);
/** The text of model.json, as the program writes it; NULL after an error. Free it by
 * perfmodel_text_free(). */
PERFMODEL_API char* perfmodel_model_to_json(const perfmodel_model* model);
/** What the fit warned of about the runs, such as those that are left out: a sentence per line; ""
 * of a model that was read. Valid as long as the model. */
PERFMODEL_API const char* perfmodel_model_warnings(const perfmodel_model* model);
/** Accepts NULL. */
PERFMODEL_API void perfmodel_model_free(perfmodel_model* model);
/** Accepts NULL. */
PERFMODEL_API void perfmodel_text_free(char* text);

/** Predicts the time of each row of a table, which has the input columns of the model or the texts
 * whose facts it knows. `times`: one number per row, in the unit of the measured times. `lower` and
 * `upper`: the ends of the prediction intervals, one number per row; both may be NULL. `coverage`:
 * the share of new times in the intervals, in (0, 1); 0: that of the model. Returns a status. */
PERFMODEL_API int perfmodel_predict(const perfmodel_model* model, const perfmodel_table* table,
                                    double coverage, double* times, double* lower, double* upper);

/** Runs a command of the program; argv[0] is its name. Its result goes to the file of its option
 * -o, messages to standard error, the message of an error to perfmodel_last_error(). Returns the
 * exit code. */
PERFMODEL_API int perfmodel_run(int argc, const char* const* argv);

#ifdef __cplusplus
}
#endif

#endif
