/** A test server with the API's own controllers behind it, driven by its log as a simulated member drives them. */
import { startHousekeeping } from '../../../localstack/members/controllers/housekeeping.ts';
import { seededIds } from '../../../shared/adapters/memory/ids.ts';
import type { ApiServerDeps } from '../../../shared/apiserver/server.ts';
import { startTestServer, type TestServer } from './server.ts';

export const CA = 'the CA of the tests';

export type ControlledServer = TestServer & {
  /** Resolves with the first answer of `read` that is not undefined; it is asked again after every commit. Fails after `attempts` commits. */
  until<T>(read: () => Promise<T | undefined>, attempts?: number): Promise<T>;
};

export async function startControlledServer(overrides: Partial<ApiServerDeps> = {}): Promise<ControlledServer> {
  const api = await startTestServer(overrides);
  const housekeeping = await startHousekeeping({
    cluster: 'test',
    store: api.medium.store,
    registry: () => api.registry,
    clock: api.clock,
    ids: seededIds(9),
    log: api.log,
    caCert: CA,
  });
  return {
    ...api,
    until: async (read, attempts = 200) => {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        let stop: () => void = () => undefined;
        const committed = new Promise<void>((resolve) => {
          stop = api.medium.store.lanes.onCommit(() => resolve());
        });
        const value = await read();
        if (value === undefined) await committed;
        stop();
        if (value !== undefined) return value;
      }
      throw new Error('what was waited for did not come');
    },
    close: async () => {
      await housekeeping.close();
      await api.close();
    },
  };
}
