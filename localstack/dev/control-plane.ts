/** The control plane's API server: built-in kinds, KubeAdmiral's kinds and ours, seeded. */
import { explainElsewhere } from '../../functions/api/pods-elsewhere.ts';
import { policyWarning } from '../../functions/api/policy-warning.ts';
import { createHttp } from '../../shared/adapters/http/webhooks.ts';
import { builtInDefinitions } from '../../shared/apis/built-in.ts';
import type { Registry } from '../../shared/apis/definition.ts';
import { kubeadmiralDefinitions } from '../../shared/apis/kubeadmiral/kinds.ts';
import { lamiralDefinitions } from '../../shared/apis/lamiral/kinds.ts';
import { fromStored, storedScope } from '../../shared/apis/stored.ts';
import { defaultAdmission } from '../../shared/apiserver/admission/chain.ts';
import type { TokenCheck } from '../../shared/apiserver/authn/chain.ts';
import { createApiServer } from '../../shared/apiserver/create.ts';
import { podViews, streamlessViews } from '../../shared/apiserver/pods/views.ts';
import type { ApiServer, ApiServerDeps } from '../../shared/apiserver/server.ts';
import { openTypes } from '../../shared/apiserver/types/types.ts';
import { federatedType, federatedTypes, SCOPES } from '../../shared/federation/type-config.ts';
import type { Store } from '../../shared/ports/object-store.ts';
import type { Signer } from '../../shared/ports/signer.ts';
import type { Clock, Ids, Log } from '../../shared/ports/system.ts';
import { createMemberDescriptions, type MemberDescriptions } from '../../shared/runtime/descriptions.ts';
import { createObjectReader } from '../../shared/runtime/objects.ts';
import { createScopeCache } from '../../shared/runtime/scope-cache.ts';
import { openAccess } from '../access.ts';
import { bootstrap, isDefaultPlaced } from './bootstrap.ts';

/** The Kubernetes version that the API says it is: what kubectl compares its own with. */
const VERSION = { major: '1', minor: '35', gitVersion: 'v1.35.4+lamiral' };

export type ControlPlane = {
  server: ApiServer;
  registry: () => Registry;
  /** Signs tokens of ServiceAccounts. */
  signer: Signer;
  /** Where `kubectl explain` has its prose from. */
  descriptions: MemberDescriptions;
  /** Objects at start, for display. */
  objects: number;
  isDefaultPlaced(): Promise<boolean>;
};

type Deps = {
  store: Store;
  clock: Clock;
  ids: Ids;
  log: Log;
  token: string;
  keyPath: string;
  audit?: ApiServerDeps['audit'];
  checks?: readonly TokenCheck[];
};

/** Builds the server and puts the seeds there that are missing. */
export async function createControlPlane({
  store,
  clock,
  ids,
  log,
  token,
  keyPath,
  audit,
  checks = [],
}: Deps): Promise<ControlPlane> {
  const base = [...builtInDefinitions(), ...kubeadmiralDefinitions(), ...lamiralDefinitions()];
  const kinds = await openTypes({ store, base, clock, log });
  const { registry } = kinds;
  const types = createScopeCache(store, SCOPES.typeConfigs, (stored) => federatedType(fromStored(stored)), federatedTypes);
  const access = await openAccess({ store, clock, log, token, keyPath, checks });
  const http = createHttp();
  const descriptions = createMemberDescriptions();
  const server: ApiServer = createApiServer({
    store,
    registry,
    types: kinds,
    clock,
    ids,
    log,
    http,
    descriptions,
    ...access,
    ...(audit ? { audit } : {}),
    admission: [
      ...defaultAdmission({ store, registry, clock, ids, log, http, ...access }),
      policyWarning({ types, reader: createObjectReader(store.objects) }),
    ],
    views: new Map([
      ...podViews({ resources: () => server.resources, registry, clock }),
      ...streamlessViews(explainElsewhere(store.objects)),
    ]),
    version: VERSION,
    readiness: new Map(),
  });
  await bootstrap(server, registry());
  let objects = 0;
  for (const definition of registry().all()) {
    if (definition.virtual || definition.storedAs || registry().byScope(storedScope(definition)) !== definition) continue;
    objects += await countObjects(store, `${definition.group}/${definition.plural}`);
  }
  return {
    server,
    registry,
    signer: access.serviceAccounts.signer,
    descriptions,
    objects,
    isDefaultPlaced: () => isDefaultPlaced(server, registry()),
  };
}

async function countObjects(store: Store, scope: string): Promise<number> {
  const page = await store.objects.list({ scope, limit: 1 });
  return page.type === 'page' ? page.items.length + (page.remaining ?? 0) : 0;
}
