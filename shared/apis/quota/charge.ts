/** What one write adds to which quotas, or why it may not (apiserver/pkg/admission/plugin/resourcequota, CheckRequest). Pure. */
import type { KubeObject } from '../../machinery/object.ts';
import { compareQuantities } from '../../machinery/quantity.ts';
import {
  addLists,
  isZero,
  maskList,
  type ResourceList,
  resourceList,
  resourceListText,
  resourceListValue,
  subtractLists,
} from '../core/resource-list.ts';
import { quotaMatches } from './scopes.ts';
import { matchingResources, missingFor, type QuotaKind, usageOf } from './usage.ts';

/** A quota, and the `status.used` that it is to have. */
export type QuotaCharge = { quota: KubeObject; used: Record<string, string> };
export type ChargeOutcome = { type: 'charged'; charges: readonly QuotaCharge[] } | { type: 'refused'; why: string };

/** One write as quota sees it. `old` is set for changes; `isStatus`: what a controller reports is counted, never refused. */
export type ChargedWrite = {
  /** All quotas of the namespace. */
  quotas: readonly KubeObject[];
  kind: QuotaKind;
  object: KubeObject;
  old?: KubeObject;
  isStatus: boolean;
  now: number;
};

/** Quotas in the order given; the first that is exceeded refuses. Quotas whose usage does not change are not among the charges. */
export function quotaCharges(write: ChargedWrite): ChargeOutcome {
  const { kind, object, old, now } = write;
  const concerned: KubeObject[] = [];
  for (const quota of write.quotas) {
    const names = hardNames(quota);
    if (!quotaMatches(quota, names, kind, object)) continue;
    const matching = matchingResources(kind, names);
    const missing = missingFor(kind, object, matching);
    if (missing !== undefined) return refused(`failed quota: ${quota.metadata.name}: ${missing}`);
    if (!isCounted(quota, matching))
      return refused(`status unknown for quota: ${quota.metadata.name}, resources: ${[...matching].sort().join(',')}`);
    concerned.push(quota);
  }
  if (concerned.length === 0) return { type: 'charged', charges: [] };
  const usage = usageOf(kind, object, now);
  const negative = [...usage].filter(([, amount]) => amount.unscaled < 0n).map(([name]) => name);
  if (negative.length > 0) return refused(`quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  const before = old && usageOf(kind, old, now);
  const charges: QuotaCharge[] = [];
  for (const quota of concerned) {
    const countedBefore = before && old && quotaMatches(quota, hardNames(quota), kind, old);
    const added = withoutZeros(countedBefore ? subtractLists(usage, before) : usage);
    if (added.size === 0) continue;
    const outcome = chargeOne(quota, added, write.isStatus);
    if (outcome.type === 'refused') return outcome;
    charges.push(...outcome.charges);
  }
  return { type: 'charged', charges };
}

function hardNames(quota: KubeObject): string[] {
  return Object.keys(quota.status?.hard ?? {});
}

/** Usage of what is limited must have been counted once. */
function isCounted(quota: KubeObject, names: readonly string[]): boolean {
  const used = quota.status?.used ?? {};
  return names.every((name) => Object.hasOwn(used, name));
}

function chargeOne(quota: KubeObject, added: ResourceList, isStatus: boolean): ChargeOutcome {
  const hard = resourceList(quota.status?.hard);
  const used = resourceList(quota.status?.used);
  const requested = maskList(added, hard);
  const next = addLists(used, requested);
  const exceeded = new Set([...requested.keys()].filter((name) => isAbove(next, hard, name)));
  if (exceeded.size > 0 && !isStatus) {
    const [asked, present, limit] = [requested, used, hard].map((list) => resourceListText(maskList(list, exceeded)));
    return refused(`exceeded quota: ${quota.metadata.name}, requested: ${asked}, used: ${present}, limited: ${limit}`);
  }
  return { type: 'charged', charges: requested.size > 0 ? [{ quota, used: resourceListValue(next) }] : [] };
}

function isAbove(next: ResourceList, hard: ResourceList, name: string): boolean {
  const [amount, limit] = [next.get(name), hard.get(name)];
  return amount !== undefined && limit !== undefined && compareQuantities(amount, limit) > 0;
}

function withoutZeros(list: ResourceList): ResourceList {
  return new Map([...list].filter(([, amount]) => !isZero(amount)));
}

const refused = (why: string): ChargeOutcome => ({ type: 'refused', why });
