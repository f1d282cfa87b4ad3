#pragma once

#include <memory>

#include "base/tasks/processes.hpp"

namespace perfmodel::cli {

/// The processes of the MPI job that this one is of; nothing where it was started on its own, or
/// the program was built without MPI. To be asked for once.
std::unique_ptr<Processes> processes_of_job();

/// Where process 0 does not come as far as its work, the others do not wait for it.
class JobStart {
 public:
  explicit JobStart(Processes* job) : job_(job) {}
  JobStart(const JobStart&) = delete;
  JobStart& operator=(const JobStart&) = delete;
  ~JobStart() { tell(false); }

  void begin() { tell(true); }
  /// Of the others.
  static bool begins(Processes& job) { return job.receive(0) == "begin"; }

 private:
  Processes* job_;

  void tell(bool begins);
};

}  // namespace perfmodel::cli
