/** One scheduling attempt: Filter -> Score -> Select -> Replicas over all clusters, with every plugin's answer kept. */
import type { JsonObject } from '../../machinery/object.ts';
import type { ClusterFacts, Placement, ResourceAmounts } from '../snapshot.ts';
import type { ClusterDecision, Rejection } from './decision.ts';
import { type DividedReplicas, normaliseScores, type PluginContext, type Profile, type ScoredCluster } from './framework.ts';
import { argsFor } from './profile.ts';
import { noFitMessage, whyDivided, whyNotMoved, whyNotSelected, whyRejected } from './reasons.ts';
import { currentReplicas } from './replicas/capacity-weight.ts';
import { fittingReplicas } from './resources.ts';
import type { SchedulingUnit } from './unit.ts';

/** `request`: what one replica really asks for, for the estimate of what fits. */
export type AttemptInput = {
  unit: SchedulingUnit;
  profile: Profile;
  clusters: readonly ClusterFacts[];
  request: ResourceAmounts;
  now: number;
};

/** `kept`: nothing was chosen; `placements` are what stays of the present ones. `clusters` has every cluster once, in the input's order. */
export type AttemptResult = {
  clusters: ClusterDecision[];
  placements: Placement[];
} & (
  | { type: 'placed'; weights?: NonNullable<DividedReplicas['weights']>; replicasPlugin?: string }
  | { type: 'kept'; reason: string; message: string }
);

/** A cluster on its way through the stages. */
type Candidate = { cluster: ClusterFacts; entry: ClusterDecision; evicted: boolean };
type Filtered = { candidates: Candidate[]; feasible: Candidate[]; held: Map<string, string>; failure: string | undefined };

const NO_ARGS: JsonObject = {};
const DISABLED_RESCHEDULING = 'disableRescheduling keeps the clusters that run it';

/** Runs an attempt. Never throws for what users write: an attempt that cannot be carried out keeps what runs, and says why. */
export function schedule(input: AttemptInput): AttemptResult {
  const { unit, profile } = input;
  const filtered = filterClusters(input);
  const entries = filtered.candidates.map(({ entry }) => entry);
  const keep = (reason: string, message: string): AttemptResult => keepCurrent(unit, filtered.candidates, reason, message);
  if (filtered.failure !== undefined) return keep('PluginFailed', filtered.failure);
  if (filtered.feasible.length === 0) return keep('Unschedulable', noFitMessage(entries));
  const selected = isSticky(unit, filtered.feasible)
    ? filtered.feasible.map(({ cluster }) => ({ cluster, score: 0 }))
    : select(input, filtered.feasible);
  if ('reason' in selected) return keep('Unschedulable', selected.reason);
  if (unit.mode === 'Duplicate') return duplicate(filtered, selected, input);
  if (unit.replicas <= 0) return nothingToDivide(entries);
  if (unit.strategy !== 'Binpack' && unit.strategy !== 'Spread')
    return keep('StrategyUnknown', `replicasStrategy ${unit.strategy} is not known here; Spread and Binpack are`);
  const plugin = profile.replicas[unit.strategy];
  const chosen = selected.map(({ cluster }) => cluster);
  const divided = plugin.divide(unit, chosen, argsFor(profile, plugin.name), filtered.held);
  if (divided.type === 'invalid') return keep('ReplicasFailed', divided.message);
  if (!divided.replicas.some((count) => count > 0)) return keep('Unschedulable', 'no selected cluster takes a replica');
  return divide(filtered, chosen, divided, plugin.name, input);
}

function filterClusters(input: AttemptInput): Filtered {
  const { unit, profile, now } = input;
  const filtered: Filtered = { candidates: [], feasible: [], held: new Map(), failure: undefined };
  const sticky = unit.sticky && unit.current.size > 0;
  for (const cluster of input.clusters) {
    const before = unit.current.get(cluster.name);
    const context: PluginContext = { unit, cluster, placed: before !== undefined, now, args: NO_ARGS };
    const candidate: Candidate = { cluster, evicted: false, entry: { cluster: cluster.name, verdict: 'NotSelected', why: '' } };
    if (before !== undefined) candidate.entry.before = before;
    filtered.candidates.push(candidate);
    if (sticky && !context.placed) reject(candidate.entry, { filter: 'StickyCluster', reason: DISABLED_RESCHEDULING });
    else runFilters(context, profile, candidate, filtered, sticky);
  }
  return filtered;
}

