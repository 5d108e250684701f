/** 1,000 Deployments at once, then one at a time, then after a restart. Members are apiserver and etcd alone, replicas are 0: only the writing is measured. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from '../../context.ts';
import { type Dev, startDev } from '../../processes/dev.ts';
import { type Operation, runLoad, WRITERS } from '../../processes/fedbench.ts';
import type { Lab } from '../../processes/lab.ts';
import { PEER_BURST } from '../../report/anchors.ts';
import { profileTables } from '../../report/profile.ts';
import { atLeast, atMost, median, ratio, shown, type Table, type Target } from '../../report/table.ts';
import { latencyTable, latencyTargets, measureLatency } from './latency.ts';
import { measureRestart, restartTable, restartTargets } from './restart.ts';

const QUIET_MS = 60_000;
const PROFILE_ROWS = 40;

type Size = { objects: number; warmUp: number; rounds: number; idleSeconds: number };
const FULL: Size = { objects: 1000, warmUp: 50, rounds: 3, idleSeconds: 20 };
const QUICK: Size = { objects: 100, warmUp: 10, rounds: 1, idleSeconds: 2 };

/** What an operation on all objects cost our control plane, until its store was quiet again. */
export type Cost = { operation: Operation; cpuMs: number; store: number; queue: number; rssMb: number };
/** Members, and the folder of the control plane that has joined them. */
export type Site = { lab: Lab; dataDir: string };
type Round = { direct: Operation; create: Cost; image: Cost; remove: Cost | undefined };

/** Starts the control plane, and measures everything that needs no controllers in the members. */
export async function measureBurst(context: BenchContext, { lab, dataDir }: Site): Promise<void> {
  const size = context.isQuick ? QUICK : FULL;
  const flags = ['--members', lab.kubeconfig];
  const dev = await startDev(context, dataDir, flags);
  const idle = await idleCost(dev, size.idleSeconds);
  await warmUp(context, lab, dev, size);
  const rounds: Round[] = [];
  for (let number = 1; number <= size.rounds; number++) {
    context.say(`federation: ${size.objects} objects, round ${number} of ${size.rounds}`);
    rounds.push(await measureRound(context, lab, dev, size, number));
  }
  const held = await dev.stats();
  context.report({
    tables: [burstTable(rounds, size), costTable(rounds, size, idle, held.rssBytes / 1e6)],
    targets: burstTargets(rounds, size),
  });
  context.report({ tables: await profileBurst(context, lab, dev, size) });
  await dev.stop();
  const restarts = await measureRestart(context, { lab, dataDir, flags, rounds: size.rounds });
  context.report({ tables: [restartTable(restarts, size.objects)], targets: restartTargets(restarts) });
  const again = await startDev(context, dataDir, flags);
  const latencies = await measureLatency(context, lab, again);
  context.report({ tables: [latencyTable(latencies)], targets: latencyTargets(latencies) });
  await again.stop();
}

async function warmUp(context: BenchContext, lab: Lab, dev: Dev, { warmUp: count }: Size): Promise<void> {
  await runLoad(context, { lab, dev: undefined, prefix: 'warm', count, ops: 'create,delete' });
  await runLoad(context, { lab, dev, prefix: 'warm', count, ops: 'create,image=nginx:1.30,delete' });
  await dev.quiet(QUIET_MS);
}

/** Direct and through us, each with a round of its own; the objects of the last round stay for what follows. */
async function measureRound(context: BenchContext, lab: Lab, dev: Dev, size: Size, number: number): Promise<Round> {
  const { objects: count, rounds } = size;
  const prefix = `r${number}`;
  const direct = async () => first(await runLoad(context, { lab, dev: undefined, prefix, count, ops: 'create,delete' }));
  const load = { lab, dev, prefix, count };
  const before = number % 2 === 1 ? await direct() : undefined;
  const create = await costOf(dev, () => runLoad(context, { ...load, ops: 'create' }));
  const image = await costOf(dev, () => runLoad(context, { ...load, ops: 'image=nginx:1.30', isAdopting: true }));
  const remove =
    number === rounds ? undefined : await costOf(dev, () => runLoad(context, { ...load, ops: 'delete', isAdopting: true }));
  return { direct: before ?? (await direct()), create, image, remove };
}

/** Runs an operation and waits for the quiet after it: what comes late belongs to the cost too. */
export async function costOf(dev: Dev, run: () => Promise<readonly Operation[]>): Promise<Cost> {
  const before = await dev.stats();
  const operation = first(await run());
  const after = await dev.quiet(QUIET_MS);
  return {
    operation,
    cpuMs: after.cpuMs - before.cpuMs,
    store: after.store - before.store,
    queue: after.queue - before.queue,
    rssMb: operation.procs_until_placed?.lamiral?.rss_peak_mb ?? Number.NaN,
  };
}

function first(operations: readonly Operation[]): Operation {
  const [operation] = operations;
  if (!operation) throw new Error('fedbench measured nothing');
  return operation;
}

type Idle = { store: number; queue: number; cpuMs: number };

/** What it does in a second with nothing to do: the clusters are looked at. */
async function idleCost(dev: Dev, seconds: number): Promise<Idle> {
  const before = await dev.quiet(QUIET_MS);
  const started = performance.now();
  await sleep(seconds * 1000);
  const after = await dev.stats();
  const took = (performance.now() - started) / 1000;
  return {
    store: (after.store - before.store) / took,
    queue: (after.queue - before.queue) / took,
    cpuMs: (after.cpuMs - before.cpuMs) / took,
  };
}

