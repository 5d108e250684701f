import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createMemberClients } from '../../adapters/kubernetes/clients.ts';
import { loadContext } from '../../adapters/kubernetes/kubeconfig.ts';
import { builtInDefinitions } from '../../apis/built-in.ts';
import { assembleRegistry } from '../../apis/custom/assemble.ts';
import { servedDefinitions } from '../../apis/custom/definitions.ts';
import type { ResourceDefinition } from '../../apis/definition.ts';
import { createRegistry } from '../../apis/registry.ts';
import { clusterFacts } from '../../federation/clusters/facts.ts';
import { explainDecision, explainExitCode } from '../../federation/explain.ts';
import { federatedObjectName } from '../../federation/naming.ts';
import { plan, unselectedDecision } from '../../federation/plan.ts';
import { matchedPolicy } from '../../federation/policies/match.ts';
import type { PlanSnapshot } from '../../federation/snapshot.ts';
import { STALE_CONDITION } from '../../federation/status/aggregate.ts';
import { CORE_GROUP, federatedType } from '../../federation/type-config.ts';
import { stringifyJson } from '../../machinery/codec/json.ts';
import type { Condition, KubeObject } from '../../machinery/object.ts';
import type { MemberClient, MemberRef, MemberResult } from '../../ports/member-client.ts';
import { CommandError, type CommandIo, type CommandSpec, type Options, textOption } from '../command.ts';
import { DATA_DIR } from '../local-control.ts';
import { type NamedResource, readObjectName } from '../resource-name.ts';

const NOT_FOUND = 4;
const CORE = { group: CORE_GROUP, version: 'v1alpha1' };
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
    const connection = await loadContext(kubeconfigPath(io, options), textOption(options, 'context')).catch((error: Error) => {
      throw new CommandError(error.message, 'Name a kubeconfig with --kubeconfig FILE or KUBECONFIG.');
    });
    const clients = createMemberClients({ log: SILENT });
    try {
      const client = clients.connect(connection);
      const named = await readNamed(client, args);
      const { decision, source } = await findDecision(client, named, textOption(options, 'namespace') ?? 'default');
      if (output === 'json') io.out(`${stringifyJson(decision as never)}\n`);
      else io.out([explainDecision(decision), ...staleText(source), ''].join('\n'));
      return explainExitCode(decision);
    } finally {
      await clients.close();
    }
  },
};

/** Custom kinds are asked for only where the word is none of the kinds that every control plane has. */
async function readNamed(client: MemberClient, args: readonly string[]): Promise<NamedResource> {
  const known = builtInDefinitions();
  try {
    return readObjectName(createRegistry(known), args);
  } catch (error) {
    const crds = await client.list({ group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' }, {});
    const custom = crds.type === 'ok' ? crds.value.items.flatMap(servedDefinitions) : [];
    if (custom.length === 0) throw error;
    return readObjectName(assembleRegistry(known, custom), args);
  }
}

/** What the object itself says of clusters that do not answer: their figures in the table are as of then. */
function staleText({ status }: KubeObject): string[] {
  const conditions = (status?.conditions ?? []) as unknown as Condition[];
  const stale = conditions.find(({ type, status: value }) => type === STALE_CONDITION && value === 'True');
  return stale?.message ? [`Stale  ${stale.message}`] : [];
}

function kubeconfigPath(io: CommandIo, options: Options): string {
  const named = textOption(options, 'kubeconfig') ?? io.env.KUBECONFIG?.split(delimiter).find((path) => path !== '');
  if (named) return named;
  const local = join(io.cwd, DATA_DIR, 'kubeconfig');
  return existsSync(local) ? local : join(homedir(), '.kube', 'config');
}

async function findDecision(
  client: MemberClient,
  { definition, name }: NamedResource,
  namespace: string,
): Promise<{ decision: KubeObject; source: KubeObject }> {
  const where = definition.namespaced ? namespace : '';
  const { group, version, plural: resource } = definition;
  const source = await client.get({ group, version, resource, namespace: where, name });
  if (source.type === 'notFound')
    throw new CommandError(
      `${resource} "${name}" not found${where === '' ? '' : ` in namespace ${where}`}`,
      'Name its namespace with -n.',
      NOT_FOUND,
    );
  const object = resultOrFail(source, `${resource} ${name}`);
  const typeConfig = await typeConfigOf(client, definition);
  const decisions = definition.namespaced ? 'schedulingdecisions' : 'clusterschedulingdecisions';
  const ref: MemberRef = {
    group: 'lamiral.dev',
    version: 'v1alpha1',
    resource: decisions,
    namespace: where,
    name: federatedObjectName(name, typeConfig.metadata.name ?? ''),
  };
  const decision = await client.get(ref);
  const isDecided = decision.type !== 'notFound';
  return { source: object, decision: isDecided ? resultOrFail(decision, ref.name) : await undecided(client, object, typeConfig) };
}

/** Why there is no decision: nothing selects the object, which is explained all the same; it is not federated; or it was made just now. */
async function undecided(client: MemberClient, source: KubeObject, typeConfig: KubeObject): Promise<KubeObject> {
  const { name = '', namespace = '', labels = {} } = source.metadata;
  const { pluralName } = typeConfig.spec.sourceType;
  const namespaceLabels = namespace === '' ? {} : await namespaceLabelsOf(client, namespace);
  const clusters = resultOrFail(await client.list({ ...CORE, resource: 'federatedclusters' }, {}), 'the FederatedClusters');
  const policy = matchedPolicy({ namespace, labels, namespaceLabels });
  const snapshot: PlanSnapshot = {
    source,
    type: federatedType(typeConfig).type,
    typeConfig,
    namespaceLabels,
    ...(policy ? { policy: { kind: policy.kind, name: policy.name } } : {}),
    overridePolicies: [],
    clusters: clusters.items.map(clusterFacts).sort((a, b) => (a.name < b.name ? -1 : 1)),
    leaders: [],
    reservations: new Map(),
  };
  const now = Date.now();
  const planned = plan(snapshot, now);
  if (planned.type === 'unselected') return unselectedDecision(snapshot, now);
  if (planned.type === 'notFederated')
    throw new CommandError(`${pluralName} ${name} goes to no cluster: ${planned.reason}`, '', NOT_FOUND);
  throw new CommandError(
    `${pluralName} ${name} has not been decided on yet`,
    'Ask again in a moment; `kubectl describe` shows its events.',
    NOT_FOUND,
  );
}

async function namespaceLabelsOf(client: MemberClient, name: string): Promise<Record<string, string>> {
  const found = await client.get({ group: '', version: 'v1', resource: 'namespaces', namespace: '', name });
  return resultOrFail(found, `namespace ${name}`).metadata.labels ?? {};
}

/** The FederatedTypeConfig that federates the kind. */
async function typeConfigOf(client: MemberClient, definition: ResourceDefinition): Promise<KubeObject> {
  const listed = resultOrFail(await client.list({ ...CORE, resource: 'federatedtypeconfigs' }, {}), 'the FederatedTypeConfigs');
  const found = listed.items.find(
    ({ spec }) => (spec.sourceType.group ?? '') === definition.group && spec.sourceType.kind === definition.kind,
  );
  if (found) return found;
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
