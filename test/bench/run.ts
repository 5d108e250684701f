/**
 * `npm run bench -- [--quick] [--profile DIR] [SECTION ...]`: measures Lamiral beside what else there is, in one run on this machine, and
 * prints tables and targets as Markdown. Sections: api, decisions, federation; none named = all.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { BenchContext, Section, Tools } from './context.ts';
import { buildTools, goVersion } from './processes/tools.ts';
import { describeMachine } from './report/machine.ts';
import { type Findings, formatTable, type Target, targetTable } from './report/table.ts';
import { apiSection } from './sections/api.ts';
import { decisionsSection } from './sections/decisions.ts';
import { federationSection } from './sections/federation.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SECTIONS: readonly Section[] = [apiSection, decisionsSection, federationSection];
const USAGE = 2;

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false }, profile: { type: 'string' } },
  });
  const unknown = positionals.find((name) => !SECTIONS.some((section) => section.name === name));
  if (unknown !== undefined) {
    process.stderr.write(`no section "${unknown}"; there are: ${SECTIONS.map(({ name }) => name).join(', ')}\n`);
    return USAGE;
  }
  const wanted = SECTIONS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const closers = new Set<() => Promise<void>>();
  const end = once(() => closeAll(closers));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void end().then(() => process.exit(130)));
  try {
    const targets: Target[] = [];
    const context = await createContext(values, closers, (findings) => {
      for (const table of findings.tables ?? []) print(formatTable(table));
      for (const note of findings.notes ?? []) print(`${note}\n`);
      targets.push(...(findings.targets ?? []));
    });
    return await runSections(wanted, context, targets);
  } finally {
    await end();
  }
}

async function createContext(
  { quick, profile }: { quick: boolean; profile?: string | undefined },
  closers: Set<() => Promise<void>>,
  report: (findings: Findings) => void,
): Promise<BenchContext> {
  const dir = await mkdtemp(join(tmpdir(), 'lamiral-bench-'));
  closers.add(() => rm(dir, { recursive: true, force: true }));
  if (profile !== undefined) await mkdir(profile, { recursive: true });
  const started = performance.now();
  const say = (text: string) =>
    void process.stderr.write(`  ${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}\n`);
  return {
    root: ROOT,
    dir,
    isQuick: quick,
    profileDir: profile,
    tools: once((): Promise<Tools> => buildTools(ROOT, dir, say)),
    onEnd: (close) => {
      const closeOnce = once(async () => {
        closers.delete(closeOnce);
        await close();
      });
      closers.add(closeOnce);
      return closeOnce;
    },
    report,
    say,
  };
}

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** A section that fails is told and makes the run fail; the others still run. */
async function runSections(sections: readonly Section[], context: BenchContext, targets: readonly Target[]): Promise<number> {
  const go = await goVersion();
  print((await describeMachine(ROOT, go)).join('\n'));
  if (context.isQuick) print('quick    few objects and short windows: for a look, not for the record');
  let failed = 0;
  for (const section of sections) {
    if (section.needsGo && go === undefined) {
      print(`\nskipped: ${section.name} (Go is not installed, so neither real Kubernetes nor the load clients can be built)`);
      continue;
    }
    print(`\n## ${section.title}\n`);
    try {
      await section.run(context);
    } catch (error) {
      failed += 1;
      print(`failed: ${section.name}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  if (targets.length > 0) print(`\n${formatTable(targetTable(targets))}`);
  print(`${targets.filter(({ isMet }) => isMet).length} of ${targets.length} targets met, ${failed} sections failed`);
  return failed === 0 ? 0 : 1;
}

/** The last that was started is ended first. One that cannot be ended does not keep the others. */
async function closeAll(closers: ReadonlySet<() => Promise<void>>): Promise<void> {
  for (const close of [...closers].reverse())
    await close().catch((error: Error) => process.stderr.write(`while cleaning up: ${error.message}\n`));
}

function once<T>(act: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= act();
    return result;
  };
}

process.exitCode = await main(process.argv.slice(2));
