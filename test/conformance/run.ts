/**
 * `npm run conformance [-- --target control-plane|member] [--kubeconfig F] [--list FILE] [--procs N] [--once] [--skip-slow] [--skip-workloads]
 * [--out DIR]`: runs upstream's own conformance tests, unmodified, against the control plane and a simulated member of a fresh `lamiral dev`, or against any server.
 * Ends with `N passed, N failed, N skipped`; failures are named.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Binaries, findBinaries } from './binaries.ts';
import { createEndings, type Endings } from './endings.ts';
import { type Outcomes, runPlans } from './execute.ts';
import { plansFor, type Target } from './plans.ts';
import { formatScore, isFailed, type Score, scoreOf } from './report.ts';
import { startDev } from './targets.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TARGETS: readonly Target[] = ['control-plane', 'member'];
const USAGE = 2;
const INTERRUPTED = 130;
/** As many as give a minute on two cores that have nothing else to do: most of a test is waiting. */
const PROCS = 8;
const DETAIL_LINES = 4;

type Options = {
  targets: readonly Target[];
  kubeconfig: string | undefined;
  list: string | undefined;
  procs: number;
  /** A failed test is not run again alone. */
  once: boolean;
  skipSlow: boolean;
  /** Only what every target must pass, without the score of the workload tests. */
  skipWorkloads: boolean;
  /** Where reports and logs are kept; undefined: nowhere. */
  out: string | undefined;
};

/** Throws with a sentence when the command line is wrong. */
function parseOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      target: { type: 'string' },
      kubeconfig: { type: 'string' },
      list: { type: 'string' },
      procs: { type: 'string', default: String(PROCS) },
      once: { type: 'boolean', default: false },
      'skip-slow': { type: 'boolean', default: false },
      'skip-workloads': { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const targets = TARGETS.filter((target) => values.target === undefined || values.target === target);
  if (targets.length === 0) throw new Error(`--target ${values.target}: must be ${TARGETS.join(' or ')}`);
  const procs = Number(values.procs);
  if (!Number.isInteger(procs) || procs < 1) throw new Error(`--procs ${values.procs}: must be a whole number from 1`);
  const path = (text: string | undefined) => (text === undefined ? undefined : resolve(text));
  return {
    targets,
    kubeconfig: path(values.kubeconfig),
    list: path(values.list),
    procs,
    once: values.once,
    skipSlow: values['skip-slow'],
    skipWorkloads: values['skip-workloads'],
    out: path(values.out),
  };
}

async function main(argv: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = parseOptions(argv);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return USAGE;
  }
  const say = (text: string) => void process.stderr.write(`  ${text}\n`);
  const binaries = await findBinaries(ROOT, say);
  if (!binaries) {
    print('skipped: conformance (Go is not installed, so e2e.test cannot be built, and it is not on PATH either)');
    return 0;
  }
  const endings = createEndings();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void endings.end().then(() => process.exit(INTERRUPTED)));
  try {
    return await test(options, binaries, endings, say);
  } finally {
    await endings.end();
  }
}

async function test(options: Options, binaries: Binaries, endings: Endings, say: (text: string) => void): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'lamiral-conformance-'));
  endings.add(() => rm(dir, { recursive: true, force: true }));
  const out = options.out ?? dir;
  await mkdir(out, { recursive: true });
  const plans = await plansFor({
    folder: join(ROOT, 'test/conformance'),
    list: options.list,
    skipSlow: options.skipSlow,
    skipWorkloads: options.skipWorkloads,
    servers: await serversFor(options, dir, endings),
  });
  const outcomes = await runPlans(plans, { binaries, out, procs: options.procs, retry: !options.once, endings, say });
  const total: Score = { passed: 0, failed: 0, skipped: 0 };
  for (const outcome of outcomes) {
    printOutcome(outcome);
    if (outcome.plan.isScoreOnly) continue;
    const score = scoreOf(outcome.results);
    for (const key of ['passed', 'failed', 'skipped'] as const) total[key] += score[key];
  }
  print(`\n${formatScore(total)}`);
  return total.failed === 0 ? 0 : 1;
}

async function serversFor(options: Options, dir: string, endings: Endings): Promise<ReadonlyMap<Target, string>> {
  if (options.kubeconfig !== undefined) return new Map([['server', options.kubeconfig]]);
  const dev = await startDev(ROOT, dir, endings.add);
  const kubeconfigs = { 'control-plane': dev.controlPlane, member: dev.member, server: '' };
  return new Map(options.targets.map((target) => [target, kubeconfigs[target]]));
}

function printOutcome({ plan, results, seconds }: Outcomes): void {
  print(`\n== ${plan.title}`);
  for (const { name, reason } of plan.leftOut) print(`skipped: ${name} (${reason})`);
  for (const { name, detail, outcome } of results) {
    if (outcome === 'skipped' && !plan.leftOut.some((entry) => entry.name === name))
      print(`skipped: ${name} (${firstLines(detail, 1)})`);
  }
  for (const result of results.filter(isFailed)) print(`failed: ${result.name}\n    ${firstLines(result.detail, DETAIL_LINES)}`);
  print(`${plan.title}: ${formatScore(scoreOf(results))} in ${seconds.toFixed(0)} s`);
}

const firstLines = (text: string, count: number) => text.trim().split('\n').slice(0, count).join('\n    ');
const print = (text: string) => void process.stdout.write(`${text}\n`);

process.exitCode = await main(process.argv.slice(2));
