/** The way back: from ready in the members to the status of the user's object. Members have controllers and nodes that make pods ready. */
import type { BenchContext } from '../../context.ts';
import { startDev } from '../../processes/dev.ts';
import { type Percentiles, runLoad } from '../../processes/fedbench.ts';
import { atMost, shown, type Table, type Target } from '../../report/table.ts';
import { type Cost, costOf, type Site } from './burst.ts';

const QUIET_MS = 60_000;

type Size = { slow: number; rate: number; burst: number; warmUp: number };
const SIZE: Size = { slow: 50, rate: 1, burst: 200, warmUp: 10 };

type Measured = { create: Percentiles; scale: Percentiles; burst: Cost; slow: Cost; empty: Cost; size: Size };

/** Starts the control plane, and measures what needs controllers in the members. */
export async function measureStatus(context: BenchContext, { lab, dataDir }: Site): Promise<void> {
  const size = SIZE;
  const dev = await startDev(context, dataDir, ['--members', lab.kubeconfig]);
  const load = { lab, dev, template: 'running' as const, status: true };
  await runLoad(context, { ...load, prefix: 'running', count: size.warmUp, ops: 'create,delete' });
  await dev.quiet(QUIET_MS);
  context.say(`federation: status, ${size.rate} per second`);
  const pace = { ...load, prefix: 'paced', count: size.slow, rate: size.rate };
  const slow = await costOf(dev, () => runLoad(context, { ...pace, ops: 'create' }));
  const [scale] = await runLoad(context, { ...pace, ops: 'scale=3', isAdopting: true });
  await runLoad(context, { ...load, prefix: 'paced', count: size.slow, ops: 'delete', isAdopting: true });
  await dev.quiet(QUIET_MS);
  context.say(`federation: status of ${size.burst} objects`);
  const burst = await costOf(dev, () => runLoad(context, { ...load, prefix: 'burst', count: size.burst, ops: 'create' }));
  const none = { lab, dev, prefix: 'none', count: size.burst };
  const empty = await costOf(dev, () => runLoad(context, { ...none, ops: 'create' }));
  await dev.stop();
  if (!scale) throw new Error('fedbench measured nothing');
  const measured: Measured = {
    create: slow.operation.members_ready_to_host_status_s,
    scale: scale.members_ready_to_host_status_s,
    burst,
    slow,
    empty,
    size,
  };
  context.report({ tables: [statusTable(measured), writesTable(measured)], targets: targetsOf(measured) });
}

function statusTable({ create, scale, burst, size }: Measured): Table {
  const row = (name: string, { n, p50, p99 }: Percentiles) => [name, String(n), shown(p50 * 1000), shown(p99 * 1000)];
  return {
    heading: "Members ready -> status on the user's object, milliseconds",
    columns: ['', 'objects', 'p50', 'p99'],
    rows: [
      row(`create, ${size.rate} per second`, create),
      row(`scale, ${size.rate} per second`, scale),
      row(`create, ${size.burst} at once`, burst.operation.members_ready_to_host_status_s),
      ['KubeAdmiral (published)', '', '2700', '2900'],
      ['Karmada (published)', '', '140', '400'],
    ],
  };
}

function writesTable({ burst, slow, empty, size }: Measured): Table {
  const row = (name: string, count: number, cost: Cost) => [
    name,
    ...[cost.store, cost.queue, cost.cpuMs].map((value) => shown(value / count)),
  ];
  return {
    heading: 'From create to the aggregated status, members with controllers, per object',
    columns: ['', 'store writes', 'queue transactions', 'host CPU ms'],
    rows: [
      row(`0 replicas, ${size.burst} at once`, size.burst, empty),
      row(`2 replicas on each member, ${size.burst} at once`, size.burst, burst),
      row(`2 replicas on each member, ${size.rate} per second`, size.slow, slow),
    ],
  };
}

function targetsOf({ create, scale, burst, empty, size }: Measured): Target[] {
  return [
    atMost('now', 'members ready -> status, p50', create.p50 * 1000, 500, ' ms'),
    atMost('now', 'members ready -> status after scale, p50', scale.p50 * 1000, 500, ' ms'),
    atMost('now', 'store writes per object to the status, 0 replicas, members with controllers', empty.store / size.burst, 6, ''),
    atMost('now', 'store writes per object to the status, 2 replicas on each member', burst.store / size.burst, 6, ''),
    atMost('later', 'members ready -> status, p50', create.p50 * 1000, 140, ' ms'),
    atMost('later', 'members ready -> status, p99', create.p99 * 1000, 400, ' ms'),
  ];
}
