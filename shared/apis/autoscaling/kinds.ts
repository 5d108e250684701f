/** HorizontalPodAutoscaler in both versions: stored as v2, v1 is a view of it. */

import type { KindDeclarations } from '../declare.ts';
import { withStatus } from '../defaults/fill.ts';
import { AUTOSCALER_COLUMNS } from './columns.ts';
import { autoscalerFromV1, autoscalerToV1 } from './conversion.ts';
import { defaultAutoscalerV1, defaultAutoscalerV2 } from './defaults.ts';
import { validateAutoscaler, validateAutoscalerV1 } from './validation.ts';

export const AUTOSCALING_V2_KINDS: KindDeclarations = {
  horizontalpodautoscalers: {
    unconditionalUpdate: true,
    columns: AUTOSCALER_COLUMNS,
    strategy: {
      applyDefaults: defaultAutoscalerV2,
      validate: validateAutoscaler,
      prepareForCreate: withStatus({ desiredReplicas: 0, currentMetrics: null }),
    },
  },
};

export const AUTOSCALING_V1_KINDS: KindDeclarations = {
  horizontalpodautoscalers: {
    unconditionalUpdate: true,
    columns: AUTOSCALER_COLUMNS.map((column) => ({
      ...column,
      cell: (hpa, now) => column.cell(autoscalerFromV1(structuredClone(hpa)), now),
    })),
    strategy: {
      applyDefaults: defaultAutoscalerV1,
      validate: validateAutoscalerV1,
      prepareForCreate: withStatus({ currentReplicas: 0, desiredReplicas: 0 }),
    },
    storedAs: { group: 'autoscaling', resource: 'horizontalpodautoscalers' },
    conversion: { toStored: autoscalerFromV1, fromStored: autoscalerToV1 },
  },
};
