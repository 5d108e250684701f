/** Kinds of `policy/v1`. */
import type { KindDeclarations } from '../declare.ts';

export const POLICY_KINDS: KindDeclarations = {
  poddisruptionbudgets: { generation: true },
};
