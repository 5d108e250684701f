import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadKubeconfig } from '../../../shared/adapters/kubernetes/kubeconfig.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterEach(() => rm(folder, { recursive: true }));

const config = (users: string) => `
apiVersion: v1
kind: Config
current-context: eu
clusters:
- name: c
  cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: ${base64('CA')}}
- name: open
  cluster: {server: "https://10.0.0.2:6443", insecure-skip-tls-verify: true}
contexts:
- name: eu
  context: {cluster: c, user: u}
- name: us
  context: {cluster: open, user: u}
users:
${users}
`;

test.each([
  ['a token', '- {name: u, user: {token: t}}', { token: 't' }],
  [
    'a certificate',
    `- {name: u, user: {client-certificate-data: ${base64('CERT')}, client-key-data: ${base64('KEY')}}}`,
    { certData: 'CERT', keyData: 'KEY' },
  ],
  [
    'an exec plugin',
    `- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      interactiveMode: Never
      command: node
      args: ["-e", "console.log(JSON.stringify({apiVersion:'client.authentication.k8s.io/v1',kind:'ExecCredential',status:{token:'made'}}))"]`,
    { token: 'made' },
  ],
])('one connection per context: %s', async (_sentence, users, credentials) => {
  const path = join(folder, 'config');
  await writeFile(path, config(users));
  expect(await loadKubeconfig(path)).toEqual([
    { cluster: 'eu', server: 'https://10.0.0.1:6443', insecure: false, caData: 'CA', ...credentials },
    { cluster: 'us', server: 'https://10.0.0.2:6443', insecure: true, ...credentials },
  ]);
});

test('a file that is not there rejects', async () => {
  await expect(loadKubeconfig(join(folder, 'none'))).rejects.toThrow();
});
