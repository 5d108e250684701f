/** Which Secrets a pod names, and why an account that lists its Secrets does not let it (annotation `enforce-mountable-secrets`). Pure. */
import type { Struct } from '../../apis/defaults/fill.ts';
import type { KubeObject } from '../../machinery/object.ts';

const listOf = (value: unknown): Struct[] => (Array.isArray(value) ? value : []);

/** Names of the Secrets that volumes, environments and image pulls of a pod refer to. */
export function secretNames(spec: Struct): string[] {
  const fromVolumes = listOf(spec.volumes).map((volume) => volume?.secret?.secretName);
  const fromContainers = [...listOf(spec.initContainers), ...listOf(spec.containers)].flatMap((container) => [
    ...listOf(container?.env).map((variable) => variable?.valueFrom?.secretKeyRef?.name),
    ...listOf(container?.envFrom).map((source) => source?.secretRef?.name),
  ]);
  const pulls = listOf(spec.imagePullSecrets).map(({ name }) => name);
  return [...fromVolumes, ...fromContainers, ...pulls].filter((name) => typeof name === 'string' && name !== '');
}

/** The first Secret that the account does not list, in upstream's words; undefined when it lists all. */
export function secretRefusal(spec: Struct, account: KubeObject): string | undefined {
  const allowed = new Set(listOf(account.secrets).map(({ name }) => name));
  const account_ = `service account ${account.metadata.name}`;
  for (const volume of listOf(spec.volumes)) {
    const name = volume?.secret?.secretName;
    if (name !== undefined && !allowed.has(name))
      return `volume with secret.secretName="${name}" is not allowed because ${account_} does not reference that secret`;
  }
  for (const [kind, containers] of [
    ['init container', spec.initContainers],
    ['container', spec.containers],
  ] as const)
    for (const container of listOf(containers)) {
      const refusal = containerRefusal(`${kind} ${container?.name}`, container, allowed, account_);
      if (refusal !== undefined) return refusal;
    }
  const pulls = new Set(listOf(account.imagePullSecrets).map(({ name }) => name));
  const at = listOf(spec.imagePullSecrets).findIndex(({ name }) => !pulls.has(name));
  return at < 0
    ? undefined
    : `imagePullSecrets[${at}].name="${spec.imagePullSecrets[at].name}" is not allowed because ${account_} does not reference that imagePullSecret`;
}

function containerRefusal(where: string, container: Struct, allowed: ReadonlySet<unknown>, account: string): string | undefined {
  const because = `is not allowed because ${account} does not reference that secret`;
  for (const variable of listOf(container?.env)) {
    const name = variable?.valueFrom?.secretKeyRef?.name;
    if (name !== undefined && !allowed.has(name))
      return `${where} with envVar ${variable.name} referencing secret.secretName="${name}" ${because}`;
  }
  for (const source of listOf(container?.envFrom)) {
    const name = source?.secretRef?.name;
    if (name !== undefined && !allowed.has(name))
      return `${where} with envFrom referencing secret.secretName="${name}" ${because}`;
  }
  return undefined;
}
