#!/bin/sh
# Runs a command on a host of the testbed. MPI launchers call it as they would call ssh:
#
#   enter.sh [-OPTION ...] HOST COMMAND ...
#
# HOST is a network namespace. The command also gets what tells hosts apart beside the network: a name of its
# own, no System V memory and no /dev/shm in common with other hosts.
set -eu

# Options are meant for ssh.
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift

# ip has unshared the mounts already. As with ssh, the words of the command make a line for a shell.
# shellcheck disable=SC2016
exec ip netns exec "$host" unshare --uts --ipc sh -euc '
  mount -t tmpfs tmpfs /dev/shm
  echo "$1" >/proc/sys/kernel/hostname
  eval "$2"' sh "$host" "$*"
