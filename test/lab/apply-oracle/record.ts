/**
 * Plays the sequences on a real kube-apiserver and writes what it answered. By hand or in CI, on an empty cluster without controllers:
 *
 *   node test/lab/apply-oracle/record.ts KUBECONFIG OUTPUT [SEED] [COUNT]
 *
 * The kubeconfig needs a server, a CA and a token. OUTPUT is brotli-compressed JSON lines (answers.ts reads it).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { parseJson } from '../../../shared/machinery/codec/json.ts';
import type { JsonObject, JsonValue } from '../../../shared/machinery/object.ts';
import { applyMergePatch } from '../../../shared/machinery/patch/merge.ts';
import { type Answer, oracleNamespace, packAnswers } from './answers.ts';
import { createSequences, PATCH_MEDIA_TYPES, type Sequence, type Step } from './sequences.ts';

type Reply = { code: number; body: JsonObject; date: string };
type Client = (method: string, path: string, options?: { body?: JsonValue; contentType?: string }) => Promise<Reply>;

/** How many sequences are played at once. */
const CONCURRENCY = 8;

async function main(): Promise<void> {
  const [kubeconfig, output, seed = '1', count = '1000'] = process.argv.slice(2);
  if (kubeconfig === undefined || output === undefined) throw new Error('usage: record.ts KUBECONFIG OUTPUT [SEED] [COUNT]');
  const client = createClient(kubeconfig);
  const namespace = oracleNamespace(Number(seed));
  await prepare(client, namespace);
  const sequences = createSequences(Number(seed), Number(count));
  const answers: Answer[][] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < sequences.length; index = next++) {
      const sequence = sequences[index];
      if (sequence !== undefined) answers[index] = await play(client, namespace, sequence);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  writeFileSync(output, packAnswers({ seed: Number(seed), sequences, answers }));
  report(answers);
}

function createClient(path: string): Client {
  const config = parse(readFileSync(path, 'utf8'));
  const { server, 'certificate-authority-data': ca } = config.clusters[0].cluster;
  const { token } = config.users[0].user;
  const dispatcher = new Agent({ connect: { ca: Buffer.from(ca, 'base64').toString() }, connections: CONCURRENCY });
  return async (method, url, { body, contentType = 'application/json' } = {}) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': contentType };
    const text = body === undefined ? null : JSON.stringify(body);
    const reply = await request(`${server}${url}`, { method: method as 'GET', headers, body: text, dispatcher });
    return { code: reply.statusCode, body: parseJson(await reply.body.text()) as JsonObject, date: String(reply.headers.date) };
  };
}

async function prepare(client: Client, namespace: string): Promise<void> {
  const created = await client('POST', '/api/v1/namespaces', {
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
  if (created.code !== 201)
    throw new Error(`namespace ${namespace}: ${created.code} ${String(created.body.message)}: record on a fresh cluster`);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await client('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: account });
}

async function play(client: Client, namespace: string, sequence: Sequence): Promise<Answer[]> {
  const answers: Answer[] = [];
  const url = collectionUrl(namespace, sequence);
  for (const step of sequence.steps) {
    const reply = await send(client, url, sequence.name, step);
    const isScale = step.type === 'patch' && step.subresource === 'scale';
    const object = isScale && reply.code < 300 ? (await client('GET', `${url}/${sequence.name}`)).body : reply.body;
    answers.push({ code: reply.code, date: reply.date, body: object });
  }
  return answers;
}

function collectionUrl(namespace: string, { kind }: Sequence): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  return `${root}/namespaces/${namespace}/${kind.plural}`;
}

async function send(client: Client, collection: string, name: string, step: Step): Promise<Reply> {
  if (step.type === 'create') return client('POST', `${collection}?fieldManager=${step.manager}`, { body: step.object });
  const url = `${collection}/${name}${step.subresource === '' ? '' : `/${step.subresource}`}?fieldManager=${step.manager}`;
  if (step.type === 'apply')
    return client('PATCH', `${url}&force=${step.force}`, { body: step.config, contentType: 'application/apply-patch+yaml' });
  if (step.type === 'patch') return client('PATCH', url, { body: step.body, contentType: PATCH_MEDIA_TYPES[step.format] });
  const live = await client('GET', `${collection}/${name}`);
  return client('PUT', url, { body: changed(live.body, step) });
}

/** What a client that knows the object sends back. */
export function changed(live: JsonObject, { change, managedFields }: Step & { type: 'update' }): JsonObject {
  const object = applyMergePatch(live, change) as JsonObject;
  if (managedFields === 'keep') return object;
  const { managedFields: _entries, ...metadata } = object.metadata as JsonObject;
  return { ...object, metadata: managedFields === 'reset' ? { ...metadata, managedFields: [{}] } : metadata };
}

function report(answers: readonly Answer[][]): void {
  const counts = new Map<number, number>();
  for (const { code } of answers.flat()) counts.set(code, (counts.get(code) ?? 0) + 1);
  const text = [...counts].sort(([a], [b]) => a - b).map(([code, count]) => `${count}x ${code}`);
  console.log(`${answers.length} sequences, ${answers.flat().length} steps: ${text.join(', ')}`);
}

if (import.meta.main) await main();
