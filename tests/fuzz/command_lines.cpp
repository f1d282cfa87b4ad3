#include "fuzz/command_lines.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/app.hpp"
#include "support/sample_runs.hpp"
#include "support/temporary_directory.hpp"

namespace perfmodel::fuzz {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kCommands[] = {"fit",   "predict", "evaluate", "sweep",       "simulate",
                                     "merge", "scaling", "ssgd",     "show",        "plan",
                                     "help",  "suggest", "report",   "completions", "import"};

constexpr const char* kValues[] = {"runs.csv",
                                   "model.json",
                                   "space.json",
                                   "layers.csv",
                                   "set.jsonl",
                                   "out.json",
                                   "out.html",
                                   "-",
                                   "1",
                                   "2",
                                   "20",
                                   "0.5",
                                   "0",
                                   "-1",
                                   "nan",
                                   "",
                                   "p=-2:2",
                                   "C=0:1",
                                   "time_s",
                                   "workers",
                                   "filters",
                                   "activation",
                                   "workers=2",
                                   "filters=8",
                                   "activation=relu",
                                   "none",
                                   "auto",
                                   "multi",
                                   "generic",
                                   "process",
                                   "mae",
                                   "rmsle",
                                   "json",
                                   "csv",
                                   "md",
                                   "html",
                                   "python",
                                   "c",
                                   "text",
                                   "60:20:20",
                                   "1/2",
                                   "2/2",
                                   "all",
                                   "l1",
                                   "1:4",
                                   "mape>10",
                                   "r2<0.5",
                                   "x=filters^2",
                                   "paper",
                                   "scaled",
                                   "1e-3:1:3",
                                   "workers,filters"};

constexpr const char* kSpace = R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
  {"column": "filters", "range": [1, 8]}, {"column": "activation", "values": ["relu", "tanh"]},
  {"column": "workers", "values": [1, 2, 4]}], "extrinsic": ["workers"]})";

/// While it exists, the process works in a folder, reads nothing and writes to a file.
class Elsewhere {
 public:
  Elsewhere(const fs::path& folder, const fs::path& output) : before_(fs::current_path()) {
    fs::current_path(folder);
    const std::array<int, 3> files = {::open("/dev/null", O_RDONLY),
                                      ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600),
                                      ::open("/dev/null", O_WRONLY)};
    for (int i = 0; i < 3; ++i) {
      saved_[static_cast<std::size_t>(i)] = ::dup(i);
      ::dup2(files[static_cast<std::size_t>(i)], i);
      ::close(files[static_cast<std::size_t>(i)]);
    }
  }
  ~Elsewhere() {
    for (int i = 0; i < 3; ++i) {
      ::dup2(saved_[static_cast<std::size_t>(i)], i);
      ::close(saved_[static_cast<std::size_t>(i)]);
    }
    std::error_code ignored;
    fs::current_path(before_, ignored);
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

 private:
  fs::path before_;
  std::array<int, 3> saved_{};
};

