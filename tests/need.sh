# Sourced by other scripts. Installs programs that a fresh Debian machine lacks, and builds those of this tree.

# Every command selects the same packages and features, or Cargo would build the crates again.
workspace=(--workspace --all-features --locked)
# CI builds each crate once: notes for the next build cost time and a third of the disk.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0

# need_linker: installs the linker that Cargo calls. Rust comes without one.
need_linker() {
  need cc gcc libc6-dev
}

# need_libraries: installs what `workspace` links.
need_libraries() {
  need_linker
  need_library openssl libssl-dev
}

# need_for_tests: installs what `cargo test` needs in this workspace.
need_for_tests() {
  need redis-server redis-server
  need faketime faketime
  need openssl openssl
  need_libraries
  need_jdk
}

# need_programs: builds the programs that the scripts start.
need_programs() {
  need_libraries
  cargo build "${workspace[@]}" --quiet --bins --examples
}

# need COMMAND PACKAGE...: installs the packages with apt unless COMMAND is there.
need() {
  command -v "$1" >/dev/null || install_package "${@:2}"
}

# need_library NAME PACKAGE: installs PACKAGE with apt unless pkg-config finds the library NAME.
need_library() {
  need pkg-config pkg-config
  pkg-config --exists "$1" || install_package "$2"
}

# install_package PACKAGE...
install_package() {
  echo "installing $*" >&2
  local sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq
  # Debian starts a server that it installs. That does no harm: the tests and the demo start their own.
  # sudo drops the variable if it stands before it.
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# need_jdk: installs Maven and a JDK for Java 17 if they are missing. Fails if there is an older Java.
need_jdk() {
  # A `java` alone may be a JRE, which compiles nothing.
  [ -n "${JAVA_HOME:-}" ] || need javac openjdk-17-jdk-headless
  need mvn maven
  # Maven runs the Java of JAVA_HOME or of PATH, and says which. The tests start the Java of PATH.
  local maven home
  maven=$(mvn -version 2>&1) || true
  home=$(sed -n 's/.*Java version: .*runtime: //p' <<<"$maven")
  if [ -z "$home" ]; then
    printf 'mvn does not say which Java it uses:\n%s\n' "$maven" >&2
    exit 1
  fi
  need_java_17 "$home/bin/javac" "Maven needs a JDK for Java 17 or newer: install openjdk-17-jdk-headless or set JAVA_HOME"
  need_java_17 "$(command -v java || echo java)" "the tests start Java 17 or newer: put its java first on PATH"
}

# need_redisson VERSION...: builds the Java peer with each of these versions.
need_redisson() {
  local version
  need_jdk
  for version; do
    mvn -q -B -f interop/java/pom.xml process-classes "-Dredisson.version=$version" || return
  done
}

# need_pip: installs Python with pip unless they are there.
need_pip() {
  python3 -m pip --version >/dev/null 2>&1 || install_package python3-pip
}

# need_rabbitmq: installs RabbitMQ unless it is there. Its programs are not on the PATH of every user.
need_rabbitmq() {
  [ -x /usr/lib/rabbitmq/bin/rabbitmq-server ] && command -v epmd >/dev/null || install_package rabbitmq-server
}

# need_java_17 PROGRAM ADVICE: exits with ADVICE unless PROGRAM exists and belongs to Java 17 or newer.
need_java_17() {
  local version number
  if ! version=$("$1" -version 2>&1); then
    echo "cannot run $1; $2" >&2
    exit 1
  fi
  # `javac 17.0.15`, `openjdk version "17.0.15"`, and 1.8 for Java 8.
  number=$(sed -nE '1s/^[^0-9]*([0-9]+).*/\1/p' <<<"$version")
  if [ "${number:-0}" -lt 17 ]; then
    echo "$1 is too old, ${version%%$'\n'*}; $2" >&2
    exit 1
  fi
}

# need_cargo TOOL: installs a Cargo tool from the registry unless it is there. Fails if it cannot.
need_cargo() {
  cargo "${1#cargo-}" --version >/dev/null 2>&1 && return
  echo "installing $1" >&2
  # A debug build: the tool runs for seconds, and would take minutes to optimise.
  CARGO_PROFILE_DEV_DEBUG=0 cargo install --locked --debug --quiet "$1"
}
