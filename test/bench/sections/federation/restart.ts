/** How long after a start with many objects a new one is placed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { KubeObject } from '../../../../shared/machinery/object.ts';
import type { BenchContext } from '../../context.ts';
import { launchDev, readAccess } from '../../processes/dev.ts';
import type { Lab } from '../../processes/lab.ts';
import { atMost, median, shown, type Table, type Target } from '../../report/table.ts';

/** Seconds since the program was started. */
export type Restart = { acceptedS: number; placedS: number };

type Given = { lab: Lab; dataDir: string; flags: readonly string[]; rounds: number };

const PATH = '/apis/apps/v1/namespaces/bench/deployments';
const POLL_MS = 5;
const TIMEOUT_MS = 60_000;

/** Starts the program on the data, as often as asked; it runs at no time but for that. */
export async function measureRestart(context: BenchContext, given: Given): Promise<Restart[]> {
  const restarts: Restart[] = [];
  for (let round = 0; round < given.rounds; round++) {
    context.say(`federation: restart ${round + 1} of ${given.rounds}`);
    restarts.push(await restartOnce(context, given, `restart-${round}`));
  }
  return restarts;
}

async function restartOnce(context: BenchContext, { lab, dataDir, flags }: Given, name: string): Promise<Restart> {
  const { url, token, ca } = await readAccess(dataDir);
  const host = caller(url, token, ca);
  const members = lab.clusters.map((cluster) => caller(cluster.url, cluster.token, cluster.caCert ?? ''));
  // Connections to the members are open before the clock runs.
  for (const member of members) await member.call('GET', `${PATH}/${name}`);
  const started = performance.now();
  const launched = launchDev(context, dataDir, flags);
  const seconds = () => (performance.now() - started) / 1000;
  let ending: Error | undefined;
  launched.ready.catch((error: Error) => {
    ending = error;
  });
  await until('the new object is accepted', async () => {
    if (ending) throw ending;
    return (await host.call('POST', PATH, deployment(name))) === 201;
  });
  const acceptedS = seconds();
  await Promise.all(
    members.map((member) => until('it is on a member', async () => (await member.call('GET', `${PATH}/${name}`)) === 200)),
  );
  const placedS = seconds();
  await launched.ready;
  await host.call('DELETE', `${PATH}/${name}`);
  await launched.stop();
  await Promise.all([host, ...members].map(({ close }) => close()));
  return { acceptedS, placedS };
}

/** Resolves to the status code; 0 when nobody listens. */
function caller(url: string, token: string, ca: string) {
  const dispatcher = new Agent({ connect: { ca } });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    call: async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: KubeObject): Promise<number> => {
      try {
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        const response = await request(`${url}${path}`, { method, dispatcher, headers, ...sent });
        await response.body.dump();
        return response.statusCode;
      } catch {
        return 0;
      }
    },
    close: () => dispatcher.destroy(),
  };
}

async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`not within ${TIMEOUT_MS} ms: ${what}`);
    await sleep(POLL_MS);
  }
}

function deployment(name: string): KubeObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { ...labels, 'kubeadmiral.io/cluster-propagation-policy-name': 'bench' } },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] } },
    },
  };
}

/** Median of the restarts. */
export function restartTable(restarts: readonly Restart[], objects: number): Table {
  return {
    heading: `Restart with ${objects} objects, seconds from the start of the program, median of ${restarts.length}`,
    columns: ['', 'a new object is accepted', 'it is on all members'],
    rows: [
      [
        'lamiral',
        shown(median(restarts.map(({ acceptedS }) => acceptedS))),
        shown(median(restarts.map(({ placedS }) => placedS))),
      ],
      ['KubeAdmiral (published, 1,000)', '', '1.6-2.2'],
      ['Karmada (published, 1,000)', '', '16'],
    ],
  };
}

export function restartTargets(restarts: readonly Restart[]): Target[] {
  return [atMost('later', 'restart -> a new object placed', median(restarts.map(({ placedS }) => placedS)), 1, ' s')];
}
