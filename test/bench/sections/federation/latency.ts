/** How long one object takes on a system that has nothing else to do. */
import type { BenchContext } from '../../context.ts';
import type { Dev } from '../../processes/dev.ts';
import { type Percentiles, runLoad } from '../../processes/fedbench.ts';
import type { Lab } from '../../processes/lab.ts';
import { atMost, shown, type Table, type Target } from '../../report/table.ts';

/** Milliseconds are made of the seconds when shown. */
export type Latency = { name: string; perSecond: number; create: Percentiles; image: Percentiles };

const RATES = [
  { name: 'one object per second', perSecond: 1, count: 50, quickCount: 0 },
  { name: '3 objects per second', perSecond: 3, count: 150, quickCount: 6 },
];

/** Creates and changes objects at a slow pace, and deletes them. The objects that are there already stay. */
export async function measureLatency(context: BenchContext, lab: Lab, dev: Dev): Promise<Latency[]> {
  const latencies: Latency[] = [];
  await runLoad(context, {
    lab,
    dev,
    prefix: 'slow',
    count: context.isQuick ? 2 : 10,
    rate: 3,
    ops: 'create,image=nginx:1.30,delete',
  });
  for (const { name, perSecond, ...counts } of RATES) {
    const count = context.isQuick ? counts.quickCount : counts.count;
    if (count === 0) continue;
    context.say(`federation: ${name}`);
    const load = { lab, dev, prefix: `slow${perSecond}`, count, rate: perSecond };
    const [create, image] = await runLoad(context, { ...load, ops: 'create,image=nginx:1.30,delete' });
    if (!create || !image) throw new Error('fedbench measured nothing');
    latencies.push({ name, perSecond, create: create.all_members_s, image: image.all_members_s });
    await dev.quiet(10_000);
  }
  return latencies;
}

/** Milliseconds. */
export function latencyTable(latencies: readonly Latency[]): Table {
  return {
    heading: 'One object on an otherwise idle system, milliseconds until it is on all members',
    columns: ['', 'objects', 'create p50', 'p99', 'image change p50', 'p99'],
    rows: [
      ...latencies.map(({ name, create, image }) => [
        name,
        String(create.n),
        ...[create, image].flatMap(({ p50, p99 }) => [shown(p50 * 1000), shown(p99 * 1000)]),
      ]),
      ['KubeAdmiral, 3 per second (published)', '', '102', '318', '', ''],
      ['Karmada, 3 per second (published)', '', '96', '177', '', ''],
    ],
  };
}

/** The goal of an idle system counts for the slower pace; the final one for both. */
export function latencyTargets(latencies: readonly Latency[]): Target[] {
  return latencies.flatMap(({ name, perSecond, create }) => [
    ...(perSecond === 1 ? [atMost('now', `${name}, create -> on all members p50`, create.p50 * 1000, 100, ' ms')] : []),
    atMost('later', `${name}, create -> on all members p50`, create.p50 * 1000, 50, ' ms'),
    atMost('later', `${name}, create -> on all members p99`, create.p99 * 1000, 120, ' ms'),
  ]);
}
