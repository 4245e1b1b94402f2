#!/bin/sh
# Builds the image with buildah on a base of debootstrap, since image registries may be out of reach, and runs it as a container
# runtime does: other user, no capabilities, read-only root file system. Needs root. Usage: image.sh CHECKOUT SCRATCH
set -eu
checkout=$1
scratch=$2
cat > "$scratch/storage.conf" <<CONF
[storage]
driver = "vfs"
graphroot = "$scratch/storage"
runroot = "$scratch/run"
CONF
export CONTAINERS_STORAGE_CONF="$scratch/storage.conf" BUILDAH_ISOLATION=chroot

debootstrap --variant=minbase stable "$scratch/base" > "$scratch/debootstrap.log" 2>&1
base=$(buildah from scratch)
buildah add --quiet "$base" "$scratch/base" / > "$scratch/ids"
buildah commit --quiet "$base" localhost/base:latest >> "$scratch/ids"

# Node and npm of this machine, with the certificates that its npm trusts.
buildah run "$base" -- apt-get update > "$scratch/apt.log" 2>&1
buildah run "$base" -- apt-get install --yes --no-install-recommends libatomic1 >> "$scratch/apt.log" 2>&1
buildah copy --quiet "$base" "$(realpath "$checkout/node_modules/.bin/node")" /usr/local/bin/node >> "$scratch/ids"
buildah copy --quiet "$base" "$(npm root --global)/npm" /usr/local/lib/node_modules/npm >> "$scratch/ids"
buildah run "$base" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
buildah copy --quiet "$base" "${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" /usr/local/share/build-ca.crt >> "$scratch/ids"
buildah config --env NODE_EXTRA_CA_CERTS=/usr/local/share/build-ca.crt "$base"
buildah commit --quiet "$base" localhost/build:latest >> "$scratch/ids"

buildah bud --pull=false --build-arg BASE=localhost/base:latest --build-arg BUILD=localhost/build:latest \
  --tag identity-gateway:test "$checkout" > "$scratch/build.log" 2>&1
image=$(buildah from --pull=false localhost/identity-gateway:test)
root=$(buildah mount "$image")
export root

cat > "$root/opt/probe.sh" <<'PROBE'
echo "user $(id -u)"
touch /opt/x 2> /dev/null && echo 'the root file system can be written'
gateway run > /tmp/log 2>&1 &
for attempt in $(seq 60); do
  gateway health startup > /dev/null 2>&1 && break
  sleep 1
done
echo "health $(gateway health)"
echo "state $(ls /var/lib/identity-gateway)"
kill -TERM $!
wait $!
echo "exit $?"
PROBE
# shellcheck disable=SC2016 # expanded by the inner shell
unshare --mount sh -euc '
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs -o uid=10001,gid=10001,mode=0700 tmpfs "$root/var/lib/identity-gateway"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot "$root" /usr/bin/env -i \
  PATH=/opt/identity-gateway/bin:/usr/bin:/bin:/usr/sbin:/sbin \
  GATEWAY_INSTANCE_DIR=/etc/identity-gateway GATEWAY_STATE_DIR=/var/lib/identity-gateway \
  setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs --bounding-set=-all sh /opt/probe.sh
'
