#define PERFMODEL_KERNEL_WIDTH 2
#define PERFMODEL_KERNEL_NAME evaluate_baseline
#include "fit/evaluate.inc"
#undef PERFMODEL_KERNEL_NAME  // other kernels of the same unit have another
