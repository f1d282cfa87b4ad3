#define PERFMODEL_PRODUCTS_WIDTH 2
#define PERFMODEL_PRODUCTS_NAME add_baseline
#include "fit/multi/weighted_products.inc"
