#!/usr/bin/env bash
# Builds rdq once and packs it for machines without Cargo: a .tar.gz, a .deb, a Python wheel that carries only the
# program, and SHA256SUMS over them, in target/dist. The program needs glibc 2.17 and nothing else. Optimising it takes
# some ten minutes. `rdq/deploy/try.sh` tries the packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/need.sh
need objdump binutils
need dpkg-deb dpkg
need_pip

MATURIN=1.16.0
ZIGLANG=0.17.1
GLIBC=2.17

tools=$PWD/target/tools
export PYTHONPATH=$tools/python PATH=$tools/python/bin:$tools/bin:$PATH CARGO_INSTALL_ROOT=$tools
# The files in the packages have the time of the commit. Cargo must not know it, or it compiles C anew for each commit.
commit_time=$(git log -1 --format=%ct)
target=$(rustc -vV | sed -n 's/^host: //p')
version=$(cargo pkgid --package rdq | sed 's/.*[#@]//')
built=target/$target/portable
# What the archive has. The .deb has it too: see rdq/Cargo.toml.
tree=$built/package

# need_maturin: installs maturin, and Zig, whose linker knows the symbols of each glibc.
need_maturin() {
  [ -d "$tools/python/maturin-$MATURIN.dist-info" ] && [ -d "$tools/python/ziglang-$ZIGLANG.dist-info" ] && return
  rm -rf "$tools/python"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --target "$tools/python" \
    "maturin==$MATURIN" "ziglang==$ZIGLANG"
}

# wheel: builds the program, too.
wheel() {
  rm -rf target/rdq.data
  mkdir -p target/rdq.data/data/share/doc/rdq
  notices | gzip --no-name --best >target/rdq.data/data/share/doc/rdq/THIRD-PARTY.gz
  maturin build --zig --target "$target" --manifest-path rdq/Cargo.toml --out target/dist
}

# portable: fails if the program needs a newer glibc.
portable() {
  local newest
  newest=$(objdump -T "$built/rdq" | sed -nE 's/.*GLIBC_([0-9.]+).*/\1/p' | sort --version-sort | tail -n 1)
  [ "$(printf '%s\n' "$newest" $GLIBC | sort --version-sort | tail -n 1)" = $GLIBC ] || {
    echo "the program needs glibc $newest, not $GLIBC" >&2
    return 1
  }
}

# fill_tree: the files as they lie under /usr/local.
fill_tree() {
  local share=$tree/share
  rm -rf "$tree"
  mkdir -p "$tree/bin" "$share"/{bash-completion/completions,fish/vendor_completions.d,zsh/site-functions,doc/rdq}
  cp "$built/rdq" "$tree/bin"
  "$built/rdq" completions bash >"$share/bash-completion/completions/rdq"
  "$built/rdq" completions fish >"$share/fish/vendor_completions.d/rdq.fish"
  "$built/rdq" completions zsh >"$share/zsh/site-functions/_rdq"
  "$built/rdq" man --dir "$share/man/man1"
  gzip --no-name --best "$share"/man/man1/*.1
  # The pages link each other as they lie in the repository.
  local page
  for page in rdq/README.md docs/acl.md docs/operating/{doctor,rights,transfer}.md; do
    sed -E 's,^(\[[a-z]+\.md\]:) \.\./(docs/operating/)?,\1 ,' "$page" >"$share/doc/rdq/${page##*/}"
  done
  cp LICENSE-MIT LICENSE-APACHE target/rdq.data/data/share/doc/rdq/THIRD-PARTY.gz "$share/doc/rdq"
}

# notices: prints the licences of the crates that are linked into the program. Most of them ask for that.
notices() {
  local name version path
  cargo tree --package rdq --edges normal --target "$target" --prefix none --no-dedupe --locked --format '{p}' |
    sed -nE 's/^([^ ]+) v([^ ]+)( \(proc-macro\))?$/\1 \2/p' | sort --unique |
    while read -r name version; do
      path=$(printf '%s\n' "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$name-$version" | head -n 1)
      printf '== %s %s: %s\n' "$name" "$version" "$(sed -nE 's/^license = "(.*)"/\1/p' "$path/Cargo.toml" | head -n 1)"
      find "$path" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'notice*' \) -print0 |
        sort --zero-terminated | xargs --null --no-run-if-empty cat
    done
}

archive() {
  local name=rdq-$version-${target/-unknown/}
  tar --create --sort name --owner root:0 --group root:0 --mode go=rX,u+w --mtime "@$commit_time" \
    --directory "$tree" --transform "s,^\.,$name," . | gzip --no-name --best >"target/dist/$name.tar.gz"
}

deb() {
  need_cargo cargo-deb
  SOURCE_DATE_EPOCH=$commit_time cargo deb --package rdq --profile portable --target "$target" --no-build --no-strip \
    --output target/dist
}

rm -rf target/dist
mkdir -p target/dist
need_maturin
wheel
portable
fill_tree
archive
deb
cd target/dist
sha256sum -- *.deb *.tar.gz *.whl >SHA256SUMS
ls -l
