/**
 * Sequences of writes by several managers on one object, made from a seed: what the recorder plays on a real kube-apiserver, the replay test
 * on pure functions, and a test over HTTP on our own server. Pure: step for step the same everywhere.
 */
import type { JsonObject, JsonValue } from '../../../shared/machinery/object.ts';
import { formatApiVersion } from '../../../shared/machinery/resource.ts';
import type { OracleKind } from './kinds/kind.ts';
import { endpointSlice, ingress, networkPolicy, service } from './kinds/network.ts';
import { autoscaler, claim, configMap, disruptionBudget, role, secret, serviceAccount } from './kinds/others.ts';
import { cronJob, deployment, pod, statefulSet } from './kinds/workloads.ts';
import { createRandom, overlay, type Random } from './random.ts';

export type Step =
  | { type: 'create'; manager: string; object: JsonObject }
  | { type: 'apply'; manager: string; force: boolean; subresource: string; config: JsonObject }
  /** PUT of the live object with `change` merged in (RFC 7386), and with its managedFields kept, left out or reset to `[{}]`. */
  | { type: 'update'; manager: string; subresource: string; change: JsonObject; managedFields: 'keep' | 'drop' | 'reset' }
  | { type: 'patch'; manager: string; subresource: string; format: PatchFormat; body: JsonValue };

export type PatchFormat = 'json' | 'merge' | 'strategic';

/** All steps are about one object, `name` in one namespace. */
export type Sequence = { kind: OracleKind; name: string; steps: Step[] };

/** Every kind, most frequent first. */
export const ORACLE_KINDS: readonly OracleKind[] = [
  deployment,
  service,
  pod,
  configMap,
  serviceAccount,
  ingress,
  networkPolicy,
  endpointSlice,
  claim,
  statefulSet,
  secret,
  cronJob,
  autoscaler,
  disruptionBudget,
  role,
];

/** The media type of a patch format. */
export const PATCH_MEDIA_TYPES: Readonly<Record<PatchFormat, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** `count` sequences of a seed. */
export function createSequences(seed: number, count: number): Sequence[] {
  return Array.from({ length: count }, (_, index) => createSequence(seed * 1_000_003 + index, index));
}

function createSequence(seed: number, index: number): Sequence {
  const random = createRandom(seed);
  const kind = pickKind(random);
  const name = `s-${index}`;
  const make: Maker = { random, kind, name };
  const flavour = random.below(100);
  if (flavour < 8) return { kind, name, steps: kubectlSteps(make) };
  if (flavour < 11) return { kind, name, steps: crowdSteps(make) };
  const steps = [random.chance(0.35) ? createStep(make, 'alpha') : applyStep(make, 'alpha', true)];
  const length = 4 + random.below(6);
  while (steps.length < length) steps.push(laterStep(make));
  return { kind, name, steps };
}

type Maker = { random: Random; kind: OracleKind; name: string };

function pickKind(random: Random): OracleKind {
  const total = ORACLE_KINDS.reduce((sum, { weight }) => sum + weight, 0);
  let left = random.below(total);
  for (const kind of ORACLE_KINDS) {
    if (left < kind.weight) return kind;
    left -= kind.weight;
  }
  return deployment;
}

function identity({ kind, name }: Maker): JsonObject {
  return { apiVersion: formatApiVersion(kind.group, kind.version), kind: kind.kind, metadata: { name } };
}

function createStep(make: Maker, manager: string): Step {
  const object = overlay(identity(make), make.kind.base, make.kind.wish(make.random));
  return { type: 'create', manager, object };
}

/** `whole`: the configuration must be able to create the object. */
function applyStep(make: Maker, manager: string, whole: boolean): Step {
  const { random, kind } = make;
  const withBase = whole || random.chance(manager === 'alpha' ? 0.8 : 0.3);
  const config = overlay(
    identity(make),
    withBase ? kind.base : {},
    kind.wish(random),
    random.chance(0.02) ? mistake(random) : {},
  );
  return { type: 'apply', manager, force: random.chance(0.35), subresource: '', config };
}

