#define PERFMODEL_KERNEL_WIDTH 2
#define PERFMODEL_KERNEL_NAME baseline
#include "gp/matern.inc"
