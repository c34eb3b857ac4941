#!/bin/sh
# boot-systemd.sh ROOT REPOSITORY CGROUP_MOUNT: boots systemd as process 1 of new namespaces. Its root is an overlay in
# memory over this machine's root, with the repository at /opt/cardport. All of it disappears with the namespaces.
set -eu
if [ "$$" != 1 ]; then
  mkdir -p "$3/$(basename "$1")"
  echo $$ > "$3/$(basename "$1")/cgroup.procs"
  exec unshare --pid --fork --kill-child --mount --uts --ipc --net --cgroup "$0" "$@"
fi
root=$1/root
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$root"
mkdir -p "$root/opt/cardport"
mount --bind "$2" "$root/opt/cardport"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for folder in run tmp; do mount -t tmpfs tmpfs "$root/$folder"; done
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
# Disable the services of this machine, and those that would touch its hardware or clock.
rm -rf "$root"/etc/systemd/system/*.wants
for unit in systemd-udevd systemd-udev-trigger systemd-modules-load systemd-remount-fs; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit.service"
done
# Share mounts, as on a booted machine, so that the mount with their credentials reaches the services.
mount --make-rshared "$root"
cd /
exec chroot "$root" /usr/bin/env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --log-target=journal systemd.unit=multi-user.target
