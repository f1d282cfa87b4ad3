# perfmodel from R: Rscript perfmodel.R RUNS.csv, beside perfmodel.so, which perfmodel.c becomes by
#
#   PKG_CPPFLAGS=-I/path/to/include PKG_LIBS='-L/path/to/lib -lperfmodel' R CMD SHLIB perfmodel.c
#
dyn.load("perfmodel.so")

perfmodel_fit <- function(frame, options) .Call("pm_fit", frame, options)
perfmodel_predict <- function(model, frame, coverage = 0.9) {
  columns <- .Call("pm_predict", model, frame, coverage)
  data.frame(time = columns[, 1], lower = columns[, 2], upper = columns[, 3])
}

runs <- read.csv(commandArgs(trailingOnly = TRUE)[1], stringsAsFactors = TRUE)
model <- perfmodel_fit(runs, '{"target": "time_s", "expression": "multi", "terms": 1}')
print(perfmodel_predict(model, head(runs, 3)), digits = 10)
writeLines(.Call("pm_json", model), "model.json")
