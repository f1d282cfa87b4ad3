#include "pipeline/large/read_large_runs.hpp"

#include <future>
#include <string_view>

#include "io/file/digest.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// How a message of a process begins.
const std::string kRead = "read:";
const std::string kFailed = "failed:";
const std::string kTooMany = "too many:";

}  // namespace

std::optional<LabelledRuns> read_large_runs(const LargeRuns& runs, Processes& processes,
                                            const ReadProgress& progress) {
  const std::size_t number = processes.number();
  LargePart own = runs.empty();
  std::string failure;
  try {
    own = runs.read(number, processes.count(), progress);
  } catch (const TooManyRows& error) {
    failure = kTooMany + error.what();
  } catch (const InputError& error) {
    failure = kFailed + error.what();
  }
  for (std::size_t step = 1; step < processes.count(); step *= 2) {
    if (number % (2 * step) != 0) {
      processes.send(number - step, failure.empty() ? kRead + own.bytes() : failure);
      return std::nullopt;
    }
    if (number + step >= processes.count())
      continue;
    const std::string message = processes.receive(number + step);
    if (failure.empty() && !message.starts_with(kRead))
      failure = message;
    if (!failure.empty())
      continue;
    try {
      own.append_bytes(std::string_view(message).substr(kRead.size()));
    } catch (const TooManyRows& error) {
      failure = kTooMany + error.what();
    }
  }
  if (failure.starts_with(kTooMany))
    throw TooManyRows(failure.substr(kTooMany.size()));
  if (!failure.empty())
    throw InputError(failure.substr(kFailed.size()));
  return runs.labelled(own, "");
}

LabelledRuns read_large_runs(const LargeRuns& runs, const std::string& path,
                             const ReadProgress& progress) {
  if (runs.pipe() != nullptr) {
    const LargePart whole = runs.read(0, 1, progress);
    return runs.labelled(whole, runs.pipe()->sha256());
  }
  std::future<std::string> digest =
      std::async(std::launch::async, [&path] { return sha256_of_file(path); });
  const LargePart whole = runs.read(0, 1, progress);
  return runs.labelled(whole, digest.get());
}

}  // namespace perfmodel