/** All filters run, so that a person sees every reason at once. A sticky unit leaves a cluster only where that was declared. */
function runFilters(context: PluginContext, profile: Profile, candidate: Candidate, filtered: Filtered, sticky: boolean): void {
  let leaves = false;
  let reason = '';
  for (const plugin of profile.filters) {
    const result = plugin.filter(context);
    if (result.type === 'accept') continue;
    if (result.type === 'failed') filtered.failure ??= `${plugin.name} on ${context.cluster.name}: ${result.reason}`;
    if (sticky && plugin.evicts !== 'always') continue;
    candidate.entry.rejections ??= [];
    candidate.entry.rejections.push({ filter: plugin.name, reason: result.reason });
    reason = result.reason;
    if (plugin.evicts !== 'never') leaves = true;
    if (plugin.evicts === 'always') candidate.evicted = context.placed;
  }
  if (candidate.entry.rejections === undefined) filtered.feasible.push(candidate);
  else if (context.placed && !leaves) {
    filtered.held.set(context.cluster.name, `${reason}: keeps what it runs`);
    filtered.feasible.push(candidate);
  } else {
    candidate.entry.verdict = 'Rejected';
    candidate.entry.why = whyRejected(candidate.entry.rejections);
  }
}

function reject(entry: ClusterDecision, rejection: Rejection): void {
  entry.verdict = 'Rejected';
  entry.rejections = [rejection];
  entry.why = rejection.reason;
}

function isSticky(unit: SchedulingUnit, feasible: readonly Candidate[]): boolean {
  return unit.sticky && unit.current.size > 0 && feasible.length > 0;
}

/** Scores and selects; fills the scores of every feasible cluster, and why those that lose do. */
function select(input: AttemptInput, feasible: readonly Candidate[]): ScoredCluster[] | { reason: string } {
  const { unit, profile } = input;
  const totals = scoreClusters(input, feasible);
  let scored: ScoredCluster[] = feasible.map(({ cluster }, index) => ({ cluster, score: totals[index] ?? 0 }));
  for (const plugin of profile.selects) {
    const result = plugin.select(unit, scored);
    if (result.type === 'unschedulable') return { reason: result.reason };
    scored = result.clusters;
  }
  if (scored.length === 0) return { reason: `maxClusters is ${unit.maxClusters ?? 0}: no cluster may be selected` };
  if (scored.length < feasible.length) explainLosers(unit, feasible, totals, new Set(scored.map(({ cluster }) => cluster.name)));
  return scored;
}

function explainLosers(
  unit: SchedulingUnit,
  feasible: readonly Candidate[],
  totals: Float64Array,
  chosen: ReadonlySet<string>,
): void {
  const order = feasible.map((_, index) => index).sort((a, b) => (totals[b] ?? 0) - (totals[a] ?? 0) || a - b);
  for (const [position, index] of order.entries()) {
    const candidate = feasible[index];
    if (candidate && !chosen.has(candidate.cluster.name))
      candidate.entry.why = whyNotSelected(unit, totals[index] ?? 0, position + 1);
  }
}

function scoreClusters(input: AttemptInput, feasible: readonly Candidate[]): Float64Array {
  const { unit, profile, now } = input;
  const totals = new Float64Array(feasible.length);
  for (const { entry } of feasible) entry.scores = {};
  for (const { plugin, weight } of profile.scores) {
    const args = argsFor(profile, plugin.name);
    const raw = new Float64Array(feasible.length);
    let at = 0;
    for (const { cluster, entry } of feasible)
      raw[at++] = plugin.score({ unit, cluster, placed: entry.before !== undefined, now, args });
    const normalised = plugin.normalise ? raw.slice() : raw;
    if (plugin.normalise) normaliseScores(normalised, plugin.normalise);
    at = 0;
    for (const { entry } of feasible) {
      const value = normalised[at] ?? 0;
      if (entry.scores) entry.scores[plugin.name] = [raw[at] ?? 0, value, value * weight];
      totals[at] = (totals[at] ?? 0) + value * weight;
      at++;
    }
  }
  let at = 0;
  for (const { entry } of feasible) entry.score = totals[at++] ?? 0;
  return totals;
}

