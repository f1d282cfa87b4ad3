#include "cli/app/app.hpp"

int main(int argc, char** argv) {
  return perfmodel::cli::run_app(argc, argv);
}
