/** A SchedulingDecision as a table for people: every cluster once, winners too, and why. */
import type { KubeObject } from '../machinery/object.ts';
import { leaderText } from './plan/texts.ts';
import type { ClusterDecision, DecisionSpec } from './scheduling/decision.ts';

const COLUMNS = ['CLUSTER', 'REPLICAS', 'WAS', 'FREE', 'WEIGHT', 'SCORE', 'WHY'];
const GAP = '   ';
const ABSENT = '-';
/** Clusters whose rounding is shown. */
const ROUNDED_MAX = 8;
const MILLI = 1000;
/** Below this many millicores a decimal is shown. */
const PRECISE_BELOW_MILLI = 10_000;

/** The text that `lamiral explain` prints, without a trailing newline. */
export function explainDecision(decision: KubeObject): string {
  const spec = decision.spec as DecisionSpec;
  return [headline(spec), ...table(spec), '', ...footer(spec)].join('\n').trimEnd();
}

/** 0 placed as asked for, 8 not or only partly placed: exit codes of `lamiral explain`. */
export function explainExitCode(decision: KubeObject): 0 | 8 {
  const { scheduled } = decision.spec as DecisionSpec;
  return scheduled.status === 'True' && scheduled.reason !== 'PartlyScheduled' ? 0 : 8;
}

function headline(spec: DecisionSpec): string {
  const { source, policy } = spec;
  const subject = `${source.pluralName} ${source.namespace ? `${source.namespace}/` : ''}${source.name}`;
  const replicas =
    spec.replicas === undefined
      ? ''
      : `${spec.replicas} ${spec.replicas === 1 ? 'replica' : 'replicas'}${spec.mode === 'Duplicate' ? ' each' : ''}, `;
  const rule = policy ? `policy ${policy.name}${modeText(spec)}` : 'no policy';
  const decision = spec.decision === 0 ? 'not selected' : `decision ${spec.decision}`;
  return `${subject}   ${decision}   ${replicas}${rule}`;
}

function modeText({ mode, weights, strategy }: DecisionSpec): string {
  if (!mode) return '';
  if (mode === 'Duplicate') return ' (Duplicate)';
  if (strategy === 'Binpack') return ' (Divide, packed)';
  if (!weights) return ' (Divide)';
  return weights.source === 'dynamic' ? ' (Divide, weights from free capacity)' : ' (Divide, weights of the policy)';
}

