import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createMemberClients } from '../../adapters/kubernetes/clients.ts';
import { loadContext } from '../../adapters/kubernetes/kubeconfig.ts';
import { builtInDefinitions } from '../../apis/built-in.ts';
import type { ResourceDefinition } from '../../apis/definition.ts';
import { createRegistry } from '../../apis/registry.ts';
import { explainDecision } from '../../federation/explain.ts';
import { federatedObjectName } from '../../federation/naming.ts';
import { stringifyJson } from '../../machinery/codec/json.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { MemberClient, MemberRef, MemberResult } from '../../ports/member-client.ts';
import { CommandError, type CommandIo, type CommandSpec, type Options, textOption } from '../command.ts';
import { DATA_DIR } from '../local-control.ts';
import { type NamedResource, readObjectName } from '../resource-name.ts';

const NOT_FOUND = 4;
const PARTLY_PLACED = 8;
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** `lamiral explain TYPE/NAME`: why each cluster was chosen or not, from the stored SchedulingDecision. */
export const explain: CommandSpec = {
  name: 'explain',
  arguments: '<object...>',
  summary: 'Say why an object is placed where it is: every cluster, its verdict, scores and replicas',
  examples: ['lamiral explain deploy/web', 'lamiral explain deployments.apps web -n shop -o json'],
  options: [
    { flags: '-n, --namespace <namespace>', description: 'namespace of the object', default: 'default' },
    { flags: '-o, --output <form>', description: 'table or json (the SchedulingDecision)', default: 'table' },
    {
      flags: '--kubeconfig <file>',
      description: 'kubeconfig of the control plane (default: $KUBECONFIG, .lamiral/kubeconfig, ~/.kube/config)',
    },
    { flags: '--context <name>', description: 'context of the kubeconfig' },
  ],
  async run(io, args, options) {
    const output = textOption(options, 'output');
    if (output !== 'table' && output !== 'json')
      throw new CommandError(`there is no output form "${output}"`, 'Say -o table or -o json.', 2);
    const named = readObjectName(createRegistry(builtInDefinitions()), args);
    const connection = await loadContext(kubeconfigPath(io, options), textOption(options, 'context')).catch((error: Error) => {
      throw new CommandError(error.message, 'Name a kubeconfig with --kubeconfig FILE or KUBECONFIG.');
    });
    const clients = createMemberClients({ log: SILENT });
    try {
      const decision = await findDecision(clients.connect(connection), named, textOption(options, 'namespace') ?? 'default');
      io.out(output === 'json' ? `${stringifyJson(decision as never)}\n` : `${explainDecision(decision)}\n`);
      return isPartlyPlaced(decision) ? PARTLY_PLACED : 0;
    } finally {
      await clients.close();
    }
  },
};

function kubeconfigPath(io: CommandIo, options: Options): string {
  const named = textOption(options, 'kubeconfig') ?? io.env.KUBECONFIG?.split(delimiter).find((path) => path !== '');
  if (named) return named;
  const local = join(io.cwd, DATA_DIR, 'kubeconfig');
  return existsSync(local) ? local : join(homedir(), '.kube', 'config');
}

async function findDecision(client: MemberClient, { definition, name }: NamedResource, namespace: string): Promise<KubeObject> {
  const where = definition.namespaced ? namespace : '';
  const { group, version, plural: resource } = definition;
  const source = await client.get({ group, version, resource, namespace: where, name });
  if (source.type === 'notFound')
    throw new CommandError(
      `${resource} "${name}" not found${where === '' ? '' : ` in namespace ${where}`}`,
      'Name its namespace with -n.',
      NOT_FOUND,
    );
  resultOrFail(source, `${resource} ${name}`);
  const typeConfig = await typeConfigOf(client, definition);
  const decisions = definition.namespaced ? 'schedulingdecisions' : 'clusterschedulingdecisions';
  const ref: MemberRef = {
    group: 'lamiral.dev',
    version: 'v1alpha1',
    resource: decisions,
    namespace: where,
    name: federatedObjectName(name, typeConfig),
  };
  const decision = await client.get(ref);
  if (decision.type === 'notFound')
    throw new CommandError(
      `${resource} ${name} has not been decided on yet`,
      'Ask again in a moment; `kubectl describe` shows its events.',
      NOT_FOUND,
    );
  return resultOrFail(decision, ref.name);
}

/** Name of the FederatedTypeConfig that federates the kind. */
async function typeConfigOf(client: MemberClient, definition: ResourceDefinition): Promise<string> {
  const listed = resultOrFail(
    await client.list({ group: 'core.kubeadmiral.io', version: 'v1alpha1', resource: 'federatedtypeconfigs' }, {}),
    'the FederatedTypeConfigs',
  );
  const found = listed.items.find(
    ({ spec }) => (spec.sourceType.group ?? '') === definition.group && spec.sourceType.kind === definition.kind,
  );
  if (found?.metadata.name) return found.metadata.name;
  throw new CommandError(
    `${definition.kind} is not federated: no FederatedTypeConfig names it`,
    'See `kubectl get ftc` for the kinds that are.',
    NOT_FOUND,
  );
}

function resultOrFail<T>(result: MemberResult<T>, what: string): T {
  if (result.type === 'ok') return result.value;
  throw new CommandError(`${what} cannot be read: ${result.message}`, '');
}

function isPartlyPlaced({ spec }: KubeObject): boolean {
  const wanted = spec.replicas as number | undefined;
  if (typeof wanted !== 'number') return false;
  const placements = (spec.placements ?? []) as { replicas?: number | null }[];
  // Duplicate gives every cluster the whole count: its placements carry no number of their own.
  if (placements.some(({ replicas }) => typeof replicas !== 'number')) return false;
  return placements.reduce((sum, { replicas }) => sum + (replicas ?? 0), 0) < wanted;
}
