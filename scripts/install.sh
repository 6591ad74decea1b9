#!/bin/sh
# Installs or updates hermes without root.
#   curl -fsSL https://github.com/hermes-agent/hermes/releases/latest/download/install.sh | bash
#   bash scripts/install.sh        in a clone: builds it there and installs the result
# The braces make the shell read the whole script before it runs anything: a cut download does nothing.
{
set -eu

usage() {
  cat <<'TEXT'
Installs or updates hermes in ~/.local/bin.

Usage: install.sh [--dir PATH] [--version TAG]

  --dir PATH      where to put it            (HERMES_INSTALL_DIR)
  --version TAG   a release other than the latest, like v0.1.0 (HERMES_INSTALL_VERSION)
  -h, --help      this text

HERMES_INSTALL_BASE_URL names another folder with hermes-<target> and SHA256SUMS.
TEXT
}

say() { printf '%s\n' "$*"; }

# fail MESSAGE HINT
fail() {
  printf 'error: %s\n' "$1" >&2
  printf '  try: %s\n' "$2" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

detect_target() {
  system=$(uname -s)
  machine=$(uname -m)
  case "$machine" in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail "no release for the processor \"$machine\" ($system)" "build from a clone on x64 or arm64" ;;
  esac
  case "$system" in
    Linux)
      target="linux-$machine"
      if is_musl; then target="$target-musl"; fi
      ;;
    Darwin)
      # a shell under Rosetta says x86_64 on Apple silicon
      if [ "$machine" = x64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 1 ]; then
        machine=arm64
      fi
      target="darwin-$machine"
      ;;
    *) fail "no release for the system \"$system\"" "on Windows use WSL" ;;
  esac
}

is_musl() {
  # with both loaders the system's own is glibc
  for loader in /lib/ld-linux-*.so.* /lib64/ld-linux-*.so.*; do
    if [ -e "$loader" ]; then return 1; fi
  done
  for loader in /lib/ld-musl-*.so.1; do
    if [ -e "$loader" ]; then return 0; fi
  done
  return 1
}

# download URL FILE
download() {
  case "$1" in
    http://*) protocols="=http,https" ;;
    *) protocols="=https" ;;
  esac
  if have curl; then
    status=0
    code=$(curl -sSL --proto "$protocols" --retry 2 --connect-timeout 20 -o "$2" -w '%{http_code}' "$1" </dev/null) || status=$?
    case "$status" in
      0) ;;
      23) fail "$2 cannot be written: is the disk full?" "free some space, or choose another folder with --dir" ;;
      *) fail "$1 cannot be downloaded (curl ended with $status)" "check the network and the address, then run this again" ;;
    esac
    if [ "$code" = 404 ]; then
      fail "$1 does not exist (404)" "check the version, or the list at https://github.com/hermes-agent/hermes/releases"
    elif [ "$code" != 200 ]; then
      fail "$1 answered $code" "run this again later"
    fi
  elif have wget; then
    status=0
    wget -q -O "$2" "$1" </dev/null || status=$?
    case "$status" in
      0) ;;
      3) fail "$2 cannot be written: is the disk full?" "free some space, or choose another folder with --dir" ;;
      8) fail "$1 does not exist, or the server refused it" "check the version, or the list at https://github.com/hermes-agent/hermes/releases" ;;
      *) fail "$1 cannot be downloaded (wget ended with $status)" "check the network and the address, then run this again" ;;
    esac
  else
    fail "neither curl nor wget is installed" "install one of them with your package manager"
  fi
}

checksum() {
  if have sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif have shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif have openssl; then
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else
    fail "no program for checksums: sha256sum, shasum or openssl" "install one of them with your package manager"
  fi
}

# first word after "hermes" of --version; empty when it does not run
version_of() {
  "$1" --version 2>/dev/null </dev/null | sed -n 's/^hermes \([^ ]*\).*/\1/p' || true
}

