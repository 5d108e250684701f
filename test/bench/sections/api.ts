/** The API beside a real kube-apiserver with etcd: the same client, the same objects, in turns. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SYSTEM_NAMESPACE } from '../../../localstack/dev/bootstrap.ts';
import type { BenchContext, Section } from '../context.ts';
import { newDataDir, startDev } from '../processes/dev.ts';
import { startLab } from '../processes/lab.ts';
import { runJson } from '../processes/tools.ts';
import { profileTables } from '../report/profile.ts';
import { atLeast, atMost, median, ratio, shown, type Table, type Target } from '../report/table.ts';

const LAB_FIRST = 51;
const PROFILE_ROWS = 40;
const WARM_UP_OBJECTS = 200;
const RUN_TIMEOUT_MS = 300_000;

type Measured = { p50_ms: number; p99_ms: number; per_s?: number; cpu_ms_per_op?: Record<string, number> };
/** What apibench prints of one run. */
type Run = {
  sequential: Record<string, Measured>;
  watch: { from_create_sent: Measured };
  concurrent: Record<'create' | 'get', Record<string, Measured>>;
  /** Absent without a big list. */
  big_list?: Record<string, Measured>;
  rss_MiB_after: Record<string, number>;
  rss_MiB_with_big?: Record<string, number>;
};
type Size = { objects: number; big: number; seconds: number; rounds: number };
type Side = {
  name: string;
  url: string;
  token: string;
  caFile: string;
  pids: Record<string, number>;
  namespace?: string;
  runs: Run[];
};

const FULL: Size = { objects: 500, big: 10_000, seconds: 3, rounds: 3 };
const QUICK: Size = { objects: 100, big: 1000, seconds: 0.3, rounds: 1 };
const CLIENTS = ['1', '8', '32'];

export const apiSection: Section = {
  name: 'api',
  needsGo: true,
  title: 'API beside kube-apiserver and etcd',
  run: measureApi,
};

async function measureApi(context: BenchContext): Promise<void> {
  const size = context.isQuick ? QUICK : FULL;
  const lab = await startLab(context, { first: LAB_FIRST, count: 1, controllers: false });
  const dev = await startDev(context, await newDataDir(context), ['--clusters', '0']);
  const real = lab.clusters[0];
  if (!real) throw new Error('the lab started no cluster');
  const caFile = join(context.dir, 'api-ca.crt');
  await writeFile(caFile, dev.ca);
  const ours: Side = { name: 'lamiral', url: dev.url, token: dev.token, caFile, pids: { lamiral: dev.pid }, runs: [] };
  const theirs: Side = {
    name: 'kube-apiserver + etcd',
    url: real.url,
    token: real.token,
    caFile: join(real.dir, 'pki/ca.crt'),
    pids: { 'kube-apiserver': await lab.pidOf(real, 'kube-apiserver'), etcd: await lab.pidOf(real, 'etcd') },
    runs: [],
  };
  // The same program in a namespace that is never federated: what remains is the API itself.
  const alone: Side = { ...ours, name: 'lamiral, not federated', namespace: SYSTEM_NAMESPACE, runs: [] };
  // Both have run a while before it counts: neither is judged by its first second.
  const small = { ...size, objects: WARM_UP_OBJECTS, big: 0, seconds: size.seconds / 5 };
  for (const side of [ours, theirs]) await runOnce(context, side, small);
  for (let round = 0; round < size.rounds; round++)
    for (const side of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) {
      context.say(`api: ${side.name}, round ${round + 1} of ${size.rounds}`);
      side.runs.push(await runOnce(context, side, size));
      if (side === ours && !context.isQuick) alone.runs.push(await runOnce(context, alone, { ...size, big: 0 }));
    }
  const tables = [callTable(ours, theirs, size), throughputTable(ours, theirs), memoryTable(ours, theirs)];
  if (alone.runs.length > 0) tables.push(callTable(alone, theirs, size), throughputTable(alone, theirs));
  if (context.profileDir !== undefined && dev.profiler) {
    const path = join(context.profileDir, 'api.cpuprofile');
    await dev.profiler.start();
    await runOnce(context, ours, size);
    await dev.profiler.stop(path);
    tables.push(...(await profileTables(path, 'api', PROFILE_ROWS, context.root)));
  }
  await dev.stop();
  await lab.stop();
  const notes = [
    'Every ConfigMap is federated: for each change the scheduler and the status function work in the same process while the next call waits. "Not federated" is the same program with objects that they pass over.',
  ];
  context.report({ tables, targets: targetsOf(ours, theirs, size), notes });
}

async function runOnce(context: BenchContext, side: Side, { objects, big, seconds }: Size): Promise<Run> {
  const { apibench } = await context.tools();
  const pids = Object.entries(side.pids).map(([name, pid]) => `${name}=${pid}`);
  const args = ['--server', side.url, '--token', side.token, '--ca', side.caFile, '-n', String(objects), '--big', String(big)];
  const place = side.namespace === undefined ? [] : ['--namespace', side.namespace];
  const more = [...place, '--secs', String(seconds), '--c', CLIENTS.join(','), '--pids', pids.join(',')];
  const { runs } = await runJson<{ runs: Run[] }>(apibench, [...args, ...more], RUN_TIMEOUT_MS);
  const [run] = runs;
  if (!run) throw new Error(`apibench measured nothing on ${side.name}`);
  return run;
}

