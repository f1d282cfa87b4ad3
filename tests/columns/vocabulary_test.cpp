#include "roles/vocabulary.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"

namespace perfmodel {

extern const std::string_view kVocabulary;

namespace {

using Words = std::vector<std::string>;

TEST_CASE("names are cut into words, whatever joins these", "[roles][vocabulary]") {
  CHECK(name_parts("peakRSS").words == Words{"peak", "rss"});
  CHECK(name_parts("gpu_mem_used").words == Words{"gpu", "mem", "used"});
  CHECK(name_parts("walltime").words == Words{"wall", "time"});
  CHECK(name_parts("run.config.gpus").path == Words{"run", "config"});
  CHECK(name_parts("run.config.gpus").words == Words{"gpus"});
  CHECK(name_parts("No. Ranks").path.empty());
  CHECK(name_parts("").words.empty());
}

TEST_CASE("a unit is told from what it is the unit of", "[roles][vocabulary]") {
  for (const char* name : {"Time (s)", "time_s", "Time [s]", "time, s"}) {
    INFO(name);
    CHECK(name_parts(name).head == "time");
    CHECK(name_parts(name).units == Words{"s"});
  }
  CHECK(name_parts("tokens_per_s").per_time);
  CHECK_FALSE(name_parts("time_per_step").per_time);
  CHECK(name_parts("time_per_step").per_thing);
}

TEST_CASE("words of four other languages have their kinds, with or without accents",
          "[roles][vocabulary]") {
  for (const char* name : {"Laufzeit", "Dauer (s)", "temps", "tiempo", "dur\u00e9e", "tempo"}) {
    INFO(name);
    CHECK(names_time(name));
  }
  CHECK(kinds_of("gr\u00f6\u00dfe") == kinds_of("size"));
  CHECK(name_parts("Gr\u00f6\u00dfe [GiB]").head == "gr\u00f6\u00dfe");
}

TEST_CASE("plurals and quantiles are known and other words are not", "[roles][vocabulary]") {
  CHECK(kinds_of("times") == kinds_of("time"));
  CHECK(kinds_of("p95") == kinds_of("p99"));
  CHECK(kinds_of("p50") == kinds_of("median"));
  CHECK(kinds_of("filters_of") == 0);
}

TEST_CASE("names of what runs measure are told from those of settings", "[roles][vocabulary]") {
  const auto [name, measured] = GENERATE(table<std::string, bool>({
      {"throughput", true},
      {"Throughput (tok/s)", true},
      {"steps_per_s", true},
      {"images/sec", true},
      {"mfu", true},
      {"gpu_util", true},
      {"GPU Utilization %", true},
      {"util_p99", true},
      {"tflops", true},
      {"loss", true},
      {"test_acc", true},
      {"accuracy", true},
      {"forward_ms", true},
      {"io_time", true},
      {"compile_time_s", true},
      {"latency", true},
      {"elapsed", true},
      {"wall", true},
      {"peak_memory_mb", true},
      {"gpu_mem_used", true},
      {"speedup", true},
      {"learning_rate", false},
      {"seq_len", false},
      {"time_limit", false},
      {"timeout_s", false},
      {"filters", false},
      {"gpus", false},

      {"k", false},

      {"dropout", false},
      {"class", false},
      {"limit_ms", false},
      {"epochs", false},
      {"", false},
  }));
  INFO(name);
  CHECK(names_measured(name) == measured);
}

TEST_CASE("the vocabulary has at most 500 English words", "[roles][vocabulary]") {
  std::set<std::string> words;
  for (std::string_view rest = kVocabulary; !rest.empty();) {
    const std::string line(take_line(rest));
    if (const Words fields = split_list(line, '\t'); !line.starts_with('#') && fields.size() > 1)
      for (const std::string& word : words_of_line(fields[1]))
        words.insert(word);
  }
  CHECK(words.size() > 400);
  CHECK(words.size() <= 500);
}

}  // namespace
}  // namespace perfmodel
