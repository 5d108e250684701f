/** Webhooks of all configurations, in the order in which they are called: by the name of their configuration, then as they stand in it. */
import { type CompiledExpression, compileMatchConditions } from '../../../apis/admission/policy.ts';
import type { KubeObject } from '../../../machinery/object.ts';
import type { WebhookClientConfig } from '../../webhook-client.ts';
import type { AdmissionDeps } from '../chain.ts';
import { createCompiledView } from '../compiled-view.ts';
import { type Criteria, readCriteria } from '../matching.ts';

export type Webhook = {
  /** Unique among all webhooks of a kind. */
  key: string;
  name: string;
  configuration: string;
  criteria: Criteria;
  conditions: readonly CompiledExpression[];
  client: WebhookClientConfig;
  ignoresFailures: boolean;
  timeoutMs: number;
  /** `None` or `NoneOnDryRun`: may be called for dry runs. */
  sideEffects: string;
  /** May be called once more when others changed the object after it. */
  reinvoked: boolean;
  reviewVersion: 'v1' | 'v1beta1' | undefined;
};

const SCOPE = 'admissionregistration.k8s.io/';
const TIMEOUT_SECONDS = 10;

/** Of one kind of configuration (plural name). Costs next to nothing while there are none. */
export function createWebhooks(deps: Pick<AdmissionDeps, 'store' | 'clock'>, plural: string): () => Promise<readonly Webhook[]> {
  const configurations = createCompiledView(deps, SCOPE + plural, readConfiguration);
  let made: { source: unknown; all: readonly Webhook[] } | undefined;
  return async () => {
    const source = await configurations();
    if (made?.source !== source) made = { source, all: source.flat() };
    return made.all;
  };
}

function readConfiguration({ metadata, webhooks }: KubeObject): Webhook[] {
  const configuration = metadata.name ?? '';
  return ((webhooks ?? []) as KubeObject[string][]).map((hook, index) => ({
    key: `${configuration}/${index}/${hook?.name ?? ''}`,
    name: hook?.name ?? '',
    configuration,
    criteria: readCriteria(hook, hook?.rules ?? []),
    conditions: compileMatchConditions(hook?.matchConditions, `webhooks[${index}].matchConditions`, false),
    client: hook?.clientConfig ?? {},
    ignoresFailures: hook?.failurePolicy === 'Ignore',
    timeoutMs: (hook?.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000,
    sideEffects: hook?.sideEffects ?? '',
    reinvoked: hook?.reinvocationPolicy === 'IfNeeded',
    reviewVersion: ((hook?.admissionReviewVersions ?? []) as string[]).find((each) => each === 'v1' || each === 'v1beta1') as
      | 'v1'
      | 'v1beta1'
      | undefined,
  }));
}