prepare_folder() {
  if ! mkdir -p "$folder" 2>/dev/null; then
    fail "the folder $folder cannot be made" "choose another one with --dir"
  fi
  work=$(mktemp -d "$folder/.hermes-install.XXXXXX" 2>/dev/null) ||
    fail "the folder $folder is not writable" "choose another one with --dir"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

from_release() {
  detect_target
  if [ -n "${HERMES_INSTALL_BASE_URL:-}" ]; then
    base=${HERMES_INSTALL_BASE_URL%/}
  elif [ -n "$version" ]; then
    base=https://github.com/hermes-agent/hermes/releases/download/$version
  else
    base=https://github.com/hermes-agent/hermes/releases/latest/download
  fi
  say "downloading hermes-$target from $base"
  download "$base/SHA256SUMS" "$work/SHA256SUMS"
  wanted=$(sed -n "s/^\([0-9a-f]\{64\}\)[ *]*hermes-$target\$/\1/p" "$work/SHA256SUMS")
  if [ -z "$wanted" ]; then
    fail "the release has no hermes-$target" "build it from a clone: bash scripts/install.sh"
  fi
  download "$base/hermes-$target" "$work/hermes"
  found=$(checksum "$work/hermes")
  if [ "$found" != "$wanted" ]; then
    fail "the checksum of hermes-$target is wrong: $found instead of $wanted; nothing was changed" \
      "run this again; if it stays wrong, report it"
  fi
}

from_clone() {
  have node || fail "node is not installed" "install Node 20 or newer, with npm"
  have npm || fail "npm is not installed" "install Node 20 or newer, with npm"
  if [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" != true ]; then
    fail "node $(node --version) is too old" "install Node 20 or newer"
  fi
  cd "$clone"
  if ! cmp -s package-lock.json node_modules/.hermes-lock; then
    say "bringing the packages of package-lock.json"
    npm ci --no-audit --no-fund --loglevel=error </dev/null || fail "npm ci failed in $clone" "read its message above, then run this again"
    cp package-lock.json node_modules/.hermes-lock
  fi
  bun=node_modules/.bin/bun
  # npm may be set not to run install scripts; this one puts the executable in place
  "$bun" --version >/dev/null 2>&1 || node node_modules/bun/install.js </dev/null ||
    fail "the pinned Bun does not run" "rm -rf node_modules, then run this again"
  "$bun" scripts/build.ts --outfile "$work/hermes" </dev/null || fail "the build failed" "read its message above"
}

install_file() {
  chmod 755 "$work/hermes"
  new=$(version_of "$work/hermes")
  if [ -z "$new" ]; then
    reason=$("$work/hermes" --version 2>&1 </dev/null | head -n 3) || true
    fail "this hermes does not run on this machine; nothing was changed: $reason" "build it from a clone: bash scripts/install.sh"
  fi
  if [ -n "$version" ] && [ "$new" != "${version#v}" ]; then
    fail "this is hermes $new, not $version; nothing was changed" "check HERMES_INSTALL_BASE_URL"
  fi
  if [ -d "$folder/hermes" ]; then fail "$folder/hermes is a folder" "choose another place with --dir"; fi
  old=""
  if [ -x "$folder/hermes" ]; then old=$(version_of "$folder/hermes"); fi
  if [ -z "$old" ] && { [ -e "$folder/hermes" ] || [ -L "$folder/hermes" ]; }; then
    mv -f "$folder/hermes" "$folder/hermes.previous"
    say "another program was $folder/hermes; it is kept as hermes.previous"
  fi
  mv -f "$work/hermes" "$folder/hermes" || fail "$folder/hermes cannot be replaced" "check the folder's mode"
  if [ -z "$old" ]; then
    say "installed hermes $new in $folder"
  else
    say "updated hermes in $folder: $old → $new"
  fi
}

path_hint() {
  case ":$PATH:" in
    *":$folder:"*)
      say "start with: hermes demo"
      return
      ;;
  esac
  say "$folder is not in PATH. Add it:"
  case "${SHELL##*/}" in
    fish) say "  fish_add_path $folder" ;;
    zsh) say "  echo 'export PATH=\"$folder:\$PATH\"' >> ~/.zshrc && exec zsh" ;;
    bash) say "  echo 'export PATH=\"$folder:\$PATH\"' >> ~/.bashrc && exec bash" ;;
    *) say "  export PATH=\"$folder:\$PATH\"" ;;
  esac
  say "start with: $folder/hermes demo"
}

main() {
  folder=${HERMES_INSTALL_DIR:-}
  version=${HERMES_INSTALL_VERSION:-}
  SHELL=${SHELL:-}
  while [ $# -gt 0 ]; do
    case "$1" in
      --dir | --version)
        [ $# -ge 2 ] || fail "$1 needs a value" "install.sh --help"
        if [ "$1" = --dir ]; then folder=$2; else version=$2; fi
        shift 2
        ;;
      -h | --help)
        usage
        exit 0
        ;;
      *) fail "unknown option $1" "install.sh --help" ;;
    esac
  done
  if [ -z "$folder" ]; then
    [ -n "${HOME:-}" ] || fail "HOME is not set" "choose a folder with --dir"
    folder=$HOME/.local/bin
  fi
  case "$folder" in
    /*) ;;
    *) folder=$PWD/$folder ;;
  esac
  clone=""
  # read from a pipe, $0 is the shell
  case "$0" in
    */scripts/install.sh | scripts/install.sh | install.sh | ./install.sh)
      clone=$(cd "$(dirname "$0")/.." && pwd)
      grep -q '"name": "hermes"' "$clone/package.json" 2>/dev/null || clone=""
      ;;
  esac
  prepare_folder
  if [ -n "$clone" ] && [ -z "${HERMES_INSTALL_BASE_URL:-}" ] && [ -z "$version" ]; then from_clone; else from_release; fi
  install_file
  path_hint
}

main "$@"
exit 0
}
