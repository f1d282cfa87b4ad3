#include "cli/runs/job_processes.hpp"

#ifdef PERFMODEL_WITH_MPI
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <thread>
#endif

#include <string>
#include <string_view>

#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::string_view kBegins = "begins";

}  // namespace

#ifdef PERFMODEL_WITH_MPI
namespace {

/// MPI counts bytes in an int.
constexpr std::uint64_t kMostBytesAtOnce = std::uint64_t{1} << 30;
/// What a message is: a part of the work, or process 0's last word.
constexpr int kWork = 0;
constexpr int kEnd = 1;
/// Process 0 may come to the same error later than others.
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kNap{1};

class MpiProcesses : public JobProcesses {
 public:
  MpiProcesses() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &number_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }
  /// All end together; who fails alone is not waited for: what has started the job ends it then.
  ~MpiProcesses() override {
    if (number_ == 0) {
      for (int to = 1; to < count_; ++to)
        MPI_Send(nullptr, 0, MPI_BYTE, to, kEnd, MPI_COMM_WORLD);
    } else {
      if (std::uncaught_exceptions() > 0)
        return;
      while (!has_message(0, kEnd))
        std::this_thread::sleep_for(kNap);
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, kEnd, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
  }

  std::size_t number() const override { return static_cast<std::size_t>(number_); }
  std::size_t count() const override { return static_cast<std::size_t>(count_); }

  void send(std::size_t to, std::string_view bytes) override {
    const std::uint64_t size = bytes.size();
    MPI_Send(&size, 1, MPI_UINT64_T, static_cast<int>(to), kWork, MPI_COMM_WORLD);
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kMostBytesAtOnce);
      MPI_Send(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, static_cast<int>(to), kWork,
               MPI_COMM_WORLD);
      bytes.remove_prefix(piece.size());
    }
  }

  std::string receive(std::size_t from) override {
    await_message(static_cast<int>(from));
    std::uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, static_cast<int>(from), kWork, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    std::string bytes(size, '\0');
    for (std::uint64_t at = 0; at < size; at += kMostBytesAtOnce) {
      MPI_Recv(bytes.data() + at, static_cast<int>(std::min(size - at, kMostBytesAtOnce)), MPI_BYTE,
               static_cast<int>(from), kWork, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return bytes;
  }

  bool first_ends() override {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!has_message(0, kEnd)) {
      if (std::chrono::steady_clock::now() > until)
        return false;
      std::this_thread::sleep_for(kNap);
    }
    return true;
  }

 private:
  int number_ = 0;
  int count_ = 1;

  static bool has_message(int from, int kind) {
    int flag = 0;
    MPI_Iprobe(from, kind, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  }

  /// Nobody sends what process 0 does not wait for any more.
  void await_message(int from) const {
    while (!has_message(from, kWork)) {
      if (number_ != 0 && has_message(0, kEnd) && !has_message(from, kWork))
        throw InputError("process 0 of the job has ended");
      std::this_thread::yield();
    }
  }
};

/// What starts the processes of a job says so in their environment: Open MPI, PMIx, PMI.
bool is_in_job() {
  constexpr std::array kVariables = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  return std::any_of(kVariables.begin(), kVariables.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

std::unique_ptr<JobProcesses> processes_of_job() {
  return is_in_job() ? std::make_unique<MpiProcesses>() : nullptr;
}
#else
std::unique_ptr<JobProcesses> processes_of_job() {
  return nullptr;
}
#endif

void serve_in_job(JobProcesses& job, const std::function<void()>& serve) {
  try {
    if (job.receive(0) == kBegins)
      serve();
  } catch (const Error&) {
    if (!job.first_ends())
      throw;
  }
}

void JobStart::tell(bool begins) {
  if (job_ == nullptr)
    return;
  for (std::size_t to = 1; to < job_->count(); ++to)
    job_->send(to, begins ? kBegins : "not");
  job_ = nullptr;
}

}  // namespace perfmodel::cli
