/**
 * createApiServer: the Kubernetes API over a store and a registry of kinds, as a Hono app. The same server serves the API function,
 * `dev` and every simulated member cluster.
 */
import { Hono } from 'hono';
import { protobufData } from '../apis/data/load.ts';
import { once } from '../apis/once.ts';
import { createProtobufCodec } from '../machinery/codec/protobuf.ts';
import { connectionOf } from './authn/connection.ts';
import { tokenRequestView } from './authn/token-request.ts';
import type { Core } from './core.ts';
import { createFrontDoor } from './front-door.ts';
import { createNegotiator } from './http/accept.ts';
import { createAdmissionChain } from './resources/admit.ts';
import { reviewViews } from './reviews.ts';
import type { ApiServer, ApiServerDeps, View } from './server.ts';
import { createResourceService } from './service.ts';
import { guardStore } from './store.ts';
import { createConversion } from './types/convert.ts';
import { createVersionedStores } from './types/versioned.ts';
import { createWatchHub } from './watch/hub.ts';
import { createWebhookClient, storedServices } from './webhook-client.ts';

/** Builds the server. It listens nowhere: `app.fetch` is handed to whatever does. `close` ends open watches. */
export function createApiServer(given: ApiServerDeps): ApiServer {
  const deps: ApiServerDeps = { ...given, store: guardStore(given.store, given.log) };
  const core: Core = {
    deps,
    admission: createAdmissionChain(deps.admission),
    views: new Map([...reviewViews(deps), ...tokenViews(deps), ...deps.views]),
    negotiate: createNegotiator(),
    protobuf: once(() => createProtobufCodec(protobufData())),
    watches: createWatchHub(deps),
    objects: createVersionedStores(deps.store.objects, createConversion(webhooksOf(deps))),
  };
  const forget = deps.types?.onChange((registry) => core.watches.retire(registry));
  const answer = createFrontDoor(core);
  const app = new Hono();
  app.all('*', (context) => answer(context.req.raw, connectionOf(context.env)));
  const close = async () => {
    forget?.();
    await core.watches.close();
  };
  return { app, resources: createResourceService(core), close };
}

/** Conversion webhooks are asked where there is a way to. */
function webhooksOf({ http, store, ids, resolveService = storedServices(store) }: ApiServerDeps) {
  return http && { client: createWebhookClient({ http, resolveService }), ids };
}

/** Tokens are issued where there is a key to sign them. */
function tokenViews(deps: ApiServerDeps): [string, View][] {
  const { store, clock, ids, serviceAccounts } = deps;
  return serviceAccounts ? [['/serviceaccounts/token', tokenRequestView({ store, clock, ids, issuer: serviceAccounts })]] : [];
}
