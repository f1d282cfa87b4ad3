#include "cli/runs/job_processes.hpp"

#ifdef PERFMODEL_WITH_MPI
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#endif

namespace perfmodel::cli {

#ifdef PERFMODEL_WITH_MPI
namespace {

/// MPI counts bytes in an int.
constexpr std::uint64_t kMostBytesAtOnce = std::uint64_t{1} << 30;

class MpiProcesses : public Processes {
 public:
  MpiProcesses() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &number_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }
  /// Who waits for one that fails is ended by what has started the job, and would wait here else.
  ~MpiProcesses() override {
    if (number_ == 0 || std::uncaught_exceptions() == 0)
      MPI_Finalize();
  }

  std::size_t number() const override { return static_cast<std::size_t>(number_); }
  std::size_t count() const override { return static_cast<std::size_t>(count_); }

  void send(std::size_t to, std::string_view bytes) override {
    const std::uint64_t size = bytes.size();
    MPI_Send(&size, 1, MPI_UINT64_T, static_cast<int>(to), 0, MPI_COMM_WORLD);
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kMostBytesAtOnce);
      MPI_Send(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, static_cast<int>(to), 0,
               MPI_COMM_WORLD);
      bytes.remove_prefix(piece.size());
    }
  }

  std::string receive(std::size_t from) override {
    std::uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, static_cast<int>(from), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::string bytes(size, '\0');
    for (std::uint64_t at = 0; at < size; at += kMostBytesAtOnce) {
      MPI_Recv(bytes.data() + at, static_cast<int>(std::min(size - at, kMostBytesAtOnce)), MPI_BYTE,
               static_cast<int>(from), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return bytes;
  }

 private:
  int number_ = 0;
  int count_ = 1;
};

/// What starts the processes of a job says so in their environment: Open MPI, PMIx, PMI.
bool is_in_job() {
  constexpr std::array kVariables = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  return std::any_of(kVariables.begin(), kVariables.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

std::unique_ptr<Processes> processes_of_job() {
  return is_in_job() ? std::make_unique<MpiProcesses>() : nullptr;
}
#else
std::unique_ptr<Processes> processes_of_job() {
  return nullptr;
}
#endif

void JobStart::tell(bool begins) {
  if (job_ == nullptr)
    return;
  for (std::size_t to = 1; to < job_->count(); ++to)
    job_->send(to, begins ? "begin" : "end");
  job_ = nullptr;
}

}  // namespace perfmodel::cli
