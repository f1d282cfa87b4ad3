// write_schemas FOLDER: writes the JSON schema of each document that the program knows.
#include <filesystem>
#include <fstream>

#include "base/json.hpp"
#include "list.hpp"
#include "report/documents.hpp"

int main(int, char** arguments) {
  perfmodel::add_tools();
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  for (const auto& [name, schema] : perfmodel::json_schemas())
    if (!(std::ofstream(folder / (name + ".json")) << perfmodel::document_text(schema)))
      return 1;
}
