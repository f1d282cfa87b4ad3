#define PERFMODEL_KERNEL_WIDTH 8
#define PERFMODEL_KERNEL_NAME evaluate_avx512
#include "fit/evaluate.inc"
