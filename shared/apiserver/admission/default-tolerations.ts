/** Upstream's DefaultTolerationSeconds: pods stay 5 minutes on a node that does not answer, unless they say otherwise. */
import { type Struct, struct } from '../../apis/defaults/fill.ts';
import type { AdmissionStep } from '../server.ts';
import { concernsKind } from './refuse.ts';

const NODE_FAULT_SECONDS = 300;
const FAULTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;

export const defaultTolerations: AdmissionStep = {
  name: 'DefaultTolerationSeconds',
  concerns: (target) => concernsKind(target, '', 'pods', ['create', 'update']),
  async mutate({ object }) {
    if (!object) return;
    const spec = struct(object, 'spec');
    const given: Struct[] = Array.isArray(spec.tolerations) ? spec.tolerations : [];
    const missing = FAULTS.filter((key) => !given.some((each) => tolerates(each, key)));
    if (missing.length === 0) return;
    const added = missing.map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: NODE_FAULT_SECONDS,
    }));
    spec.tolerations = [...given, ...added];
  },
};

function tolerates(toleration: Struct, key: string): boolean {
  return (!toleration?.key || toleration.key === key) && (!toleration?.effect || toleration.effect === 'NoExecute');
}
