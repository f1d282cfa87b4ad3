#define PERFMODEL_KERNEL_WIDTH 4
#define PERFMODEL_KERNEL_NAME evaluate_avx2
#include "fit/evaluate.inc"