async function profileBurst(context: BenchContext, lab: Lab, dev: Dev, { objects }: Size): Promise<Table[]> {
  if (context.profileDir === undefined || !dev.profiler) return [];
  const path = join(context.profileDir, 'burst.cpuprofile');
  await dev.profiler.start();
  await runLoad(context, { lab, dev, prefix: 'profile', count: objects, ops: 'create' });
  await dev.profiler.stop(path);
  await runLoad(context, { lab, dev, prefix: 'profile', count: objects, ops: 'delete', isAdopting: true });
  await dev.quiet(QUIET_MS);
  return profileTables(path, `${objects} created`, PROFILE_ROWS, context.root);
}

const middle = (rounds: readonly Round[], of: (round: Round) => number | undefined) =>
  median(rounds.flatMap((round) => of(round) ?? []));

function burstTable(rounds: readonly Round[], { objects }: Size): Table {
  const row = (name: string, of: (round: Round) => Operation | undefined) => [
    name,
    shown(middle(rounds, (round) => of(round)?.placed_s)),
    ratio(
      middle(rounds, (round) => of(round)?.placed_s),
      middle(rounds, ({ direct }) => direct.placed_s),
    ),
    shown(middle(rounds, (round) => of(round)?.objects_per_s)),
    shown(middle(rounds, (round) => of(round)?.all_members_s.p50)),
    shown(middle(rounds, (round) => of(round)?.all_members_s.p99)),
  ];
  const peers = PEER_BURST.map((peer) => [
    `${peer.name} (published, 1,000)`,
    shown(peer.placedS),
    '',
    shown(peer.perSecond),
    shown(peer.p50S),
    shown(peer.p99S),
  ]);
  return {
    heading: `${objects} Deployments to 3 members, ${WRITERS} writers, median of ${rounds.length} round${rounds.length === 1 ? '' : 's'} in turns`,
    columns: ['', 'all placed after s', 'of the direct write', 'objects/s', 'create -> on all members p50 s', 'p99 s'],
    rows: [
      row('direct write by server-side apply', ({ direct }) => direct),
      row('lamiral', ({ create }) => create.operation),
      row('lamiral, image update of all', ({ image }) => image.operation),
      ...(rounds.some(({ remove }) => remove) ? [row('lamiral, delete of all', ({ remove }) => remove?.operation)] : []),
      ...peers,
    ],
  };
}

function costTable(rounds: readonly Round[], { objects }: Size, idle: Idle, heldMb: number): Table {
  const row = (name: string, of: (round: Round) => Cost | undefined) => [
    name,
    shown(middle(rounds, (round) => of(round)?.cpuMs) / objects),
    shown(middle(rounds, (round) => of(round)?.store) / objects),
    shown(middle(rounds, (round) => of(round)?.queue) / objects),
    shown(Math.max(...rounds.map((round) => of(round)?.rssMb ?? 0))),
  ];
  return {
    heading: 'What it costs the host, per object until its store is quiet again',
    columns: ['', 'host CPU ms', 'store writes', 'queue transactions', 'memory, peak MB'],
    rows: [
      row('create', ({ create }) => create),
      row('image update', ({ image }) => image),
      ...(rounds.some(({ remove }) => remove) ? [row('delete', ({ remove }) => remove)] : []),
      [`idle with ${objects} objects`, '', '', '', shown(heldMb)],
      ['idle and empty, per second', shown(idle.cpuMs), shown(idle.store), shown(idle.queue), ''],
      ...PEER_BURST.map((peer) => [`${peer.name} (published)`, shown(peer.cpuMs), shown(peer.writes), '', shown(peer.memoryMb)]),
    ],
  };
}

function burstTargets(rounds: readonly Round[], { objects }: Size): Target[] {
  const times = middle(rounds, ({ create }) => create.operation.placed_s) / middle(rounds, ({ direct }) => direct.placed_s);
  const perSecond = middle(rounds, ({ create }) => create.operation.objects_per_s);
  const p99 = middle(rounds, ({ create }) => create.operation.all_members_s.p99);
  const cpuMs = middle(rounds, ({ create }) => create.cpuMs) / objects;
  const writes = middle(rounds, ({ create }) => create.store) / objects;
  const memoryMb = Math.max(...rounds.flatMap(({ create, image }) => [create.rssMb, image.rssMb]));
  const what = `${objects} x 3`;
  return [
    atMost('now', `${what} placed, of the direct write`, times, 3, 'x'),
    atLeast('now', `${what}, objects per second`, perSecond, 20, ''),
    atMost('now', `${what}, host CPU per object`, cpuMs, 30, ' ms'),
    atMost('now', `${what}, memory`, memoryMb, 400, ' MB'),
    atMost('now', `${what}, store writes per object`, writes, 6, ''),
    atMost('later', `${what} placed, of the direct write`, times, 2, 'x'),
    atMost('later', `${what}, create -> placed p99`, p99, 20, ' s'),
    atLeast('later', `${what}, objects per second, of KubeAdmiral's best`, perSecond / 16.3, 4, 'x'),
    atMost('later', `${what}, host CPU per object`, cpuMs, 15, ' ms'),
    atMost('later', `${what}, memory`, memoryMb, 300, ' MB'),
  ];
}