/// The folders of the command lines, the names of all options, and the files as they were.
class Workshop {
 public:
  Workshop() {
    fs::create_directory(folder());
    write("runs.csv", test::sample_runs());
    write("model.json", test::sample_model());
    write("space.json", kSpace);
    write("layers.csv",
          "layer,name,t_f_us,t_b_us,grad_bytes\n1,a,310,620,10400\n2,b,950,1900,204800\n");
    for (const auto& [name, text] : files_)
      restore(name);
    run({"fit", "runs.csv", "--by", "activation", "--coverage", "none", "-o", "set.jsonl"});
    write("set.jsonl", test::read_text((folder() / "set.jsonl").string()));
    for (const char* command : kCommands) {
      run({command, "--help-all"});
      const std::string help = test::read_text(output().string());
      Words& options = options_[command];
      for (auto at = help.find("--"); at != std::string::npos; at = help.find("--", at + 2)) {
        const auto end = help.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at);
        if (!help.substr(at, end - at).starts_with("--help"))  // after which nothing is done
          options.push_back(help.substr(at, end - at));
      }
    }
    tidy();
  }

  /// Per command its options, as often as its help has them.
  const std::map<std::string, Words>& options() const { return options_; }

  int run(const Words& words) const {
    std::vector<const char*> arguments = {"perfmodel"};
    for (const std::string& word : words)
      arguments.push_back(word.c_str());
    const Elsewhere elsewhere(folder(), output());
    return cli::run_app(static_cast<int>(arguments.size()), arguments.data());
  }

  /// Removes new files and restores the others. Returns what was written outside of the folder.
  std::string tidy() {
    for (const auto& entry : fs::directory_iterator(folder()))
      if (files_.count(entry.path().filename().string()) == 0)
        fs::remove_all(entry.path());
    for (const auto& [name, text] : files_)
      if (!fs::exists(folder() / name) || fs::last_write_time(folder() / name) != times_[name])
        restore(name);
    std::string out;
    for (const auto& entry : fs::directory_iterator(directory_.path()))
      if (entry.path() != folder() && entry.path() != output())
        out += entry.path().string() + " ";
    return out;
  }

 private:
  test::TemporaryDirectory directory_;
  std::map<std::string, std::string> files_;
  std::map<std::string, fs::file_time_type> times_;
  std::map<std::string, Words> options_;

  fs::path folder() const { return directory_.path() / "inside"; }
  fs::path output() const { return directory_.path() / "output"; }
  void write(const std::string& name, const std::string& text) {
    files_[name] = text;
    restore(name);
  }
  void restore(const std::string& name) {
    directory_.write("inside/" + name, files_[name]);
    times_[name] = fs::last_write_time(folder() / name);
  }
};

/// A word of the bytes themselves, which names no other folder and no number of three digits, since
/// thousands of samples take long.
std::string literal(std::string_view bytes) {
  std::string out;
  std::size_t digits = 0;
  for (const char c : bytes) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
    const bool is_exponent = (c == 'e' || c == 'E') && !out.empty() &&
                             std::isdigit(static_cast<unsigned char>(out.back())) != 0;
    if (c != '\0' && c != '/' && digits <= 2 && !is_exponent && !(c == '.' && out.ends_with('.')))
      out += c;
  }
  return out;
}

/// Each byte is a word of the lists above, an option of the command, with the byte behind it, or
/// the length of a literal word; 255 joins two words by
/// '='.
Words words_of(std::string_view bytes, const std::map<std::string, Words>& options) {
  Words out;
  bool joins = false;
  while (!bytes.empty() && out.size() < 40) {
    const auto byte = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    std::string word;
    if (byte == 255) {
      joins = !out.empty();
      continue;
    }
    if (byte < std::size(kCommands))
      word = kCommands[byte];
    else if (byte < 16 || byte >= 240) {
      const std::size_t length = std::min<std::size_t>(byte % 16, bytes.size());
      word = literal(bytes.substr(0, length));
      bytes.remove_prefix(length);
    } else if (byte < 80) {
      const auto own = options.find(out.empty() ? "fit" : out.front());
      const Words& known = own == options.end() ? options.at("fit") : own->second;
      word = known[((byte - 16U) * 4U +
                    (bytes.empty() ? 0U : static_cast<std::uint8_t>(bytes.front()) % 4U)) %
                   known.size()];
      bytes.remove_prefix(bytes.empty() ? 0 : 1);
    } else {
      word = kValues[(byte - 80U) % std::size(kValues)];
    }
    if (joins)
      out.back() += "=" + word;
    else
      out.push_back(word);
    joins = false;
  }
  return out;
}

}  // namespace

void read_command_line(std::string_view bytes) {
  static Workshop workshop;
  const Words words = words_of(bytes, workshop.options());
  for (const std::string& word : words)
    if (word == "compare")
      return;
  const int code = workshop.run(words);
  const std::string elsewhere = workshop.tidy();
  std::string line = "perfmodel";
  for (const std::string& word : words)
    line += " '" + word + "'";
  constexpr std::array codes = {0, 2, 3, 4, 5, 6};
  if (std::find(codes.begin(), codes.end(), code) == codes.end())
    throw std::logic_error("exit code " + std::to_string(code) + ": " + line);
  if (!elsewhere.empty())
    throw std::logic_error(elsewhere + "is written by " + line);
}

}  // namespace perfmodel::fuzz
