/** Runs exactly the named tests of upstream's `e2e.test`, unmodified, against one server. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.ts';
import { focusOf } from './lists.ts';
import { type Result, resultsOf } from './report.ts';

const KUBECTL_TIMEOUT_MS = 30_000;
/** How long ginkgo and its tests may clean up after Ctrl-C before they are killed; its own grace period is 30 s. */
const END_TIMEOUT_MS = 40_000;
const NO_WAITING = -1;

/** One run. `dir` is made, and holds the report and what ginkgo printed. */
export type GinkgoRun = {
  binaries: Binaries;
  kubeconfig: string;
  /** Empty: nothing is run. */
  names: readonly string[];
  dir: string;
  procs: number;
  timeoutMinutes: number;
  /** Called with what ends the run early; must be called back when it ended. */
  onEnd(end: () => Promise<void>): () => void;
};

/** Resolves to one result per name. Rejects when ginkgo leaves no report, which means that nothing was tested. */
export async function runGinkgo(run: GinkgoRun): Promise<Result[]> {
  if (run.names.length === 0) return [];
  await mkdir(run.dir, { recursive: true });
  const log = join(run.dir, 'output.log');
  const args = await argumentsOf(run);
  // A group of its own: a signal is to reach the processes that ginkgo starts, too.
  const child = spawn(run.binaries.ginkgo, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: run.dir },
  });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('exit', resolve));
  const forget = run.onEnd(() => endChild(child, ended));
  const output = createWriteStream(log);
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const code = await ended;
  output.end();
  forget();
  const text = await readFile(join(run.dir, 'report.json'), 'utf8').catch(() => undefined);
  if (text === undefined) throw new Error(`ginkgo ended (${code}) without a report:\n${await tail(log)}`);
  return resultsOf(JSON.parse(text), run.names);
}

async function argumentsOf({ binaries, kubeconfig, names, dir, procs, timeoutMinutes }: GinkgoRun): Promise<string[]> {
  const hasNodes = (await kubectl(binaries, kubeconfig, ['get', 'nodes', '-o', 'name'])).trim() !== '';
  return [
    `--procs=${Math.min(procs, names.length)}`,
    '--no-color',
    '--succinct',
    '--keep-going',
    `--timeout=${timeoutMinutes}m`,
    `--focus=${focusOf(names)}`,
    '--json-report=report.json',
    `--output-dir=${dir}`,
    binaries.e2e,
    '--',
    `--kubeconfig=${kubeconfig}`,
    '--provider=skeleton',
    `--kubectl-path=${binaries.kubectl}`,
    `--allowed-not-ready-nodes=${NO_WAITING}`,
    '--system-pods-startup-timeout=10s',
    '--system-daemonsets-startup-timeout=10s',
    '--disable-log-dump',
    '--dump-logs-on-failure=false',
    '--minStartupPods=0',
    // Left to itself it counts the nodes, and ends where there is none.
    ...(hasNodes ? [] : ['--num-nodes=0']),
  ];
}

/** What kubectl prints. Rejects with its own words. */
async function kubectl(binaries: Binaries, kubeconfig: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(binaries.kubectl, ['--kubeconfig', kubeconfig, ...args], {
    timeout: KUBECTL_TIMEOUT_MS,
  });
  return stdout;
}

async function endChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  signalGroup(child, 'SIGINT');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), END_TIMEOUT_MS);
  await ended.catch(() => undefined);
  clearTimeout(timer);
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It ended by itself meanwhile.
  }
}

async function tail(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').slice(-20).join('\n');
}