/** What server-side apply refuses: a field that is not declared, a wrong type, an item twice. */
function mistake(random: Random): JsonObject {
  return random.pick<JsonObject>([
    { bogus: 1 },
    { metadata: { labels: { n: 1 } } },
    { metadata: { finalizers: ['example.com/a', 'example.com/a'] } },
    { metadata: { managedFields: [] } },
    { metadata: { annotations: 'x' } },
  ]);
}

function laterStep(make: Maker): Step {
  const { random, kind } = make;
  const manager = random.pick(['alpha', 'beta', 'beta']);
  if (kind.status !== undefined && random.chance(0.14)) return statusStep(make, manager, kind.status);
  if (kind.scale && random.chance(0.06))
    return { type: 'patch', manager, subresource: 'scale', format: 'merge', body: { spec: { replicas: random.below(5) } } };
  const choice = random.below(100);
  if (choice < 52) return applyStep(make, manager, false);
  if (choice < 70) return updateStep(make, manager);
  return patchStep(make, manager);
}

function updateStep({ random, kind }: Maker, manager: string): Step {
  const managedFields = random.chance(0.06) ? 'reset' : random.pick(['keep', 'keep', 'drop'] as const);
  return { type: 'update', manager, subresource: '', change: kind.wish(random), managedFields };
}

function patchStep({ random, kind }: Maker, manager: string): Step {
  const format = random.pick(['json', 'merge', 'strategic', 'strategic'] as const);
  const body = format === 'json' ? kind.operations(random) : kind.wish(random);
  return { type: 'patch', manager, subresource: '', format, body };
}

function statusStep(make: Maker, manager: string, status: (random: Random) => JsonObject): Step {
  const { random } = make;
  const wish = { status: status(random), ...(random.chance(0.1) ? { metadata: { labels: { tier: 's' } } } : {}) };
  const choice = random.below(3);
  if (choice === 0)
    return { type: 'apply', manager, force: random.chance(0.3), subresource: 'status', config: overlay(identity(make), wish) };
  if (choice === 1) return { type: 'update', manager, subresource: 'status', change: wish, managedFields: 'keep' };
  return { type: 'patch', manager, subresource: 'status', format: random.pick(['merge', 'strategic']), body: wish };
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Client-side apply, then server-side apply by kubectl over it. */
function kubectlSteps(make: Maker): Step[] {
  const { random, kind } = make;
  const config = overlay(identity(make), kind.base, kind.wish(random));
  const note = { metadata: { annotations: { [LAST_APPLIED]: `${JSON.stringify(config)}\n` } } };
  const object = hasTextAnnotations(config) ? overlay(config, note) : config;
  const steps: Step[] = [{ type: 'create', manager: 'kubectl-client-side-apply', object }];
  while (steps.length < 6) {
    if (random.chance(0.25)) steps.push(updateStep(make, 'beta'));
    else steps.push({ ...applyStep(make, 'kubectl', false), ...(random.chance(0.7) ? { force: false } : {}) } as Step);
  }
  return steps;
}

function hasTextAnnotations(config: JsonObject): boolean {
  const metadata = config.metadata as JsonObject;
  return metadata.annotations !== null;
}

/** More updaters than managedFields keeps apart. */
function crowdSteps(make: Maker): Step[] {
  const { random } = make;
  const steps: Step[] = [applyStep(make, 'alpha', true)];
  for (let updater = 0; updater < 13; updater += 1) {
    const body = { metadata: { labels: { [`l${random.below(9)}`]: `${updater}` } } };
    steps.push({ type: 'patch', manager: `updater-${updater}`, subresource: '', format: 'merge', body });
  }
  return [...steps, applyStep(make, 'alpha', false), updateStep(make, 'updater-0'), applyStep(make, 'beta', false)];
}
