#!/usr/bin/env bash
# Runs a command while a Slurm of this machine alone is up: with_slurm.sh COMMAND... Needs root and
# Debian's packages slurmctld, slurmd, slurm-client and munge.
set -euo pipefail

work=$(mktemp -d)
chmod 755 "$work" # the daemon of munge checks the way to its socket
host=$(hostname -s)

stop() {
    for daemon in slurmd slurmctld munged; do
        [ ! -s "$work/$daemon.pid" ] || kill "$(cat "$work/$daemon.pid")" || true
    done
    sleep 1 # they still write to the folder
    rm -rf "$work"
}
trap stop EXIT

head -c 1024 /dev/urandom >"$work/munge.key"
chmod 400 "$work/munge.key"
munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" \
    --pid-file="$work/munged.pid" --log-file="$work/munged.log" --seed-file="$work/munge.seed"

# Four cores, which the machine need not have: jobs ask for as many.
mkdir "$work/state" "$work/spool"
cat >"$work/slurm.conf" <<END
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=16817
SlurmdPort=16818
AuthInfo=socket=$work/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 Boards=1 SocketsPerBoard=1 CoresPerSocket=4 ThreadsPerCore=1
PartitionName=all Nodes=ALL Default=YES
END
export SLURM_CONF=$work/slurm.conf
slurmctld
slurmd
for _ in $(seq 50); do
    [ "$(sinfo --noheader --format %t 2>/dev/null)" != idle ] || break
    sleep 0.2
done
"$@"
