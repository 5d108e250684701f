/** One simulated member cluster: the API server over a store of its own, and the controllers that play a cluster behind it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createHttp } from '../../shared/adapters/http/webhooks.ts';
import { systemClock } from '../../shared/adapters/memory/clock.ts';
import { systemIds } from '../../shared/adapters/memory/ids.ts';
import { openSqlite } from '../../shared/adapters/sqlite/open.ts';
import { builtInDefinitions } from '../../shared/apis/built-in.ts';
import { seedObjects } from '../../shared/apis/seeds.ts';
import { defaultAdmission } from '../../shared/apiserver/admission/chain.ts';
import { createApiServer } from '../../shared/apiserver/create.ts';
import { podViews, streamlessViews } from '../../shared/apiserver/pods/views.ts';
import type { ApiServer } from '../../shared/apiserver/server.ts';
import { openTypes } from '../../shared/apiserver/types/types.ts';
import type { Log } from '../../shared/ports/system.ts';
import { openAccess } from '../access.ts';
import { serveHttps } from '../dev/listen.ts';
import { ensureObjects, localEndpoints } from '../seed.ts';
import type { KeyPair } from '../tls.ts';
import type { MemberSpec } from './catalogue.ts';
import { kindsOf } from './controllers/context.ts';
import { startHousekeeping } from './controllers/housekeeping.ts';
import { nodeObjects } from './controllers/nodes.ts';
import { startControllers } from './controllers/run.ts';

/** Simulated pods are words in a store: nothing runs that could write or listen. */
const explainSimulated = async ({ namespace, name }: { namespace: string; name: string }, stream: string): Promise<string> =>
  `pod ${namespace}/${name} is simulated: no process runs in it, so there is no ${stream} to give`;

/** The Kubernetes version that simulated members say they are. */
const VERSION = { major: '1', minor: '35', gitVersion: 'v1.35.4' };

export type MemberOptions = {
  spec: MemberSpec;
  dir: string;
  tls: KeyPair;
  caCert: string;
  token: string /** 0: any free port. */;
  port: number;
};
export type RunningMember = {
  url: string;
  port: number;
  kubeSystemUid: string;
  settled(): Promise<void>;
  close(): Promise<void>;
};

/** Starts a member on the state that its folder holds, or with a new one. Rejects when the state cannot be opened. */
export async function startMember(options: MemberOptions, log: Log): Promise<RunningMember> {
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  const clock = systemClock();
  const ids = systemIds();
  const medium = openSqlite({ path: join(options.dir, 'state.db'), durability: 'normal', clock });
  const types = await openTypes({ store: medium.store, base: builtInDefinitions(), clock, log });
  const { registry } = types;
  const access = await openAccess({
    store: medium.store,
    clock,
    log,
    token: options.token,
    keyPath: join(options.dir, 'sa.key'),
  });
  const http = createHttp();
  const server: ApiServer = createApiServer({
    store: medium.store,
    registry,
    types,
    clock,
    ids,
    log,
    http,
    ...access,
    admission: defaultAdmission({ store: medium.store, registry, clock, ids, log, http, ...access }),
    views: new Map([...podViews({ resources: () => server.resources, registry, clock }), ...streamlessViews(explainSimulated)]),
    version: VERSION,
    readiness: new Map(),
  });
  const kinds = kindsOf(registry());
  await ensureObjects(server, registry(), [
    ...seedObjects(),
    ...localEndpoints(),
    ...nodeObjects(options.spec, VERSION.gitVersion, clock.now()),
  ]);
  const controllers = await startControllers({
    cluster: options.spec.name,
    store: medium.store,
    registry: registry(),
    api: server.resources,
    clock,
    ids,
    log,
  });
  const housekeeping = await startHousekeeping({
    cluster: options.spec.name,
    store: medium.store,
    registry,
    clock,
    ids,
    log,
    caCert: options.caCert,
    signer: access.serviceAccounts.signer,
  });
  const listening = await serveHttps(server.app, options.tls, options.port, false);
  const kubeSystem = await server.resources.get(kinds('namespaces'), '', 'kube-system');
  return {
    url: listening.url,
    port: listening.port,
    kubeSystemUid: kubeSystem.metadata.uid ?? '',
    settled: controllers.settled,
    close: async () => {
      await server.close();
      await listening.close();
      await controllers.close();
      await housekeeping.close();
      medium.close();
    },
  };
}
