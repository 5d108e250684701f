/** The kubeconfig that `dev` writes: one context for the control plane (current), one for each member. */
import { rename, writeFile } from 'node:fs/promises';
import { stringifyYaml } from '../../shared/machinery/codec/yaml.ts';

/** One API server that kubectl may be pointed at, and how one logs in there. Certificates and keys are PEM. */
export type Endpoint = {
  name: string;
  url: string;
  caCert?: string;
  insecure?: boolean;
  token?: string;
  cert?: string;
  key?: string;
};

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Text of a kubeconfig whose current context is the first endpoint. */
export function kubeconfigText(endpoints: readonly Endpoint[]): string {
  return stringifyYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': endpoints[0]?.name ?? '',
    clusters: endpoints.map(({ name, url, caCert, insecure }) => ({
      name,
      cluster: {
        server: url,
        ...(caCert && !insecure ? { 'certificate-authority-data': base64(caCert) } : {}),
        ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
      },
    })),
    users: endpoints.map(({ name, token, cert, key }) => ({
      name,
      user: {
        ...(token ? { token } : {}),
        ...(cert && key ? { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) } : {}),
      },
    })),
    contexts: endpoints.map(({ name }) => ({ name, context: { cluster: name, user: name, namespace: 'default' } })),
  });
}

/** Writes it readable by its owner alone; a reader sees the old file or the new one, never half of it. */
export async function writeKubeconfig(path: string, endpoints: readonly Endpoint[]): Promise<void> {
  await writeFile(`${path}.new`, kubeconfigText(endpoints), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
