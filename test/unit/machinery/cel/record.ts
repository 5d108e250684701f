/**
 * Asks a real kube-apiserver what it makes of each expression, and writes recorded.json: `node record.ts KUBECONFIG`. Expressions that do not compile
 * are refused with a policy; the others run as policies over a ConfigMap that is created for nobody (dry run).
 */
import { writeFileSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, request } from 'undici';
import { EXPRESSIONS, PROBE } from './expressions.ts';

const [, , kubeconfigPath = ''] = process.argv;
const config = new KubeConfig();
config.loadFromFile(kubeconfigPath);
const cluster = config.getCurrentCluster();
const user = config.getCurrentUser();
const pem = (data: string | undefined) => (data ? Buffer.from(data, 'base64').toString() : undefined);
const connect = { ca: pem(cluster?.caData), cert: pem(user?.certData), key: pem(user?.keyData) };
const dispatcher = new Agent({ connect: connect as never });

type Answer = { code: number; body: { message?: string } };

async function post(path: string, body: unknown, method: 'POST' | 'DELETE' = 'POST'): Promise<Answer> {
  const response = await request(`${cluster?.server}${path}`, {
    method,
    dispatcher,
    headers: { 'content-type': 'application/json' },
    body: method === 'POST' ? JSON.stringify(body) : null,
  });
  return { code: response.statusCode, body: (await response.body.json()) as Answer['body'] };
}

const API = '/apis/admissionregistration.k8s.io/v1';

function policyOf(name: string, expression: string) {
  const probing = `dyn(${expression}) != dyn(${expression})`;
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
      matchConditions: [{ name: 'one', expression: `object.metadata.annotations.probe == '${name}'` }],
      validations: [
        { expression: probing, message: 'no text for this value', messageExpression: `'%s'.format([dyn(${expression})])` },
      ],
    },
  };
}

function typeProbe(expression: string) {
  const policy = policyOf('type-probe', '1');
  policy.spec.validations = [{ expression, message: 'x', messageExpression: "'x'" }];
  return policy;
}

const bindingOf = (name: string) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName: name, validationActions: ['Deny'] },
});

const all = Object.values(EXPRESSIONS).flat();
const recorded: Record<string, { compile: string; value?: string }> = {};
const running: { name: string; expression: string }[] = [];
for (const [index, expression] of all.entries()) {
  const probe = await post(`${API}/validatingadmissionpolicies?dryRun=All`, typeProbe(expression));
  recorded[expression] = { compile: probe.code === 201 ? 'bool' : (probe.body.message ?? '') };
  const name = `probe-${index}`;
  const made = await post(`${API}/validatingadmissionpolicies`, policyOf(name, expression));
  if (made.code !== 201) continue;
  running.push({ name, expression });
  await post(`${API}/validatingadmissionpolicybindings`, bindingOf(name));
}
await new Promise((resolve) => setTimeout(resolve, 10_000));
for (const { name, expression } of running) {
  const object = { ...PROBE, metadata: { ...PROBE.metadata, annotations: { probe: name } } };
  const { code, body } = await post('/api/v1/namespaces/default/configmaps?dryRun=All', object);
  const known = recorded[expression];
  if (known) known.value = code === 201 ? '(allowed)' : (body.message ?? '').replace(/^.*?denied request: /s, '');
}
for (const { name } of running) {
  await post(`${API}/validatingadmissionpolicybindings/${name}`, undefined, 'DELETE');
  await post(`${API}/validatingadmissionpolicies/${name}`, undefined, 'DELETE');
}
writeFileSync(new URL('recorded.json', import.meta.url), `${JSON.stringify(recorded, null, 1)}\n`);
await dispatcher.close();
