#!/bin/sh
# Runs a command on a host of a testbed. MPI launchers call it as they would call ssh:
#
#   enter.sh [-OPTION ...] HOST COMMAND ...
#
# The host is the network namespace $SORTLAST_TESTBED_PREFIX$HOST. The command also gets what tells hosts apart
# beside the network: a name of its own, processes of its own, and neither System V memory nor /dev/shm nor
# TMPDIR in common with other hosts.
set -eu

# Options are meant for ssh.
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift

# As with ssh, the words of the command make a line for a shell.
# shellcheck disable=SC2016
exec ip netns exec "${SORTLAST_TESTBED_PREFIX-}$host" \
  unshare --uts --ipc --pid --fork --kill-child --mount-proc sh -ec '
    mount -t tmpfs tmpfs /dev/shm
    echo "$1" >/proc/sys/kernel/hostname
    export TMPDIR=/dev/shm
    eval "$2"' sh "$host" "$*"
