/** Migration that a user asks for by annotation: caps on clusters (replicas) and evictions until a time (workloads). KubeAdmiral's keys and rules. */
import { parseJson } from '../../machinery/codec/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import { getPath } from '../../machinery/paths.ts';
import { canonicalTime, parseTime } from '../../machinery/time.ts';

/** What the user writes on the source. */
export const MIGRATION_CONFIGURATION = 'kubeadmiral.io/migration-configuration';
/** What is applied, on the federated object and copied back to the source. */
export const APPLIED_MIGRATION_CONFIGURATION = 'kubeadmiral.io/applied-migration-configuration';
/** What auto-migration learnt, on the federated object. */
export const AUTO_MIGRATION_INFO = 'kubeadmiral.io/auto-migration-info';

/** A checked configuration. Times are RFC 3339. */
export type MigrationConfiguration = {
  replicasMigrations: readonly { cluster: string; limitedCapacity: number }[];
  workloadMigrations: readonly { cluster: string; validUntil: string }[];
};

/** The applied form; both parts are left out when empty. */
export type AppliedMigration = {
  limitedCapacity?: Record<string, number>;
  unavailableClusters?: { cluster: string; validUntil: string }[];
};

export type MigrationCheck = { type: 'valid'; configuration: MigrationConfiguration } | { type: 'invalid'; message: string };

/** Checks a configuration: every cluster named once over both lists, capacities and times present, a count to divide where replicas migrate. */
export function checkMigration(config: JsonValue | undefined, template: KubeObject, replicasPath: string): MigrationCheck {
  const invalid = (message: string): MigrationCheck => ({ type: 'invalid', message });
  if (!isObject(config)) return invalid('must be a JSON object');
  const replicas = config.replicasMigrations ?? [];
  const workloads = config.workloadMigrations ?? [];
  if (!Array.isArray(replicas) || !Array.isArray(workloads))
    return invalid('replicasMigrations and workloadMigrations must be lists');
  if (replicas.length > 0 && typeof readCount(template, replicasPath) !== 'number')
    return invalid('replicasMigrations need a replica count in the object');
  const seen = new Set<string>();
  for (const entry of [...replicas, ...workloads]) {
    const cluster = isObject(entry) ? entry.cluster : undefined;
    if (typeof cluster !== 'string' || cluster === '') return invalid('every entry needs a cluster');
    if (seen.has(cluster)) return invalid(`cluster ${cluster} is listed twice`);
    seen.add(cluster);
  }
  const wrongReplicas = replicas.find((entry) => !isCapacity(entry));
  if (wrongReplicas !== undefined) return invalid('every replicas migration needs a limitedCapacity of 0 or more');
  const wrongWorkload = workloads.find((entry) => !isUntil(entry));
  if (wrongWorkload !== undefined) return invalid('every workload migration needs a validUntil time (RFC 3339)');
  return {
    type: 'valid',
    configuration: { replicasMigrations: replicas, workloadMigrations: workloads } as unknown as MigrationConfiguration,
  };
}

/** The applied form, sorted by cluster. */
export function convertMigration({ replicasMigrations, workloadMigrations }: MigrationConfiguration): AppliedMigration {
  const limits = [...replicasMigrations].sort(byCluster);
  const evictions = [...workloadMigrations].sort(byCluster);
  return {
    ...(limits.length === 0
      ? {}
      : { limitedCapacity: Object.fromEntries(limits.map(({ cluster, limitedCapacity }) => [cluster, limitedCapacity])) }),
    ...(evictions.length === 0
      ? {}
      : {
          unavailableClusters: evictions.map(({ cluster, validUntil }) => ({ cluster, validUntil: canonicalTime(validUntil) })),
        }),
  };
}

/** Text of the applied annotation for the text that the user wrote. */
export function appliedMigrationText(
  text: string,
  template: KubeObject,
  replicasPath: string,
): { type: 'ok'; text: string } | { type: 'invalid'; message: string } {
  const config = parsed(text);
  if (config === undefined) return { type: 'invalid', message: 'is not JSON' };
  const check = checkMigration(config, template, replicasPath);
  if (check.type === 'invalid') return check;
  return { type: 'ok', text: JSON.stringify(convertMigration(check.configuration)) };
}

/** Limits and evictions by cluster; `until` in epoch ms. A text that cannot be read counts as none. */
export type MigrationLimits = { limited: ReadonlyMap<string, number>; evictedUntil: ReadonlyMap<string, number> };

/** Reads an applied form, as an object or as the annotation's text. */
export function migrationLimits(applied: AppliedMigration | undefined): MigrationLimits {
  const limited = new Map(Object.entries(applied?.limitedCapacity ?? {}));
  const evictedUntil = new Map<string, number>();
  for (const { cluster, validUntil } of applied?.unavailableClusters ?? []) {
    const until = readTime(validUntil);
    if (until !== undefined) evictedUntil.set(cluster, until);
  }
  return { limited, evictedUntil };
}

/** What auto-migration learnt of the clusters. Negative estimates are dropped. */
export type AutoMigrationInfo = { estimatedCapacity?: Record<string, number>; scheduledReplicas?: Record<string, number> };

/** Reads a JSON annotation of ours; undefined where it is absent or broken. */
export function readJsonAnnotation<T>(text: string | undefined): T | undefined {
  const value = text === undefined ? undefined : parsed(text);
  return isObject(value) ? (value as unknown as T) : undefined;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readCount(template: KubeObject, path: string): JsonValue | undefined {
  return path === '' ? undefined : getPath(template, path);
}

function isCapacity(entry: JsonValue): boolean {
  return isObject(entry) && Number.isSafeInteger(entry.limitedCapacity) && Number(entry.limitedCapacity) >= 0;
}

function isUntil(entry: JsonValue): boolean {
  return isObject(entry) && readTime(entry.validUntil) !== undefined;
}

function readTime(text: JsonValue | undefined): number | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function byCluster(a: { cluster: string }, b: { cluster: string }): number {
  return a.cluster < b.cluster ? -1 : a.cluster > b.cluster ? 1 : 0;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
