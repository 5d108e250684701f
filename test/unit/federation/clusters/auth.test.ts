import { describe, expect, test } from 'vitest';
import { memberConnection } from '../../../../shared/federation/clusters/auth.ts';
import type { KubeObject } from '../../../../shared/machinery/object.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const TOKENS = { 'bootstrap-token-data': 'boot', 'service-account-token-data': 'own', 'certificate-authority-data': 'ca' };

function cluster(spec: Record<string, unknown>): KubeObject {
  const defaults = { apiEndpoint: 'https://10.0.0.1:6443', secretRef: { name: 's' } };
  return {
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'FederatedCluster',
    metadata: { name: 'c1' },
    spec: { ...defaults, ...spec },
  };
}

function secret(values: Record<string, string>): KubeObject {
  const data = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, base64(value)]));
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data };
}

describe('memberConnection', () => {
  const tokens: [sentence: string, spec: Record<string, unknown>, joining: boolean, token: string][] = [
    ['joining takes the bootstrap token', { useServiceAccount: true }, true, 'boot'],
    ['joined with a service account takes its own token', { useServiceAccount: true }, false, 'own'],
    ['joined without one keeps the bootstrap token', {}, false, 'boot'],
  ];
  test.each(tokens)('%s', (_sentence, spec, joining, token) => {
    expect(memberConnection(cluster(spec), secret(TOKENS), { joining })).toMatchObject({
      type: 'ok',
      connection: { token, caData: 'ca', cluster: 'c1' },
    });
  });

  const endpoints: [endpoint: string, want: string | undefined][] = [
    ['https://10.0.0.1:6443', 'https://10.0.0.1:6443'],
    ['member.example:6443', 'https://member.example:6443'],
    ['https://host.example/k8s/', 'https://host.example/k8s'],
    ['http://10.0.0.1:8080', undefined],
    ['https://user:pass@10.0.0.1', undefined],
    ['', undefined],
    ['https://', undefined],
  ];
  test.each(endpoints)('endpoint %s', (apiEndpoint, want) => {
    const made = memberConnection(cluster({ apiEndpoint }), secret(TOKENS), { joining: true });
    expect(made.type === 'ok' ? made.connection.server : undefined).toBe(want);
  });

  test('a missing Secret is said by name', () => {
    expect(memberConnection(cluster({}), undefined, { joining: true })).toEqual({
      type: 'invalid',
      message: 'Secret "s" does not exist',
    });
  });

  test('no message holds a credential', () => {
    const made = memberConnection(cluster({}), secret({ 'service-account-token-data': 'hush' }), { joining: false });
    expect(made.type).toBe('invalid');
    expect(JSON.stringify(made)).not.toContain('hush');
  });

  test('half of a certificate is not sent', () => {
    const made = memberConnection(cluster({}), secret({ ...TOKENS, 'client-certificate-data': 'cert' }), { joining: true });
    expect(made.type === 'ok' && 'certData' in made.connection).toBe(false);
  });
});
