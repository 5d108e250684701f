/** Decisions about roles and bindings, held against what a real kube-apiserver answered to the same questions (recorded/decisions.json). */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessServer, startAccessServer } from './access-server.ts';

type Recorded = {
  users: Record<string, string[]>;
  questions: string[];
  /** One character per question. */
  answers: Record<string, string>;
  why: Record<string, string>;
  refusals: { method: string; path: string; user: string; code: number; message: string; details: object }[];
};

const read = (name: string) => JSON.parse(readFileSync(new URL(`recorded/${name}`, import.meta.url), 'utf8'));
const recorded: Recorded = read('decisions.json');
const PLURALS: Record<string, string> = {
  Namespace: 'namespaces',
  ClusterRole: 'clusterroles',
  Role: 'roles',
  ClusterRoleBinding: 'clusterrolebindings',
  RoleBinding: 'rolebindings',
};

let server: AccessServer;
beforeAll(async () => {
  server = await startAccessServer();
  for (const object of read('decisions-setup.json')) {
    const root = object.apiVersion === 'v1' ? '/api/v1' : `/apis/${object.apiVersion}`;
    const { namespace } = object.metadata;
    const where = namespace === undefined ? root : `${root}/namespaces/${namespace}`;
    await server.create(`${where}/${PLURALS[object.kind]}`, object);
  }
});
afterAll(() => server.close());

/** `get pods/log@apps team-a p` or `get /metrics`. */
function attributesOf(question: string): object {
  const [verb = '', what = '', namespace = '', name = ''] = question.split(' ');
  if (what.startsWith('/')) return { nonResourceAttributes: { verb, path: what } };
  const [path = '', group = ''] = what.split('@');
  const [resource = '', subresource = ''] = path.split('/');
  const given = (text: string) => (text === '-' ? '' : text);
  return { resourceAttributes: { verb, group, resource, subresource, namespace: given(namespace), name: given(name) } };
}

async function review(user: string, attributes: object): Promise<{ allowed: boolean; reason?: string }> {
  const answer = await server.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, groups: recorded.users[user], ...attributes },
  });
  return answer.json().status;
}

describe('U07 the same answers as kube-apiserver', () => {
  test.each(Object.keys(recorded.answers))('%s', async (user) => {
    const allowed: string[] = [];
    for (const question of recorded.questions) if ((await review(user, attributesOf(question))).allowed) allowed.push(question);
    expect(allowed).toEqual(recorded.questions.filter((_question, i) => recorded.answers[user]?.[i] === '+'));
  });

  test('reasons of refusals', async () => {
    for (const [key, want] of Object.entries(recorded.why)) {
      const [user = '', namespace = ''] = key.split(' in ');
      const status = await review(user, { resourceAttributes: { verb: 'get', resource: 'pods', namespace } });
      expect(status).toEqual({ allowed: false, reason: want });
    }
  });

  test.each(recorded.refusals)('$method $path as $user', async ({ method, path, user, code, message, details }) => {
    const answer = await server.send(method, path, { headers: { 'Impersonate-User': user } });
    expect(answer.json()).toMatchObject({ code, message, details });
  });
});
