/** HorizontalPodAutoscaler in both versions: stored as v2, v1 is a view of it. */
import type { KindDeclarations } from '../declare.ts';

export const AUTOSCALING_V2_KINDS: KindDeclarations = {
  horizontalpodautoscalers: { unconditionalUpdate: true },
};

export const AUTOSCALING_V1_KINDS: KindDeclarations = {
  horizontalpodautoscalers: {
    unconditionalUpdate: true,
    storedAs: { group: 'autoscaling', resource: 'horizontalpodautoscalers' },
  },
};
