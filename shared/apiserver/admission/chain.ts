/**
 * The admission chain of every API server that we run, in upstream's order (kubernetes/pkg/kubeapiserver/options/plugins.go): what changes objects comes
 * before what refuses them, webhooks and policies come late, and quota is charged last, for what nothing else refused.
 */
import type { Registry } from '../../apis/definition.ts';
import type { Store } from '../../ports/object-store.ts';
import type { Clock, Ids, Log } from '../../ports/system.ts';
import type { AdmissionStep } from '../server.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';

export type AdmissionDeps = {
  store: Pick<Store, 'objects' | 'lanes'>;
  registry: () => Registry;
  clock: Clock;
  ids: Ids;
  log: Log;
};

/** The steps that every server has. What a server adds of its own follows them. */
export function defaultAdmission(deps: AdmissionDeps): AdmissionStep[] {
  return [namespaceLifecycle(deps)];
}
