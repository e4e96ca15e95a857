# A Slurm cluster on this machine alone: munged, slurmctld and two slurmd, each with its own folders and ports
# under $work. Sourced by tests that need one, after lib.sh.
#
# Two clusters at once do not meet: ports are drawn and tried, every folder lies under $work, and SLURM_CONF
# names this one. Nothing waits without an end.

# missing: what this machine lacks, "" where it has all
missing() {
    local p
    for p in munged slurmctld slurmd sbatch squeue scontrol; do
        command -v "$p" >/dev/null || { echo "$p is not installed (slurm-wlm and munge)" && return; }
    done
    [ "$(id -u)" = 0 ] || echo "slurmd needs root"
}

# until SECONDS COMMAND …: tries it until it holds; not longer than that
until_true() {
    local end=$((SECONDS + $1))
    shift
    while ! "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.1
    done
}

free_port() { # sets port
    while :; do
        port=$((20000 + RANDOM % 12000))
        ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && [[ " ${ports[*]-} " != *" $port "* ]] && break
    done
    ports+=("$port")
}

daemons=()
# background NAME COMMAND …: a daemon that stop_cluster ends
background() {
    local log=$work/slurm/$1.txt
    shift
    "$@" >>"$log" 2>&1 </dev/null &
    daemons+=($!)
}

start_controller() {
    background slurmctld slurmctld -D -f "$SLURM_CONF"
    controller=${daemons[-1]}
    until_true 20 eval 'scontrol ping 2>/dev/null | grep -q "is UP"'
}
start_node() { background "$1" slurmd -D -N "$1" -f "$SLURM_CONF"; }

# start_cluster [LINE …]: lines for slurm.conf
start_cluster() {
    local node line
    ports=()
    mkdir -p "$work/slurm/state" "$work/slurm/munge"
    chmod 755 "$work" # for the daemons
    export SLURM_CONF=$work/slurm/slurm.conf
    head -c 1024 /dev/urandom >"$work/slurm/munge/key"
    chmod 700 "$work/slurm/munge"
    chmod 400 "$work/slurm/munge/key"
    background munged munged --foreground --force --key-file "$work/slurm/munge/key" --socket "$work/slurm/munge/socket" \
        --pid-file "$work/slurm/munge/pid" --log-file "$work/slurm/munge/log" --seed-file "$work/slurm/munge/seed"
    until_true 20 test -S "$work/slurm/munge/socket" || return 1
    free_port
    cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$work/slurm/munge/socket,cred_expire=5
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool-%n
SlurmctldPidFile=$work/slurm/slurmctld.pid
SlurmdPidFile=$work/slurm/slurmd-%n.pid
SlurmctldLogFile=$work/slurm/slurmctld.log
SlurmdLogFile=$work/slurm/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=1,bf_interval=2
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=5
MinJobAge=60
InactiveLimit=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
END
    for node in one two; do
        free_port
        echo "NodeName=$node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$port CPUs=${CPUS:-1} RealMemory=100000 State=UNKNOWN" >>"$SLURM_CONF"
    done
    echo "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP" >>"$SLURM_CONF"
    for line in "$@"; do echo "$line" >>"$SLURM_CONF"; done
    for node in one two; do mkdir -p "$work/slurm/spool-$node"; done
    start_controller || return 1
    start_node one
    start_node two
    until_true 30 eval '[ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" = 2 ]'
}

stop_cluster() {
    scancel --me >/dev/null 2>&1
    local pid
    for pid in "${daemons[@]+"${daemons[@]}"}"; do kill "$pid" 2>/dev/null; done
    until_true 10 eval '! kill -0 "${daemons[@]}" 2>/dev/null'
    for pid in "${daemons[@]+"${daemons[@]}"}"; do kill -KILL "$pid" 2>/dev/null; done
    wait 2>/dev/null
}
