/**
 * Connections of a kubeconfig's contexts, by client-node's KubeConfig (tokens, certificates, exec plugins). The library is loaded on first use:
 * it is large, and only the command line and `--members` need it.
 */
import { readFile } from 'node:fs/promises';
import type { MemberConnection } from '../../ports/member-client.ts';

// The library's door loads every generated model, twice the time of what is needed here.
type ClientNode = typeof import('@kubernetes/client-node/dist/config.js');
type KubeConfig = InstanceType<ClientNode['KubeConfig']>;

/** One connection per context, named as the context. Rejects when the file is unreadable, or when a credential plugin fails. */
export async function loadKubeconfig(path: string): Promise<MemberConnection[]> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  config.loadFromFile(path);
  const connections: MemberConnection[] = [];
  for (const { name } of config.getContexts()) connections.push(await contextConnection(config, name));
  return connections;
}

/** The connection of one context: the named one, or the current. Rejects with a sentence when the file has no such context. */
export async function loadContext(path: string, context?: string): Promise<MemberConnection> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  config.loadFromFile(path);
  const name = context ?? config.getCurrentContext();
  if (!config.getContextObject(name)) {
    const known = config.getContexts().map((entry) => entry.name);
    throw new Error(`kubeconfig ${path} has no context "${name}"; it has: ${known.join(', ') || 'none'}`);
  }
  return contextConnection(config, name);
}

async function contextConnection(config: KubeConfig, context: string): Promise<MemberConnection> {
  config.setCurrentContext(context);
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error(`kubeconfig context ${context} names no known cluster`);
  const caData = await text(cluster.caData, cluster.caFile);
  const user = config.getCurrentUser();
  const login = await loginOf(config);
  const certData = (await text(user?.certData, user?.certFile)) ?? login.cert;
  const keyData = (await text(user?.keyData, user?.keyFile)) ?? login.key;
  const token = user?.token ?? login.token;
  return {
    cluster: context,
    server: cluster.server,
    insecure: cluster.skipTLSVerify ?? false,
    ...(caData ? { caData } : {}),
    ...(certData ? { certData } : {}),
    ...(keyData ? { keyData } : {}),
    ...(token ? { token } : {}),
  };
}

async function text(base64: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (base64) return Buffer.from(base64, 'base64').toString('utf8');
  return file ? readFile(file, 'utf8') : undefined;
}

type Login = { token?: string; cert?: string; key?: string };

/** What an exec plugin or a token file gives; nothing for users that log in by a certificate of the kubeconfig. */
async function loginOf(config: KubeConfig): Promise<Login> {
  const options: { headers: Record<string, string>; cert?: unknown; key?: unknown } = { headers: {} };
  await config.applyToHTTPSOptions(options);
  const header = options.headers.Authorization ?? options.headers.authorization;
  return {
    ...(header?.startsWith('Bearer ') ? { token: header.slice('Bearer '.length) } : {}),
    ...(options.cert ? { cert: String(options.cert) } : {}),
    ...(options.key ? { key: String(options.key) } : {}),
  };
}
