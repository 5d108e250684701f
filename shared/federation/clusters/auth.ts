/** How a member is reached: from the FederatedCluster and the Secret that it names. Choice of credentials as in KubeAdmiral. */
import type { MemberConnection } from '../../apis/kubeadmiral/connection.ts';
import type { KubeObject } from '../../machinery/object.ts';

/** Keys of the join Secret. */
const CA = 'certificate-authority-data';
const CERTIFICATE = 'client-certificate-data';
const KEY = 'client-key-data';
const BOOTSTRAP_TOKEN = 'bootstrap-token-data';
const SERVICE_ACCOUNT_TOKEN = 'service-account-token-data';

export type ClusterTls = { insecure?: true; certData?: string; keyData?: string; caData?: string };

/** `message` never holds a credential. */
export type ClusterCredentials = { type: 'ok'; bearerToken: string; tls: ClusterTls } | { type: 'invalid'; message: string };

type CredentialInput = { insecure: boolean; useBootstrap: boolean; secretData: Readonly<Record<string, string>> };

/**
 * Chooses from the Secret's values (decoded). `insecure` skips the CA, which is needed otherwise. Bootstrap: a bearer token and a client
 * certificate with its key, at least one of the two. Otherwise the service account's token alone.
 */
export function clusterCredentials({ insecure, useBootstrap, secretData }: CredentialInput): ClusterCredentials {
  const read = (key: string): string => (Object.hasOwn(secretData, key) ? (secretData[key] ?? '') : '');
  if (!insecure && read(CA) === '') return { type: 'invalid', message: `the Secret has no ${CA}` };
  const server: ClusterTls = insecure ? { insecure: true } : { caData: read(CA) };
  if (!useBootstrap) {
    const bearerToken = read(SERVICE_ACCOUNT_TOKEN);
    if (bearerToken === '') return { type: 'invalid', message: `the Secret has no ${SERVICE_ACCOUNT_TOKEN}` };
    return { type: 'ok', bearerToken, tls: server };
  }
  const bearerToken = read(BOOTSTRAP_TOKEN);
  const client = { certData: read(CERTIFICATE), keyData: read(KEY) };
  if (bearerToken === '' && (client.certData === '' || client.keyData === ''))
    return { type: 'invalid', message: `the Secret has neither ${BOOTSTRAP_TOKEN} nor ${CERTIFICATE} with ${KEY}` };
  return { type: 'ok', bearerToken, tls: { ...server, ...client } };
}

export type MemberConnectionResult = { type: 'ok'; connection: MemberConnection } | { type: 'invalid'; message: string };

/**
 * The connection of a cluster. `secret` is the object that `spec.secretRef` names (undefined: it does not exist), its values in base64.
 * Bootstrap credentials are used while joining, and always without `useServiceAccount`.
 */
export function memberConnection(
  cluster: KubeObject,
  secret: KubeObject | undefined,
  options: { joining: boolean },
): MemberConnectionResult {
  const name = cluster.metadata.name ?? '';
  const { apiEndpoint = '', insecure = false, useServiceAccount = false, secretRef } = cluster.spec ?? {};
  const server = serverUrl(String(apiEndpoint));
  if (server === undefined) return { type: 'invalid', message: `spec.apiEndpoint "${apiEndpoint}" is not a host or https URL` };
  if (!secret) return { type: 'invalid', message: `Secret "${secretRef?.name ?? ''}" does not exist` };
  const decoded = decodeSecret(secret);
  if (decoded.type === 'invalid') return decoded;
  const useBootstrap = options.joining || useServiceAccount !== true;
  const chosen = clusterCredentials({ insecure: insecure === true, useBootstrap, secretData: decoded.data });
  if (chosen.type === 'invalid') return { type: 'invalid', message: `Secret "${secret.metadata.name ?? ''}": ${chosen.message}` };
  const { bearerToken, tls } = chosen;
  const { caData = '', certData = '', keyData = '' } = tls;
  const hasCertificate = certData !== '' && keyData !== '';
  return {
    type: 'ok',
    connection: {
      cluster: name,
      server,
      insecure: insecure === true,
      ...(caData === '' ? {} : { caData }),
      ...(hasCertificate ? { certData, keyData } : {}),
      ...(bearerToken === '' ? {} : { token: bearerToken }),
    },
  };
}

/** A host gets `https://`; credentials are not sent in clear, and a URL may not carry any itself. */
function serverUrl(endpoint: string): string | undefined {
  const text = endpoint.includes('://') ? endpoint : `https://${endpoint}`;
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, username, password, pathname } = new URL(text);
  if (protocol !== 'https:' || host === '' || username !== '' || password !== '') return undefined;
  return `https://${host}${pathname.replace(/\/+$/, '')}`;
}

function decodeSecret(secret: KubeObject): { type: 'ok'; data: Record<string, string> } | { type: 'invalid'; message: string } {
  const decoded: Record<string, string> = {};
  for (const [key, value] of Object.entries((secret.data ?? {}) as Record<string, unknown>)) {
    if (typeof value !== 'string')
      return { type: 'invalid', message: `Secret "${secret.metadata.name ?? ''}": ${key} is not text` };
    decoded[key] = Buffer.from(value, 'base64').toString('utf8');
  }
  return { type: 'ok', data: decoded };
}
