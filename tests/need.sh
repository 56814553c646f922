# Sourced: installs what a command needs and a fresh Debian machine lacks.

# need COMMAND PACKAGE: installs PACKAGE with apt unless COMMAND is there.
need() {
  command -v "$1" >/dev/null && return
  echo "installing $2" >&2
  local sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq
  # Debian starts what it installs; the tests and the demo start servers of their own.
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$2" >/dev/null
}
