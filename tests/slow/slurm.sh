#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A planned sweep as jobs of a real Slurm: one controller and two nodes on this host, in a folder of their own. 40 cases, of
# which one is refused and one needs more time than a job has, and a node that is lost in the middle.
#
#   tests/slow/slurm.sh TRAMMEL      (root rights, Debian's slurm-wlm and munge)
set -euo pipefail

trammel="$1"
folder="$(mktemp -d)"
export SLURM_CONF="$folder/slurm.conf"

fail() {
  echo "FAILED: $*" >&2
  tail -n 5 "$folder"/*.log "$folder"/study/slurm_*.txt >&2 || true
  exit 1
}

# Ends at once what belongs to this cluster, which knows its folder by SLURM_CONF: all of it, or the jobs of one node, their
# supervisors first, as when a node is lost.
kill_all() { # node, or nothing
  local process parent jobs=() supervisors=()
  for process in $(grep -lsaF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ | tr -dc '0-9\n'); do
    [ "$process" = $$ ] && continue
    if [ $# -gt 0 ]; then
      grep -qsa "SLURMD_NODENAME=$1" "/proc/$process/environ" || continue
      parent="$(sed -n 's/^PPid:\t//p' "/proc/$process/status" 2>/dev/null)" || continue
      grep -qs slurmstepd "/proc/$parent/comm" && supervisors+=("$parent")
    fi
    jobs+=("$process")
  done
  for process in "${supervisors[@]}" "${jobs[@]}"; do kill -KILL "$process" 2>/dev/null || true; done
}

end() {
  local code=$?
  kill_all
  sleep 1
  kill_all # what was begun meanwhile
  rm -rf "$folder"
  exit "$code"
}
trap end EXIT

begin_node() { slurmd -c -N "$1" -f "$SLURM_CONF" -L "$folder/node_$1.log"; }

# ---- a cluster -------------------------------------------------------------------------------------------------------
chmod 755 "$folder"
mkdir "$folder/state" "$folder/spool_one" "$folder/spool_two" "$folder/munge"
chown -R munge:munge "$folder/munge"
head -c 1024 /dev/urandom >"$folder/munge/key"
chown munge:munge "$folder/munge/key"
chmod 400 "$folder/munge/key"
SLURM_CONF="$SLURM_CONF" runuser -u munge -- munged --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
  --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=46817
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
CryptoType=crypto/munge
SlurmUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool_%n
SlurmctldPidFile=$folder/controller.pid
SlurmdPidFile=$folder/node_%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdTimeout=15
KillWait=5
ReturnToService=2
MailProg=/bin/true
MpiDefault=none
SchedulerParameters=sched_interval=5,bf_interval=5
NodeName=one NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=46818 CPUs=1 State=UNKNOWN
NodeName=two NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=46819 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
CONF
slurmctld -c -f "$SLURM_CONF" -L "$folder/controller.log"
begin_node one
begin_node two
for _ in $(seq 60); do
  [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ] && break
  sleep 1
done
[ "$(sinfo --noheader --format=%T)" = idle ] || fail "no cluster"

# ---- a plan ----------------------------------------------------------------------------------------------------------
cd "$folder"
cat >arm.toml <<'MODEL'
[parameters]
m = 1
span = 20
[[body]]
name = "arm"
mass = "m"
shape = { kind = "rod", length = 1, axis = "x" }
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = "y"
[[measure]]
name = "angle"
expression = "hinge.angle"
[analysis]
end = "span"
[solver]
integrator = "generalized_alpha"
h = 1e-4
[output]
interval = 1
MODEL
{
  echo "parameters.m,parameters.span"
  for i in $(seq 40); do
    case "$i" in
      7) echo "-1,20" ;;     # refused
      11) echo "11,8000" ;; # two minutes and more, and a job has one until it is told to end
      *) echo "$i,20" ;;
    esac
  done
} >cases.csv
"$trammel" sweep arm.toml --list cases.csv --plan study
"$trammel" sweep --slurm submit study --cases-per-job 4 --time 2
"$trammel" sweep --slurm status study
"$trammel" sweep --slurm submit study --cases-per-job 4 && fail "submitted twice"

# ---- a node is lost --------------------------------------------------------------------------------------------------
for _ in $(seq 120); do
  [ "$(ls study/case_*.h5 2>/dev/null | wc -l)" -ge 3 ] && break
  sleep 1
done
job="$(squeue --noheader --nodelist=two --states=RUNNING --format=%i | head -n 1)"
echo "node two is lost with job ${job:-none}"
kill -KILL "$(cat "$folder/node_two.pid")"
kill_all two # what ran on it
sleep 20
begin_node two

# ---- all that is left ------------------------------------------------------------------------------------------------
for _ in $(seq 600); do # minutes on an idle machine
  left="$(squeue --noheader)" && [ -z "$left" ] && break # a busy controller may not answer
  sleep 5
done
[ -z "$left" ] || fail "jobs are left: $left"
code=0
"$trammel" sweep --collect study || code=$?
[ "$code" = 3 ] || fail "exit code $code: one case is refused"
[ "$(grep -c 'reached the end' study/cases.csv)" = 39 ] || fail "not all cases are there: $(cat study/cases.csv)"
grep -q '^7,-1,20,refused' study/cases.csv || fail "case 7 is not named"
grep -q 'reached the end, t = 8000 s' study/cases.csv || fail "case 11 did not go on"
grep -q 'parameters.m=11 .*: stopped' study/slurm_2.txt || fail "case 11 met no time limit"
grep -qi requeue study/slurm_2.txt controller.log || fail "no job was put back into the queue"
echo "40 cases: 39 done, 1 refused and named"
