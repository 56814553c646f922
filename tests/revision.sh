# Sourced by other scripts, at the top of the repository. Builds programs of another revision.

# caller_of REVISION: builds the caller of that revision and prints its path. interop/src/caller.rs makes
# calls through this program. Set PROFILE to release if it is measured.
caller_of() {
  local revision first tree profile=${PROFILE:-dev}
  if ! revision=$(git rev-parse --quiet --verify "$1^{commit}"); then
    echo "this clone does not have revision $1; a shallow one gets it by: git fetch --unshallow" >&2
    return 1
  fi
  tree=target/upgrade/$revision
  if [ ! -e "$tree/.complete" ]; then
    rm -rf "$tree"
    mkdir -p "$tree"
    git archive "$revision" | tar -x -C "$tree" || return
    if [ ! -e "$tree/$CALLER" ]; then
      # The revision is older than the caller. The first caller ever knows all calls of that time.
      first=$(git log --diff-filter=A --format=%H -- "$CALLER/main.rs" | tail -n 1)
      if [ -n "$first" ]; then
        git archive "$first" "$CALLER" | tar -x -C "$tree"
      else
        cp -r "$CALLER" "$tree/$CALLER"
      fi
    fi
    touch "$tree/.complete"
  fi
  # Each tree has a target directory of its own: in one, cargo would take both trees for the same.
  CARGO_PROFILE_DEV_DEBUG=0 cargo build --locked --quiet --profile "$profile" --manifest-path "$tree/Cargo.toml" \
    --package interop --bin caller --target-dir "$tree/target" >&2 || return
  echo "$tree/target/${profile/dev/debug}/caller"
}

CALLER=interop/src/bin/caller