type Call = { name: string; of: (run: Run) => Measured | undefined };

function calls({ objects, big }: Size): Call[] {
  const sequential = (name: string, key: string): Call => ({ name, of: (run) => run.sequential[key] });
  return [
    sequential('create', 'create'),
    sequential('get', 'get'),
    sequential('update', 'update'),
    sequential('merge patch', 'merge_patch'),
    sequential('delete', 'delete'),
    sequential(`list of ${objects}`, `list_${objects}`),
    { name: `list of ${big}`, of: (run) => run.big_list?.full },
    { name: `list of ${big} in pages of 500`, of: (run) => run.big_list?.paged_500 },
    { name: 'watch: create sent -> event seen', of: (run) => run.watch.from_create_sent },
  ];
}

const middle = ({ runs }: Side, of: (run: Run) => number | undefined) => median(runs.flatMap((run) => of(run) ?? []));
const p50 = (side: Side, call: Call) => middle(side, (run) => call.of(run)?.p50_ms);
const p99 = (side: Side, call: Call) => middle(side, (run) => call.of(run)?.p99_ms);
const cpu = (side: Side, call: Call) =>
  middle(side, (run) => {
    const used = call.of(run)?.cpu_ms_per_op;
    return used && Object.keys(side.pids).reduce((sum, name) => sum + (used[name] ?? 0), 0);
  });

function callTable(ours: Side, theirs: Side, size: Size): Table {
  return {
    heading: `${ours.name}: one client, milliseconds; 1 KiB ConfigMaps, median of ${size.rounds} round${size.rounds === 1 ? '' : 's'} in turns`,
    columns: ['call', 'p50', 'kube', 'ratio', 'p99', 'kube', 'ratio', 'CPU per call', 'kube + etcd', 'ratio'],
    rows: calls(size)
      .filter((call) => !Number.isNaN(p50(ours, call)))
      .map((call) => [
        call.name,
        ...[p50, p99, cpu].flatMap((figure) => {
          const [our, their] = [figure(ours, call), figure(theirs, call)];
          return [shown(our), shown(their), Number.isNaN(our) ? '-' : ratio(our, their)];
        }),
      ]),
  };
}

const rate = (side: Side, verb: 'create' | 'get', clients: string) => middle(side, (run) => run.concurrent[verb][clients]?.per_s);

function throughputTable(ours: Side, theirs: Side): Table {
  return {
    heading: `${ours.name}: calls per second`,
    columns: ['clients', 'create/s', 'kube', 'ratio', 'get/s', 'kube', 'ratio', 'create p99 ms', 'kube'],
    rows: CLIENTS.map((clients) => [
      clients,
      ...(['create', 'get'] as const).flatMap((verb) => {
        const [our, their] = [rate(ours, verb, clients), rate(theirs, verb, clients)];
        return [shown(our), shown(their), ratio(our, their)];
      }),
      ...[ours, theirs].map((side) => shown(middle(side, (run) => run.concurrent.create[clients]?.p99_ms))),
    ]),
  };
}

/** Resident memory of all processes of a side, MiB: the highest of the rounds. */
function memory({ pids, runs }: Side, of: (run: Run) => Record<string, number> | undefined): number {
  return Math.max(...runs.map((run) => Object.keys(pids).reduce((sum, name) => sum + (of(run)?.[name] ?? 0), 0)));
}

function memoryTable(ours: Side, theirs: Side): Table {
  const row = (name: string, of: (run: Run) => Record<string, number> | undefined) => {
    const [our, their] = [memory(ours, of), memory(theirs, of)];
    return [name, shown(our), shown(their), ratio(our, their)];
  };
  return {
    heading: 'Resident memory, MiB',
    columns: ['', 'lamiral', 'kube + etcd', 'ratio'],
    rows: [row('with the big list stored', (run) => run.rss_MiB_with_big), row('after the run', (run) => run.rss_MiB_after)],
  };
}

function targetsOf(ours: Side, theirs: Side, size: Size): Target[] {
  const relative = (figure: typeof p50, call: Call) => figure(ours, call) / figure(theirs, call);
  const creates = rate(ours, 'create', '32') / rate(theirs, 'create', '32');
  const held = (run: Run) => run.rss_MiB_after;
  return [
    ...calls(size).map((call) => atMost('now', `API ${call.name}, p50`, relative(p50, call), 1, 'x')),
    ...calls(size).map((call) => atMost('later', `API ${call.name}, p50`, relative(p50, call), 0.6, 'x')),
    ...calls(size).map((call) => atMost('later', `API ${call.name}, p99`, relative(p99, call), 1, 'x')),
    atLeast('later', 'API creates per second, 32 clients', creates, 1.5, 'x'),
    atMost('later', 'API memory after the run', memory(ours, held) / memory(theirs, held), 0.25, 'x'),
  ];
}
