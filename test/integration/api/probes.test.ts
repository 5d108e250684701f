/** Bad input gets the answer that a real kube-apiserver gave, word for word, and leaves nothing behind. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../apiserver/server.ts';
import { PROBES, type Probe, SETUP } from './probes.ts';
import { answerOf, type ProbeAnswer, recordedAnswers } from './record-probes.ts';

const recorded = recordedAnswers();

const UNKNOWN_TYPES = 'the body of the request was in an unknown format - accepted media types include: ';

/** Where we answer otherwise on purpose: what of the answer differs, and why. */
const DELIBERATE: Readonly<Record<string, { why: string } & Partial<ProbeAnswer>>> = {
  'unknown kind: a body of another version': {
    why: 'the other text names a line of Go',
    message: 'the API version in the data (apps/v1) does not match the expected API version (v1)',
  },
  'A02 too deep': {
    why: 'our limit is lower, and named',
    message:
      'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: exceeded max depth of 1000 ({"apiVersion":"v1","kind":"Con ...)',
  },
  'A06 replicas beyond every number': {
    why: 'the number is read before its field is known',
    message:
      'the object provided is unrecognized (must be of type Deployment): couldn\'t get version/kind; json parse error: number 1e400 is out of range ({"apiVersion":"apps/v1","kind" ...)',
  },
  'a version on create': { why: 'upstream blames itself, with a 500', code: 400, reason: 'BadRequest' },
  'a version that is no number': {
    why: 'upstream blames itself, with a 500',
    code: 409,
    reason: 'Conflict',
    message:
      'Operation cannot be fulfilled on configmaps "cm": the object has been modified; please apply your changes to the latest version and try again',
  },
  'PUT with another uid': {
    why: 'the other text shows a key of etcd',
    message:
      'Operation cannot be fulfilled on configmaps "cm": Precondition failed: UID in precondition: 11111111-1111-4111-8111-111111111111, UID in object meta: U',
  },
  'A11 merge patch of a wrong type': {
    why: 'the other text quotes the whole object, not what the user sent',
    message: ` "" is invalid: patch: Invalid value: "{\\"data\\":\\"x\\"}": json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string`,
  },
  'A11 unknown patch format': {
    why: 'a Status where upstream sends plain text',
    reason: 'UnsupportedMediaType',
    message: `${UNKNOWN_TYPES}application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml`,
  },
  'A16 a token made up': {
    why: 'the other text tells of a parser',
    message: 'invalid continue token: continue key is not valid: it is no base64 of JSON',
  },
  'A18 an unknown Accept': {
    why: 'a Status where upstream sends plain text',
    reason: 'NotAcceptable',
    message:
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  },
  'A19 an encoded slash': { why: 'the path is taken apart before it is decoded', message: 'configmaps "a/b" not found' },
  'scale: no number': {
    why: 'the other text quotes the whole object, not what the user sent',
    message:
      ' "" is invalid: patch: Invalid value: "{\\"spec\\":{\\"replicas\\":\\"x\\"}}": json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32',
  },
};

let api: TestServer;
let before: string;
beforeAll(async () => {
  api = await startTestServer();
  const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } };
  await api.send('POST', '/api/v1/namespaces', { body: system });
  for (const probe of SETUP) expect((await play(probe)).code, probe.name).toBeLessThan(300);
  before = await everything();
});
afterAll(() => api.close());

async function play({ method, path, body, type, accept = 'application/json', headers }: Probe) {
  const answer = await api.send(method, path, {
    accept,
    ...(body === undefined ? {} : { body }),
    ...(type === undefined ? {} : { type }),
    ...(headers === undefined ? {} : { headers }),
  });
  return answerOf(answer.code, answer.text, answer.headers.get('warning'));
}

/** All objects that probes write to, as they are stored. */
async function everything(): Promise<string> {
  const paths = ['/api/v1/configmaps', '/api/v1/pods', '/api/v1/services', '/api/v1/namespaces', '/apis/apps/v1/deployments'];
  const lists = await Promise.all(paths.map(async (path) => (await api.send('GET', path)).json().items));
  return JSON.stringify(lists);
}

describe('bad input is answered as kube-apiserver answers it', () => {
  test('every probe was recorded, and most are refused', () => {
    expect(Object.keys(recorded)).toEqual(PROBES.map(({ name }) => name));
    expect(Object.values(recorded).filter(({ code }) => code >= 400).length).toBeGreaterThan(PROBES.length - 10);
  });

  test.each(PROBES.map((probe) => [probe.name, probe] as const))('%s', async (name, probe) => {
    const { why, ...own } = DELIBERATE[name] ?? { why: '' };
    const { causes, ...answer } = await play(probe);
    const { causes: wanted, ...rest } = { ...(recorded[name] as ProbeAnswer), ...own };
    expect(answer, why).toEqual(rest);
    // The message has every cause; where it is our own, so are they.
    if (why === '') expect(causes).toEqual(wanted);
  });

  test('nothing was stored, and no prototype was touched', async () => {
    expect(await everything()).toBe(before);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
