#pragma once

#include <functional>
#include <memory>

#include "base/tasks/processes.hpp"

namespace perfmodel::cli {

class JobProcesses : public Processes {
 public:
  /// Asked by the others: whether process 0 ends, which may take some seconds.
  virtual bool first_ends() = 0;
};

/// The processes of the MPI job that this one is of; nothing where it was started on its own, or
/// the program was built without MPI. To be asked for once.
std::unique_ptr<JobProcesses> processes_of_job();

/// Where process 0 does not come as far as its work, the others do not wait for it.
class JobStart {
 public:
  explicit JobStart(Processes* job) : job_(job) {}
  JobStart(const JobStart&) = delete;
  JobStart& operator=(const JobStart&) = delete;
  ~JobStart() { tell(false); }

  void begin() { tell(true); }

 private:
  Processes* job_;

  void tell(bool begins);
};

/// What the others do once process 0 begins. An error that ends process 0 as well is told by that
/// one alone.
void serve_in_job(JobProcesses& job, const std::function<void()>& serve);

}  // namespace perfmodel::cli
