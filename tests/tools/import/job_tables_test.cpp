#include <string>

#include "import/readers.hpp"
#include "support/catch.hpp"

namespace perfmodel {
namespace {

// Invented jobs in the format of `sacct -P`.
const std::string kJobs =
    "JobID|JobName|State|ExitCode|Elapsed|TotalCPU|MaxRSS|AveRSS|AllocCPUS|ReqMem\n"
    "101|train|COMPLETED|0:0|00:12:31|01:40:00||||16G\n"
    "101.batch|batch|COMPLETED|0:0|00:12:31|00:00:02|900K|900K|8|\n"
    "101.extern|extern|COMPLETED|0:0|00:12:31|00:00:00|0|0|8|\n"
    "101.0|python|COMPLETED|0:0|00:12:20|01:39:58|3.5G|2G|8|\n"
    "102_4|train|TIMEOUT|0:0|1-00:00:00|1-01:00:00|||16|32G\n"
    "102_4.batch|batch|CANCELLED|0:15|1-00:00:00|00:00:02|800K|800K|16|\n"
    "102_4.0|python|COMPLETED|0:0|1-00:00:00|00:00:02|8G|8G|16|\n"
    "103|train|CANCELLED by 1000|0:0|00:00:07|00:00:00|||16|32G\n"
    "104|train|OUT_OF_MEMORY|0:125|00:01:07|00:01:00|||16|1G\n"
    "105|train|RUNNING|0:0|00:01:07|00:00:00|||16|1G\n"
    "106|train|REQUEUED|0:0|00:01:07|00:00:00|||16|1G\n";

TEST_CASE("steps of Slurm are joined to their jobs, and jobs that failed have no results",
          "[job-tables]") {
  CHECK(joined_job_table(kJobs, "jobs.txt") ==
        "JobID,JobName,State,ExitCode,Elapsed,TotalCPU,MaxRSS,AveRSS,AllocCPUS,ReqMem\n"
        "101,train,COMPLETED,0:0,00:12:31,01:40:00,3.5G,2G,,16G\n"
        "102_4,train,TIMEOUT,timeout,timeout,timeout,timeout,timeout,16,32G\n"
        "103,train,CANCELLED by 1000,cancelled,cancelled,cancelled,cancelled,cancelled,16,32G\n"
        "104,train,OUT_OF_MEMORY,out_of_memory,out_of_memory,out_of_memory,out_of_memory,"
        "out_of_memory,16,1G\n"
        "105,train,RUNNING,running,running,running,running,running,16,1G\n"
        "106,train,REQUEUED,failed,failed,failed,failed,failed,16,1G\n");
}

TEST_CASE("tasks of Nextflow that failed have no results, and have a process", "[job-tables]") {
  CHECK(joined_job_table("task_id\tname\tstatus\texit\trealtime\tpeak_rss\tcpus\n"
                         "1\tALIGN (sample 1)\tCOMPLETED\t0\t1m 30s\t2.1 GB\t4\n"
                         "2\tALIGN (sample 2)\tFAILED\t137\t12s\t0\t4\n"
                         "3\tREPORT:ALL\tCACHED\t0\t350ms\t3 MB\t1\n"
                         "4\tREPORT:ALL\tABORTED\t-\t-\t-\t1\n",
                         "trace.txt") ==
        "task_id,name,process,status,exit,realtime,peak_rss,cpus\n"
        "1,ALIGN (sample 1),ALIGN,COMPLETED,0,1m 30s,2.1 GiB,4\n"
        "2,ALIGN (sample 2),ALIGN,FAILED,oom,oom,oom,4\n"
        "3,REPORT:ALL,REPORT:ALL,CACHED,0,350ms,3 MiB,1\n"
        "4,REPORT:ALL,REPORT:ALL,ABORTED,aborted,aborted,aborted,1\n");
}

TEST_CASE("separators at the ends of lines do not count", "[job-tables]") {
  std::string text;
  for (const char c : kJobs)
    text += c == '\n' ? std::string("|\n") : std::string(1, c);
  CHECK(is_job_table(text));
  CHECK(joined_job_table(text, "jobs.txt") == joined_job_table(kJobs, "jobs.txt"));
  // Tables of other columns, and a last line without its end.
  CHECK(joined_job_table("Elapsed|NNodes|\r\n00:01:00|2|\r\n00:00:30|4|", "jobs.txt") ==
        "Elapsed|NNodes\n00:01:00|2\n00:00:30|4\n");
}

TEST_CASE("rows in states that no scheduler knows are not taken for jobs", "[job-tables]") {
  CHECK_FALSE(joined_job_table("JobID,State,Elapsed\n1,COMPLETED,5\n2,done,6\n", "jobs.csv"));
  CHECK(joined_job_table("JobID,State,Elapsed\n1,COMPLETED,5\n2,CANCELLED by 7,6\n", "jobs.csv"));
  CHECK_FALSE(joined_job_table("task_id,status,realtime\n1,TIMEOUT,5s\n", "trace.csv"));
  CHECK(joined_job_table("task_id,status,realtime\n1,CACHED,5s\n", "trace.csv"));
}

TEST_CASE("other tables are not taken for tables of jobs", "[job-tables]") {
  for (const std::string text :
       {"", "JobID", "gpus,time_s\n1,2\n", "JobID,Elapsed\n1,2\n", "task_id,status\n1,COMPLETED\n",
        "jobid|state\n1|COMPLETED\n", "\"JobID|State\n"}) {
    INFO(text);
    CHECK_FALSE(is_job_table(text));
    CHECK_FALSE(joined_job_table(text, "jobs.txt"));
  }
  CHECK_THROWS_WITH(
      joined_job_table("JobID|State\n1|COMPLETED\n2\n", "jobs.txt"),
      "jobs.txt:3: 1 field, but the header has 2 columns; add what is missing or remove the line");
  CHECK(is_job_table(kJobs.substr(0, kJobs.find('\n'))));
}

}  // namespace
}  // namespace perfmodel
