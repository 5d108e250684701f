/** Whom a schedule message is about: a source, or the FederatedObject of one (policies and clusters are looked up from that side). */
import type { ObjectRef } from '../../shared/apis/stored.ts';
import { type FederatedType, federatedRef, SCOPES, sourceOf, templateType } from '../../shared/federation/type-config.ts';
import type { Loaded } from '../../shared/runtime/objects.ts';
import type { SchedulerDeps } from './deps.ts';

/** `source` absent: it is gone, or the FederatedObject was made by hand (then `sourceRef` is absent too). */
export type Subject = {
  type: FederatedType;
  sourceRef?: ObjectRef;
  source?: Loaded;
  federatedRef: ObjectRef;
  federated?: Loaded;
};

/** Loads both ends. Undefined when there is nothing to place: no type, or neither source nor FederatedObject. */
export async function loadSubject(deps: SchedulerDeps, ref: ObjectRef): Promise<Subject | undefined> {
  const types = await deps.types.all();
  if (ref.scope !== SCOPES.federated && ref.scope !== SCOPES.clusterFederated) {
    const type = types.byScope.get(ref.scope);
    if (!type) return undefined;
    return withBoth(deps, { type, sourceRef: ref, federatedRef: federatedRef(type, ref) });
  }
  const federated = await deps.reader.get(ref);
  if (!federated) return undefined;
  const origin = sourceOf(types, federated.object);
  if (!origin) {
    const type = templateType(types, federated.object);
    return type && { type, federatedRef: ref, federated };
  }
  // An owner whose FederatedObject would have another name does not steer this one: it is taken as made by hand.
  const expected = federatedRef(origin.type, origin.ref);
  if (expected.name !== ref.name) return { type: origin.type, federatedRef: ref, federated };
  return withBoth(deps, { type: origin.type, sourceRef: origin.ref, federatedRef: ref });
}

async function withBoth(
  deps: SchedulerDeps,
  subject: { type: FederatedType; sourceRef: ObjectRef; federatedRef: ObjectRef },
): Promise<Subject | undefined> {
  const [source, federated] = await Promise.all([deps.reader.get(subject.sourceRef), deps.reader.get(subject.federatedRef)]);
  if (!source && !federated) return undefined;
  return { ...subject, ...(source ? { source } : {}), ...(federated ? { federated } : {}) };
}
