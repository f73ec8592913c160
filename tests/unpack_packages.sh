#!/bin/sh
# unpack_packages.sh FOLDER "PACKAGE ...": unpack Debian packages, and those of their dependencies that are not installed,
# into a new folder. Nothing is installed, and no root is needed.
set -eu
references=$1
packages=$2
rm -rf "$references"
mkdir -p "$references/lists/partial" "$references/archives/partial" "$references/bin"
cd "$references/archives"

apt() {
  apt-get -o Dir::State::lists="$references/lists" -o Dir::Cache::archives="$references/archives" \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User= "$@"
}
apt update
# shellcheck disable=SC2086
apt --simulate --no-install-recommends install $packages >../plan
# Lines of the plan: Inst NAME [OLD VERSION] (VERSION ORIGIN [ARCHITECTURE]) ...
# shellcheck disable=SC2046
apt download $(sed -n 's/^Inst \([^ ]*\) [^(]*(\([^ ]*\) .*/\1=\2/p' ../plan)
for package in *.deb; do dpkg-deb -x "$package" "$references"; done
cd "$references"
rm -rf lists archives plan

# Two programs that rely on what an installation sets up.
if [ -x usr/sbin/slurmctld-wlm ]; then ln -s ../usr/sbin/slurmctld-wlm bin/slurmctld; fi
if [ -x usr/bin/iverilog ]; then
  printf '#!/bin/sh\nexec "%s" -B "%s" "$@"\n' "$references/usr/bin/iverilog" \
    "$(echo "$references"/usr/lib/*/ivl)" >bin/iverilog
  chmod +x bin/iverilog
fi
echo "$packages" >packages
