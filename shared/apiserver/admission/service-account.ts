/** Upstream's ServiceAccount plugin: every pod runs as an account that exists, with its pull secrets and a token that its containers can read. */
import type { Struct } from '../../apis/defaults/fill.ts';
import { struct } from '../../apis/defaults/fill.ts';
import { prepareCreate } from '../../apis/lifecycle.ts';
import { fromStored, toStored } from '../../apis/stored.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { AdmissionRequest, AdmissionStep } from '../server.ts';
import type { AdmissionDeps } from './chain.ts';
import { concernsNewPods, refuse } from './refuse.ts';
import { secretNames, secretRefusal } from './secret-references.ts';

const SCOPE = '/serviceaccounts';
const DEFAULT = 'default';
const VOLUME_PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An hour and seven seconds: what marks tokens that were asked for by this plugin alone. */
const TOKEN_SECONDS = 3607;
const DEFAULT_MODE = 420;
const MIRROR = 'kubernetes.io/config.mirror';
const ENFORCE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

export function serviceAccount(deps: AdmissionDeps): AdmissionStep {
  return {
    name: 'ServiceAccount',
    concerns: concernsNewPods,
    async mutate(request) {
      const { object } = request;
      if (!object) return;
      if (object.metadata.annotations?.[MIRROR] !== undefined) return refuseMirror(request, object);
      const spec = struct(object, 'spec');
      if (!spec.serviceAccountName) spec.serviceAccountName = spec.serviceAccount || DEFAULT;
      const account = await requireAccount(deps, request, String(spec.serviceAccountName));
      if (shouldMount(spec, account)) mountToken(spec, () => `${VOLUME_PREFIX}${deps.ids.suffix()}`);
      if (isEmpty(spec.imagePullSecrets) && !isEmpty(account.imagePullSecrets))
        spec.imagePullSecrets = account.imagePullSecrets.map(({ name }: Struct) => ({ name }));
      const isLimited = account.metadata.annotations?.[ENFORCE_SECRETS] === 'true';
      const refusal = isLimited ? secretRefusal(spec, account) : undefined;
      if (refusal !== undefined) throw refuse(request, refusal);
    },
  };
}

function refuseMirror(request: AdmissionRequest, { spec }: KubeObject): void {
  if (spec?.serviceAccountName) throw refuse(request, 'a mirror pod may not reference service accounts');
  if (spec && secretNames(spec).length > 0) throw refuse(request, 'a mirror pod may not reference secrets');
  const projected: Struct[] = (spec?.volumes ?? []).flatMap((volume: Struct) => volume?.projected?.sources ?? []);
  if (projected.some((source) => source?.serviceAccountToken))
    throw refuse(request, 'a mirror pod may not use ServiceAccountToken volume projections');
}

/**
 * The account, or 403. The one called `default` belongs to every namespace: where its controller was not there yet it is made here, as upstream waits for it.
 */
async function requireAccount(deps: AdmissionDeps, request: AdmissionRequest, name: string): Promise<KubeObject> {
  const { namespace } = request;
  const stored = await deps.store.objects.get({ scope: SCOPE, namespace, name });
  if (stored) return fromStored(stored);
  if (name === DEFAULT) return makeDefault(deps, request);
  throw refuse(request, `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`);
}

async function makeDefault(deps: AdmissionDeps, { namespace, dryRun }: AdmissionRequest): Promise<KubeObject> {
  const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: DEFAULT, namespace } };
  const definition = deps.registry().byScope(SCOPE);
  if (dryRun || !definition) return account;
  const made = prepareCreate(definition, account, { now: deps.clock.now(), uid: deps.ids.uid() });
  // Who was faster made the same.
  await deps.store.objects.write({ operations: [{ type: 'create', object: toStored(definition, made) }], writer: 'controller' });
  return made;
}

function shouldMount(spec: Struct, account: KubeObject): boolean {
  return spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
}

/** Every container that mounts nothing at the place of the token gets it; the volume is added once, when one does. */
function mountToken(spec: Struct, makeName: () => string): void {
  const volumes: Struct[] = Array.isArray(spec.volumes) ? spec.volumes : [];
  const present = volumes.find((volume) => String(volume?.name).startsWith(VOLUME_PREFIX));
  const name: string = present?.name ?? makeName();
  let isNeeded = false;
  for (const container of [...containersOf(spec.initContainers), ...containersOf(spec.containers)]) {
    const mounts: Struct[] = Array.isArray(container.volumeMounts) ? container.volumeMounts : [];
    if (mounts.some((mount) => mount?.mountPath === MOUNT_PATH)) continue;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }];
    isNeeded = true;
  }
  if (isNeeded && !present) spec.volumes = [...volumes, { name, projected: tokenSource() }];
}

function tokenSource(): Struct {
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
    ],
    defaultMode: DEFAULT_MODE,
  };
}

function containersOf(value: unknown): Struct[] {
  return Array.isArray(value) ? value.filter((container) => typeof container === 'object' && container !== null) : [];
}

const isEmpty = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;
