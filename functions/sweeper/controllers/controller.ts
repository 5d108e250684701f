/** What a controller of the API itself is: a reconciler over stored objects, run by the sweeper and by every simulated member. */
import type { Registry } from '../../../shared/apis/definition.ts';
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import type { Index, Lanes, ObjectStore } from '../../../shared/ports/object-store.ts';
import type { Signer } from '../../../shared/ports/signer.ts';
import type { Clock, Ids } from '../../../shared/ports/system.ts';
import type { ObjectReader } from '../../../shared/runtime/objects.ts';
import type { ReconcileResult } from '../../../shared/runtime/reconcile.ts';

export type ControlDeps = {
  objects: ObjectStore;
  lanes: Pick<Lanes, 'head'>;
  index: Index;
  /** Parsed objects, shared: copy before changing. */
  reader: ObjectReader;
  registry: () => Registry;
  clock: Clock;
  ids: Pick<Ids, 'uid' | 'suffix'>;
  /** PEM of the authority that signed this server's certificate; what `kube-root-ca.crt` holds. */
  caCert: string;
  /** True on the control plane: objects that a policy names are sent to member clusters. */
  placesObjects?: boolean;
  /** Signs tokens of ServiceAccounts for Secrets; absent: such Secrets stay empty. */
  signer?: Signer;
};

/** Brings what follows from one object up to date. `object` is what the route named, whether it is there or not. Safe to run at any time. */
export type Controller = (deps: ControlDeps, object: ObjectRef, attempt: number) => Promise<ReconcileResult>;
