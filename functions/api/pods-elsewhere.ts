/** What the control plane says when somebody asks for the logs or a shell of a pod: pods run on the members, and their own API servers have both. */
import { SCOPES } from '../../shared/federation/type-config.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import { listStored } from '../../shared/runtime/objects.ts';

/** Names the contexts to ask; `stream` is `log`, `exec`, `attach` or `portforward`. */
export function explainElsewhere(
  objects: Pick<ObjectStore, 'list'>,
): (pod: { namespace: string; name: string }, stream: string) => Promise<string> {
  return async ({ namespace, name }, stream) => {
    const clusters: string[] = [];
    for await (const { name: cluster } of listStored(objects, SCOPES.clusters)) clusters.push(cluster);
    const subject = `pod ${namespace}/${name}: the control plane runs no pods, so there is no ${stream} to give`;
    if (clusters.length === 0) return `${subject}; no member cluster has joined yet`;
    const shown = clusters.slice(0, CLUSTERS_SHOWN).join(', ');
    const more = clusters.length > CLUSTERS_SHOWN ? ` and ${clusters.length - CLUSTERS_SHOWN} more` : '';
    return `${subject}; ask a member cluster with kubectl --context, one of: ${shown}${more}`;
  };
}

const CLUSTERS_SHOWN = 10;