function table(spec: DecisionSpec): string[] {
  const leaders = leadersByCluster(spec);
  const weights = spec.clusters.reduce((sum, { weight }) => sum + (weight ?? 0), 0);
  const rows = [...spec.clusters]
    .map((entry) => ({ entry, placed: isPlaced(entry, leaders) }))
    .sort((a, b) => Number(b.placed) - Number(a.placed) || byReplicasThenName(a.entry, b.entry))
    .map(({ entry }) => row(spec, entry, weights, leaders.get(entry.cluster)));
  const widths = COLUMNS.map((title, column) => Math.max(title.length, widest(rows, column)));
  return [COLUMNS, ...rows].map((cells) =>
    cells
      .map((cell, column) => (column === COLUMNS.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join(GAP)
      .trimEnd(),
  );
}

function widest(rows: readonly string[][], column: number): number {
  let longest = 0;
  for (const cells of rows) longest = Math.max(longest, cells[column]?.length ?? 0);
  return longest;
}

function row(spec: DecisionSpec, entry: ClusterDecision, weights: number, leaders: string | undefined): string[] {
  const follows = leaders === undefined ? '' : `follows ${leaders}`;
  const placed = entry.replicas !== undefined;
  return [
    entry.cluster,
    placed ? countText(entry.replicas, spec) : follows === '' ? ABSENT : 'all',
    entry.before === undefined ? ABSENT : countText(entry.before, spec),
    entry.free ? `${cpuText(entry.free.cpuMilli)} cpu` : ABSENT,
    entry.weight === undefined || weights === 0 ? ABSENT : `${Math.round((entry.weight * 100) / weights)}%`,
    entry.score === undefined ? ABSENT : String(entry.score),
    placed || follows === '' ? entry.why : follows,
  ];
}

/** A cluster that runs the template's own count shows that count. */
function countText(replicas: number | null | undefined, spec: DecisionSpec): string {
  if (typeof replicas === 'number') return String(replicas);
  return spec.replicas === undefined ? 'all' : String(spec.replicas);
}

function cpuText(milli: number): string {
  if (Math.abs(milli) >= PRECISE_BELOW_MILLI || milli % MILLI === 0) return String(Math.round(milli / MILLI));
  return (milli / MILLI).toFixed(1);
}

function footer(spec: DecisionSpec): string[] {
  const lines: [string, string][] = [];
  const passing = spec.clusters.filter(({ rejections }) => rejections === undefined).length;
  if (spec.scheduled.status === 'False') lines.push(['Not scheduled', spec.scheduled.message]);
  else if (spec.scheduled.reason === 'PartlyScheduled') lines.push(['Partly scheduled', spec.scheduled.message]);
  if (spec.plugins) {
    const limit = spec.maxClusters === undefined ? 'maxClusters is not set' : `maxClusters is ${spec.maxClusters}`;
    lines.push(['Chosen because', `${passing} of ${spec.clusters.length} clusters pass every filter; ${limit}.`]);
  }
  const rounding = roundingText(spec);
  if (rounding !== undefined) lines.push([isKept(spec) ? 'Not moved' : 'Rounding', rounding]);
  if (spec.deferred) lines.push(['Held back', `changes since then do not schedule anew: ${spec.deferred}`]);
  for (const note of spec.notes ?? []) lines.push(['Note', note]);
  const width = Math.max(0, ...lines.map(([title]) => title.length));
  return lines.map(([title, text]) => `${title.padEnd(width)}  ${text}`);
}

/** `21.3 / 5.9 / 2.8 -> 21 / 6 / 3`; undefined where nothing was divided by weight. */
function roundingText({ clusters }: DecisionSpec): string | undefined {
  const divided = clusters.filter(({ share }) => share !== undefined).sort(byReplicasThenName);
  if (divided.length === 0) return undefined;
  const shown = divided.slice(0, ROUNDED_MAX);
  const rest = divided.length > shown.length ? ` and ${divided.length - shown.length} more` : '';
  const shares = shown.map(({ share }) => (share ?? 0).toFixed(1)).join(' / ');
  return `${shares} -> ${shown.map(({ replicas }) => replicas ?? 0).join(' / ')}${rest}`;
}

/** Whether the replicas stayed where they ran, far from where their weights would put them. */
function isKept({ clusters }: DecisionSpec): boolean {
  const divided = clusters.filter(({ share }) => share !== undefined);
  const isSame = divided.every(({ replicas, before }) => (replicas ?? 0) === (before ?? 0));
  return isSame && divided.some(({ replicas, share }) => Math.abs((replicas ?? 0) - (share ?? 0)) >= 1);
}

function leadersByCluster({ follows }: DecisionSpec): ReadonlyMap<string, string> {
  const names = new Map<string, string[]>();
  for (const { leader, clusters } of follows ?? [])
    for (const cluster of clusters) names.set(cluster, [...(names.get(cluster) ?? []), leaderText(leader)]);
  return new Map([...names].map(([cluster, leaders]) => [cluster, leaders.join(', ')]));
}

function isPlaced({ cluster, replicas }: ClusterDecision, leaders: ReadonlyMap<string, string>): boolean {
  return replicas !== undefined || leaders.has(cluster);
}

function byReplicasThenName(a: ClusterDecision, b: ClusterDecision): number {
  return (b.replicas ?? 0) - (a.replicas ?? 0) || (a.cluster < b.cluster ? -1 : 1);
}