function duplicate(filtered: Filtered, selected: readonly ScoredCluster[], input: AttemptInput): AttemptResult {
  const chosen = new Set(selected.map(({ cluster }) => cluster.name));
  const placements: Placement[] = [];
  for (const { cluster, entry } of filtered.candidates) {
    if (!chosen.has(cluster.name)) continue;
    entry.verdict = 'Selected';
    entry.replicas = null;
    entry.why = filtered.held.get(cluster.name) ?? 'passes every filter and runs a full copy';
    addCapacity(entry, cluster, input);
    placements.push({ cluster: cluster.name, replicas: null });
  }
  return { type: 'placed', clusters: filtered.candidates.map(({ entry }) => entry), placements };
}

function divide(
  filtered: Filtered,
  chosen: readonly ClusterFacts[],
  divided: DividedReplicas,
  replicasPlugin: string,
  input: AttemptInput,
): AttemptResult {
  const { unit } = input;
  const weights = divided.weights?.values;
  const sum = weights?.reduce((total, weight) => total + weight, 0) ?? 0;
  const heaviest = sum > 0 ? indexOfLargest(weights ?? []) : -1;
  const position = new Map(chosen.map(({ name }, index) => [name, index]));
  // Everything runs somewhere already, and what runs is not to be moved.
  const running = chosen.reduce((total, { name }) => total + currentReplicas(unit, name), 0);
  const isSettled = unit.avoidDisruption && running >= unit.replicas;
  const placements: Placement[] = [];
  for (const { cluster, entry } of filtered.candidates) {
    const index = position.get(cluster.name);
    if (index === undefined) continue;
    const replicas = divided.replicas[index] ?? 0;
    const weight = weights?.[index];
    if (replicas > 0) {
      entry.verdict = 'Selected';
      entry.replicas = replicas;
      placements.push({ cluster: cluster.name, replicas });
    } else entry.verdict = 'NotSelected';
    if (weight !== undefined) {
      entry.weight = weight;
      entry.share = sum > 0 ? Math.round((unit.replicas * weight * 10) / sum) / 10 : 0;
    }
    if (entry.before !== undefined) entry.before = currentReplicas(unit, cluster.name);
    addCapacity(entry, cluster, input);
    const note = divided.notes[index] ?? (isSettled ? whyNotMoved(entry) : undefined);
    entry.why = whyDivided(entry, note, index === heaviest ? divided.weights?.source : undefined);
  }
  const clusters = filtered.candidates.map(({ entry }) => entry);
  return { type: 'placed', clusters, placements, replicasPlugin, ...(divided.weights ? { weights: divided.weights } : {}) };
}

function indexOfLargest(values: readonly number[]): number {
  let largest = 0;
  for (let index = 1; index < values.length; index++) if ((values[index] ?? 0) > (values[largest] ?? 0)) largest = index;
  return largest;
}

function nothingToDivide(clusters: ClusterDecision[]): AttemptResult {
  for (const entry of clusters) if (entry.verdict !== 'Rejected') entry.why = 'the object asks for 0 replicas';
  return { type: 'placed', clusters, placements: [] };
}

/** What runs stays where it is, except where it was declared to go. */
function keepCurrent(unit: SchedulingUnit, candidates: readonly Candidate[], reason: string, message: string): AttemptResult {
  const placements: Placement[] = [];
  for (const { cluster, entry, evicted } of candidates) {
    const replicas = unit.current.get(cluster.name);
    if (replicas === undefined || evicted) {
      if (entry.why === '') entry.why = message;
      continue;
    }
    entry.verdict = 'Kept';
    entry.replicas = replicas;
    entry.why = entry.rejections ? `kept, although it ${whyRejected(entry.rejections)}` : `kept: ${message}`;
    placements.push({ cluster: cluster.name, replicas });
  }
  return { type: 'kept', reason, message, clusters: candidates.map(({ entry }) => entry), placements };
}

function addCapacity(entry: ClusterDecision, { available }: ClusterFacts, { request }: AttemptInput): void {
  entry.free = { cpuMilli: available.cpu ?? 0, memoryBytes: available.memory ?? 0 };
  const fits = fittingReplicas(request, available);
  if (fits !== undefined) entry.fits = fits;
}
