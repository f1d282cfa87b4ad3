/* perfmodel for R, by the C interface: R CMD SHLIB perfmodel.c -lperfmodel */
#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "perfmodel.h"

static void check(int failed) {
  if (failed)
    Rf_error("%s", perfmodel_last_error());
}

/* A table of a data frame or a list of columns: factors and numbers. */
static perfmodel_table* table_of(SEXP frame) {
  const SEXP names = Rf_getAttrib(frame, R_NamesSymbol);
  const R_xlen_t rows = Rf_xlength(VECTOR_ELT(frame, 0));
  perfmodel_table* const table = perfmodel_table_new((size_t)rows);
  int failed = table == NULL;
  for (R_xlen_t j = 0; j < Rf_xlength(frame) && !failed; ++j) {
    const char* const name = Rf_translateCharUTF8(STRING_ELT(names, j));
    SEXP column = VECTOR_ELT(frame, j);
    if (Rf_isFactor(column)) {
      const SEXP levels = Rf_getAttrib(column, R_LevelsSymbol);
      const char** texts = (const char**)R_alloc((size_t)Rf_xlength(levels), sizeof *texts);
      uint32_t* codes = (uint32_t*)R_alloc((size_t)rows, sizeof *codes);
      for (R_xlen_t i = 0; i < Rf_xlength(levels); ++i)
        texts[i] = Rf_translateCharUTF8(STRING_ELT(levels, i));
      for (R_xlen_t i = 0; i < rows; ++i)
        codes[i] = (uint32_t)(INTEGER(column)[i] - 1);
      failed = perfmodel_table_add_texts(table, name, codes, texts, (size_t)Rf_xlength(levels));
    } else {
      column = PROTECT(Rf_coerceVector(column, REALSXP));
      failed = perfmodel_table_add_numbers(table, name, REAL(column));
      UNPROTECT(1);
    }
  }
  if (failed)
    perfmodel_table_free(table);
  check(failed);
  return table;
}

static void finish(SEXP model) {
  perfmodel_model_free(R_ExternalPtrAddr(model));
  R_ClearExternalPtr(model);
}

/* A model, freed by R. `options`: a text of JSON. */
SEXP pm_fit(SEXP frame, SEXP options) {
  perfmodel_table* const table = table_of(frame);
  perfmodel_model* const model =
      perfmodel_fit(table, Rf_translateCharUTF8(STRING_ELT(options, 0)), NULL, NULL);
  perfmodel_table_free(table);
  check(model == NULL);
  const SEXP out = PROTECT(R_MakeExternalPtr(model, R_NilValue, R_NilValue));
  R_RegisterCFinalizer(out, finish);
  UNPROTECT(1);
  return out;
}

/* A matrix with a row per time: the time, the lower and the upper end of its interval. */
SEXP pm_predict(SEXP model, SEXP frame, SEXP coverage) {
  perfmodel_table* const table = table_of(frame);
  const R_xlen_t rows = Rf_xlength(VECTOR_ELT(frame, 0));
  const SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)rows, 3));
  double* const times = REAL(out);
  const int failed = perfmodel_predict(R_ExternalPtrAddr(model), table, Rf_asReal(coverage), times,
                                       times + rows, times + 2 * rows);
  perfmodel_table_free(table);
  check(failed);
  UNPROTECT(1);
  return out;
}

/* model.json, which the program reads. */
SEXP pm_json(SEXP model) {
  char* const text = perfmodel_model_to_json(R_ExternalPtrAddr(model));
  check(text == NULL);
  const SEXP out = PROTECT(Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8)));
  perfmodel_text_free(text);
  UNPROTECT(1);
  return out;
}
