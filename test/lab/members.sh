#!/usr/bin/env bash
# Proves the walkthrough against real Kubernetes: three control planes with fake nodes on loopback, joined through their kubeconfigs.
# Needs Go (it builds Kubernetes once, cached outside the tree); says so, loudly, where there is none.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v go >/dev/null; then
  echo 'skipped: members (Go is not installed, so no real Kubernetes can be built)'
  exit 0
fi
BIN=${BIN:-${KUBE_LAB_CACHE:-$HOME/.cache/kube-lab/${K8S:-1.35.4}}/bin}
export BIN PATH="$BIN:$PATH"
[ -x "$BIN/kwok" ] && [ -x "$BIN/kube-apiserver" ] || nice -n 5 test/lab/build.sh cluster >/dev/null

LAB=$(mktemp -d)
# Two stay; the third is stopped and started again by the test, so it has a folder of its own.
export LAMIRAL_LAB_STAYING="$LAB/staying" LAMIRAL_LAB_LEAVING="$LAB/leaving"
cleanup() {
  for run in "$LAMIRAL_LAB_STAYING" "$LAMIRAL_LAB_LEAVING"; do [ -d "$run" ] && RUN=$run test/lab/cluster.sh wipe || true; done
  rm -rf "$LAB"
}
trap cleanup EXIT
RUN=$LAMIRAL_LAB_STAYING FIRST=21 test/lab/cluster.sh start 2 --nodes 3 --unsafe-no-fsync
RUN=$LAMIRAL_LAB_LEAVING FIRST=23 test/lab/cluster.sh start 1 --nodes 3 --unsafe-no-fsync

export LAMIRAL_MEMBERS="$LAB/members.yaml"
umask 077
files=("$LAMIRAL_LAB_STAYING"/c2[12]/token.kubeconfig "$LAMIRAL_LAB_LEAVING/c23/token.kubeconfig")
KUBECONFIG=$(IFS=:; echo "${files[*]}") kubectl config view --flatten >"$LAMIRAL_MEMBERS"
npx vitest run --config test/e2e/vitest.config.ts test/e2e/members.test.ts
