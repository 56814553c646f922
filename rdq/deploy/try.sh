#!/usr/bin/env bash
# Tries the packages of target/dist where nothing of ours is installed: the .deb and the .tar.gz in the oldest Debian
# that the mirror has, the wheel in an empty virtual environment. Each talks to a private Redis over TLS. Prints the size
# and the start time of each. Needs root, for chroot.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/need.sh
need curl curl
need debootstrap debootstrap
need openssl openssl
need redis-server redis-server
need_pip
python3 -c 'import ensurepip' 2>/dev/null || install_package python3-venv

dir=$(mktemp --directory)
root=$dir/debian
server=
trap finish EXIT

finish() {
  [ -z "$server" ] || kill "$server"
  wait
  rm -r --one-file-system "$dir"
}

fail() {
  echo "$1" >&2
  exit 1
}

# certify: makes a certificate of 127.0.0.1 that is its own authority.
certify() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=rdq \
    -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE \
    -keyout "$dir/key.pem" -out "$dir/ca.pem" 2>"$dir/openssl" || fail "$(cat "$dir/openssl")"
}

# start_redis: starts a Redis with TLS alone on a free port, and writes the profile file that names it.
start_redis() {
  local attempt port
  for attempt in {1..10}; do
    port=$((20000 + RANDOM % 12000))
    redis-server --port 0 --tls-port $port --bind 127.0.0.1 --save "" --dir "$dir" --tls-auth-clients no \
      --tls-cert-file "$dir/ca.pem" --tls-key-file "$dir/key.pem" >"$dir/redis" &
    server=$!
    while kill -0 $server 2>/dev/null; do
      # Another server may have the port.
      if redis-cli --tls --cacert "$dir/ca.pem" -p $port INFO server 2>/dev/null | grep -q "^process_id:$server"; then
        printf 'default = "try"\n[server.try]\nurl = "rediss://127.0.0.1:%s"\ntls = { ca = "ca.pem" }\n' $port \
          >"$dir/rdq.toml"
        return
      fi
      sleep 0.05
    done
  done
  server=
  fail "redis-server found no free port, $attempt times: $(cat "$dir/redis")"
}

# oldest_debian: prints the mirror, and the oldest suite that it has.
oldest_debian() {
  local mirror suite
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep --max-count 1 '/debian/$') ||
    fail "apt knows no mirror of Debian on this machine"
  for suite in stretch buster bullseye bookworm trixie; do
    if curl --silent --fail --location --head "${mirror%/}/dists/$suite/Release" >/dev/null; then
      echo "$mirror" "$suite"
      return
    fi
  done
  fail "$mirror has no Debian that we know"
}

# use_rdq FOLDER: offers an element and takes it. Prints the best start time of 20, in µs. Runs in each place by itself,
# beside ca.pem and rdq.toml in FOLDER.
use_rdq() {
  local taken begin took best=1000000
  export RDQ_PROFILES=$1/rdq.toml
  rdq offer parcels '{"id":17}' --codec json --delay 1ms >/dev/null
  taken=$(rdq take parcels --transfer --wait 10s)
  [ "$taken" = '{"id":17}' ]
  for _ in {1..20}; do
    begin=${EPOCHREALTIME/[.,]/}
    rdq --version >/dev/null
    took=$((${EPOCHREALTIME/[.,]/} - begin))
    [ $took -ge $best ] || best=$took
  done
  echo $best
}

# try PACKAGE FOLDER COMMAND...: uses the installed `rdq` by the COMMAND that runs a shell in that place, and prints a row.
try() {
  local package=$1 folder=$2 best
  shift 2
  best=$(env -i PATH="$PATH" "$@" -c "set -euo pipefail; $(declare -f use_rdq); use_rdq $folder") ||
    fail "$package does not work"
  awk -v name="${package##*/}" -v size="$(stat --format %s "$package")" -v best="$best" \
    'BEGIN { printf "%-76s  %4.1f MB  starts in %.1f ms\n", name, size / 1e6, best / 1e3 }'
}

# has FILE...: fails if the package left one out.
has() {
  local file
  for file; do
    [ -s "$root/$file" ] || fail "there is no /$file"
  done
}

# has_documents FOLDER ZSH: completions, for zsh in the folder ZSH, manual pages, guides and licences are
# below FOLDER.
has_documents() {
  has "$1"/share/{bash-completion/completions/rdq,fish/vendor_completions.d/rdq.fish,zsh/"$2"/_rdq} \
    "$1"/share/man/man1/{rdq,rdq-ls}.1.gz \
    "$1"/share/doc/rdq/{LICENSE-APACHE,LICENSE-MIT,README.md,THIRD-PARTY.gz,acl.md,doctor.md,rights.md,transfer.md}
}

[ "$(id -u)" = 0 ] || fail "run it as root: it changes into another Debian"
(cd target/dist && sha256sum --check --quiet SHA256SUMS)
certify
start_redis

read -r mirror suite < <(oldest_debian)
echo "unpacking Debian's $suite" >&2
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$dir/debootstrap" 2>&1 || fail "$(tail "$dir/debootstrap")"
mkdir "$root/try"
cp target/dist/* "$dir"/{ca.pem,rdq.toml} "$root/try"

in_debian=(chroot "$root")
"${in_debian[@]}" sh -c 'dpkg --install /try/*.deb' >"$dir/dpkg" 2>&1 || fail "$(cat "$dir/dpkg")"
has_documents usr vendor-completions
try target/dist/*.deb /try "${in_debian[@]}" bash
"${in_debian[@]}" dpkg --purge rdq >"$dir/dpkg"
[ ! -e "$root/usr/bin/rdq" ] || fail "dpkg left the program there"

"${in_debian[@]}" sh -c 'tar --extract --gzip --file /try/*.tar.gz --directory /usr/local --strip-components 1'
has_documents usr/local site-functions
try target/dist/*.tar.gz /try "${in_debian[@]}" bash

python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check --no-index target/dist/*.whl
PATH=$dir/venv/bin:/usr/bin:/bin try target/dist/*.whl "$dir" bash
