/** Validating webhooks as a step of admission: all at once (k8s.io/apiserver/pkg/admission/plugin/webhook/validating). */
import type { AdmissionStep } from '../../server.ts';
import type { AdmissionDeps } from '../chain.ts';
import { isExempt } from '../matching.ts';
import { type CallDeps, callWebhook } from './call.ts';
import { createWebhooks } from './hooks.ts';
import { createSelections } from './select.ts';

/** The step. Of several refusals the first in the order of the webhooks is answered. */
export function validatingWebhooks(deps: AdmissionDeps & CallDeps): AdmissionStep {
  const webhooks = createWebhooks(deps, 'validatingwebhookconfigurations');
  const selections = createSelections(deps);
  return {
    name: 'ValidatingAdmissionWebhook',
    concerns: ({ definition }) => !isExempt(definition),
    async validate(request) {
      const all = await webhooks();
      if (all.length === 0) return;
      const select = selections(request);
      const calls: (() => Promise<unknown>)[] = [];
      for (const hook of all) {
        const match = await select(hook);
        if (match) calls.push(() => callWebhook(deps, hook, match, request, false));
      }
      const outcomes = await Promise.allSettled(calls.map((call) => call()));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}
