/**
 * Any input is answered with 2xx, 3xx or 4xx within a second, a refused one changes nothing, and no prototype is touched. 100,000 inputs in CI,
 * 2,000 elsewhere; FUZZ_SEED plays another run.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../integration/apiserver/server.ts';
import { createRandom, type Input, nextInput } from './fuzz-inputs.ts';

const INPUTS = process.env.CI === 'true' ? 100_000 : 2_000;
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const ANSWER_MS_MAX = 1000;
/** A fresh server now and then, so that what one input has left behind does not hide what the next would find. */
const INPUTS_PER_SERVER = 10_000;

let api: TestServer;
beforeAll(async () => {
  api = await startServer();
});
afterAll(() => api.close());

/** With the account that every namespace has: else the first pod, refused or not, would make it. */
async function startServer(): Promise<TestServer> {
  const server = await startTestServer();
  const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await server.send('POST', '/api/v1/namespaces/default/serviceaccounts', { body });
  return server;
}

type Outcome = { code: number; ms: number; written: boolean; text: string };

async function play({ method, path, headers, body }: Input): Promise<Outcome> {
  const before = api.medium.transactions().store;
  const started = process.cpuUsage();
  const response = await api.server.app.request(`https://test${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
  const isWatch = response.headers.get('x-content-type-options') === 'nosniff';
  if (isWatch) await response.body?.cancel();
  const text = isWatch ? '' : await response.text();
  const { user, system } = process.cpuUsage(started);
  return { code: response.status, text, ms: (user + system) / 1000, written: api.medium.transactions().store !== before };
}

function complaintOf({ code, ms, written, text }: Outcome): string | undefined {
  if (code >= 500 && !isUpstreams(code, text)) return `answered ${code}: ${text}`;
  if (ms > ANSWER_MS_MAX) return `took ${Math.round(ms)} ms of CPU`;
  return code >= 400 && written ? `was refused with ${code} and wrote` : undefined;
}

/**
 * What kube-apiserver answers so too, recorded in the oracle of applies: 504 for a version of the future, and a 500 without a reason for
 * configurations and strategic patches whose parts do not fit their types. Defects have a reason.
 */
function isUpstreams(code: number, text: string): boolean {
  if (code === 504) return true;
  const { reason, message } = JSON.parse(text) as { reason?: string; message: string };
  return code === 500 && reason === undefined && message !== '';
}

test(`${INPUTS} inputs of seed ${SEED}`, { timeout: 1_200_000 }, async () => {
  const prototype = Object.getOwnPropertyNames(Object.prototype).sort();
  const random = createRandom(SEED);
  const complaints: string[] = [];
  const codes = new Map<number, number>();
  for (let index = 0; index < INPUTS && complaints.length < 20; index += 1) {
    if (index > 0 && index % INPUTS_PER_SERVER === 0) {
      await api.close();
      api = await startServer();
    }
    const input = nextInput(random);
    const outcome = await play(input);
    codes.set(outcome.code, (codes.get(outcome.code) ?? 0) + 1);
    const complaint = complaintOf(outcome);
    if (complaint)
      complaints.push(
        `${index}: ${input.method} ${input.path} ${complaint}: ${JSON.stringify({ ...input, body: String(input.body).slice(0, 400) })}`,
      );
  }
  expect(complaints).toEqual([]);
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(prototype);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  // The inputs are not all refused at the door: some come through, some are told what is wrong.
  expect([...codes.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404, 405, 406, 409, 415, 422]));
});
