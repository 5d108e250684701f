/** Decisions through the `plan(snapshot)` that production calls: federated object, placement, overrides and complete explanation. */

import { plan } from '../../../shared/federation/plan.ts';
import type { DecisionSpec } from '../../../shared/federation/scheduling/decision.ts';
import type { Plan, PlanSnapshot } from '../../../shared/federation/snapshot.ts';
import type { BenchContext, Section } from '../context.ts';
import { type Mode, PEER_DECISION_US } from '../report/anchors.ts';
import { atMost, type Findings, quantile, shown, type Target } from '../report/table.ts';
import { firstSnapshot, mixedClusters, nextSnapshot } from './snapshots.ts';

const SIZES = [3, 100, 500, 5000];
const MODES: readonly Mode[] = ['duplicate', 'dynamic', 'static'];
const NAMES: Record<Mode, string> = {
  duplicate: 'Duplicate',
  dynamic: 'Divide, dynamic weights',
  static: 'Divide, static weights',
};
const NOW = Date.parse('2026-01-01T00:00:00Z');
const SMALL_GOAL_US = 60;

type Planned = Extract<Plan, { type: 'planned' }>;
/** Processor time is what a decision costs; clock time is what one waits, and what other work on the machine disturbs. */
type Measured = { cpuUs: number; meanUs: number; p50Us: number; p99Us: number };
type Row = { clusters: number; mode: Mode; first: Measured; again: Measured; chosen: number; bytes: number };

export const decisionsSection: Section = {
  name: 'decisions',
  needsGo: false,
  title: 'Decisions',
  run: async (context) => {
    const rows = SIZES.flatMap((clusters) => MODES.map((mode) => measureRow(context, clusters, mode)));
    context.report(findings(rows));
  },
};

function measureRow(context: BenchContext, clusters: number, mode: Mode): Row {
  context.say(`decisions: ${clusters} clusters, ${NAMES[mode]}`);
  const first = firstSnapshot(mixedClusters(clusters), mode);
  const planned = complete(first);
  // What is stored is read back as JSON.
  const stored = (object: unknown) => JSON.parse(JSON.stringify(object));
  const again = nextSnapshot(first, stored(planned.federated), stored(planned.decision));
  complete(again);
  const seconds = context.isQuick ? 0.1 : 2;
  return {
    clusters,
    mode,
    first: measure(first, seconds),
    again: measure(again, seconds),
    chosen: planned.placements.length,
    bytes: JSON.stringify(planned.decision).length,
  };
}

/** Plans, and insists on a placement that is explained for every cluster. */
function complete(snapshot: PlanSnapshot): Planned {
  const result = plan(snapshot, NOW);
  if (result.type !== 'planned' || result.placements.length === 0) throw new Error(`nothing was placed: ${result.type}`);
  const explained = new Set(
    (result.decision.spec as DecisionSpec).clusters.filter(({ why }) => why !== '').map(({ cluster }) => cluster),
  );
  const missing = snapshot.clusters.find(({ name }) => !explained.has(name));
  if (missing) throw new Error(`the decision does not explain ${missing.name}`);
  return result;
}

/** The same decision again and again; the first part warms up and does not count. Nothing is kept from one to the next. */
function measure(snapshot: PlanSnapshot, seconds: number): Measured {
  const until = (ms: number): number[] => {
    const times: number[] = [];
    const end = performance.now() + ms;
    while (performance.now() < end || times.length < 5) {
      const started = performance.now();
      plan(snapshot, NOW);
      times.push(performance.now() - started);
    }
    return times;
  };
  until(seconds * 500);
  const before = process.cpuUsage();
  const times = until(seconds * 1000);
  const { user, system } = process.cpuUsage(before);
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  return {
    cpuUs: (user + system) / times.length,
    meanUs: mean * 1000,
    p50Us: quantile(times, 0.5) * 1000,
    p99Us: quantile(times, 0.99) * 1000,
  };
}

function better(row: Row): number {
  const peers = PEER_DECISION_US[row.clusters]?.[row.mode];
  return peers ? Math.min(peers.kubeadmiral, peers.karmada) : Number.NaN;
}

function findings(rows: readonly Row[]): Findings {
  const targets = rows.map(({ clusters, mode, first, ...rest }): Target => {
    const what = `decision, ${clusters} clusters, ${NAMES[mode]}`;
    if (clusters === 3) return atMost('later', what, first.meanUs, SMALL_GOAL_US, ' us');
    return atMost('later', `${what}, of the better peer`, first.meanUs / better({ clusters, mode, first, ...rest }), 0.5, 'x');
  });
  return {
    tables: [
      {
        heading: '1,000 replicas, complete explanation kept; microseconds',
        columns: [
          'clusters',
          'mode',
          'p50',
          'mean',
          'p99',
          'CPU',
          'decisions/s',
          'KubeAdmiral',
          'Karmada',
          'of the better',
          'replicas changed',
          'clusters chosen',
          'explanation kB',
        ],
        rows: rows.map((row) => [
          String(row.clusters),
          NAMES[row.mode],
          shown(row.first.p50Us),
          shown(row.first.meanUs),
          shown(row.first.p99Us),
          shown(row.first.cpuUs),
          shown(1e6 / row.first.meanUs),
          shown(PEER_DECISION_US[row.clusters]?.[row.mode].kubeadmiral),
          shown(PEER_DECISION_US[row.clusters]?.[row.mode].karmada),
          `${shown(row.first.meanUs / better(row))}x`,
          shown(row.again.meanUs),
          String(row.chosen),
          shown(row.bytes / 1000),
        ]),
      },
    ],
    targets,
    notes: [
      "The peers' figures are their published ones: the scheduler alone, without an explanation. Ours is the whole plan: federated object, placement, overrides, decision.",
    ],
  };
}
