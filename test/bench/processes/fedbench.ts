/** Runs fedbench: creates, changes and deletes objects, and watches the members to see when each has arrived. */
import { join } from 'node:path';
import type { BenchContext } from '../context.ts';
import type { Dev } from './dev.ts';
import type { Lab } from './lab.ts';
import { runJson } from './tools.ts';

/** Seconds. */
export type Percentiles = { n: number; p50: number; p99: number; max: number };
/** What fedbench prints of one operation. Times in seconds, memory in megabytes. */
export type Operation = {
  op: string;
  placed_s: number;
  objects_per_s: number;
  unplaced: number;
  errors: number;
  no_status?: number;
  first_error?: string;
  all_members_s: Percentiles;
  members_ready_to_host_status_s: Percentiles;
  procs_until_placed?: Record<string, { cpu_s: number; rss_peak_mb: number }>;
};

export type Load = {
  lab: Lab;
  /** Undefined: straight into the members. */
  dev: Dev | undefined;
  prefix: string;
  count: number;
  ops: string;
  template?: 'deployment' | 'running';
  /** Per second; absent: as fast as 8 writers go. */
  rate?: number;
  /** True: waits for the status on the host's object too. */
  status?: boolean;
  /** The objects are there from an earlier call. */
  isAdopting?: boolean;
};

/** Writers, as in the published figures of the peers. */
export const WRITERS = 8;
const NAMESPACE = { ours: 'bench', direct: 'bench-direct' };
const OP_TIMEOUT_S = 300;
const RUN_TIMEOUT_MS = 900_000;

/** Runs one load; throws when anything was not placed or an operation failed, as such figures mean nothing. */
export async function runLoad(context: BenchContext, load: Load): Promise<readonly Operation[]> {
  const { fedbench } = await context.tools();
  const { ops } = await runJson<{ ops: Operation[] }>(fedbench, loadArguments(context, load), RUN_TIMEOUT_MS);
  for (const { op, unplaced, errors, no_status = 0, first_error = '' } of ops)
    if (unplaced > 0 || errors > 0 || no_status > 0)
      throw new Error(`${op}: ${unplaced} not placed, ${no_status} without status, ${errors} errors ${first_error}`);
  return ops;
}

function loadArguments({ root }: BenchContext, load: Load): string[] {
  const { lab, dev, prefix, count, ops, template = 'deployment', rate, status, isAdopting } = load;
  const file = (name: string) => join(root, 'test/bench/fedbench', `${name}.yaml`);
  const processes = dev ? [`lamiral=${dev.pid}`] : [];
  const options: Record<string, string> = {
    members: lab.clusters.map(({ name }) => `${name}=${lab.kubeconfig}#${name}`).join(','),
    template: file(template),
    prefix,
    count: String(count),
    ops,
    concurrency: String(WRITERS),
    namespace: dev ? NAMESPACE.ours : NAMESPACE.direct,
    timeout: `${OP_TIMEOUT_S}s`,
    'status-timeout': status ? '60s' : '0',
    proc: processes.join(','),
    settle: '0s',
    'api-metrics': 'false',
    ...(rate === undefined ? {} : { rate: String(rate) }),
    ...(isAdopting ? { adopt: 'true' } : {}),
    ...(dev ? { host: `${dev.kubeconfig}#lamiral`, setup: file('setup') } : { direct: 'true' }),
  };
  return Object.entries(options).map(([name, value]) => `--${name}=${value}`);
}
