/** Upstream's Priority plugin: a pod's priority follows from its PriorityClass, and only one class may be the default. */
import { struct } from '../../apis/defaults/fill.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { AdmissionRequest, AdmissionStep } from '../server.ts';
import type { AdmissionDeps } from './chain.ts';
import { concernsKind, refuse } from './refuse.ts';
import { createScopeView, type ScopeView } from './scope-view.ts';

const GROUP = 'scheduling.k8s.io';
const ALWAYS_ASKED = ['create', 'update'] as const;

export function priority(deps: AdmissionDeps): AdmissionStep {
  const classes = createScopeView(deps, `${GROUP}/priorityclasses`);
  return {
    name: 'Priority',
    concerns: (target) =>
      concernsKind(target, '', 'pods', ALWAYS_ASKED) || concernsKind(target, GROUP, 'priorityclasses', ALWAYS_ASKED),
    async mutate(request) {
      const { definition, operation, object, old } = request;
      if (!object || definition.plural !== 'pods') return;
      if (operation === 'update') return keep(object, old);
      await admitPod(request, object, classes);
    },
    async validate(request) {
      if (request.definition.plural === 'priorityclasses' && request.object?.globalDefault === true)
        await refuseSecondDefault(request, classes);
    },
  };
}

/** Who replaces a pod need not repeat what was worked out when it was made. */
function keep(pod: KubeObject, old: KubeObject | undefined): void {
  const spec = struct(pod, 'spec');
  spec.priority ??= old?.spec?.priority;
  spec.preemptionPolicy ??= old?.spec?.preemptionPolicy;
  if (spec.priority === undefined) delete spec.priority;
  if (spec.preemptionPolicy === undefined) delete spec.preemptionPolicy;
}

async function admitPod(request: AdmissionRequest, pod: KubeObject, classes: ScopeView): Promise<void> {
  const spec = struct(pod, 'spec');
  const all = await classes.all();
  const name: string = spec.priorityClassName ?? '';
  const chosen = name === '' ? defaultClass(all) : all.find(({ metadata }) => metadata.name === name);
  if (name !== '' && !chosen) throw refuse(request, `no PriorityClass with name ${name} was found`);
  if (name === '' && chosen) spec.priorityClassName = chosen.metadata.name;
  const value: number = chosen?.value ?? 0;
  if (typeof spec.priority === 'number' && spec.priority !== value)
    throw refuse(
      request,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  spec.priority = value;
  const policy: string = chosen?.preemptionPolicy ?? 'PreemptLowerPriority';
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw refuse(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  spec.preemptionPolicy = policy;
}

/** The lowest of those that a race may have marked. */
function defaultClass(classes: readonly KubeObject[]): KubeObject | undefined {
  const marked = classes.filter(({ globalDefault }) => globalDefault === true);
  return marked.sort((a, b) => Number(a.value) - Number(b.value))[0];
}

async function refuseSecondDefault(request: AdmissionRequest, classes: ScopeView): Promise<void> {
  const present = defaultClass(await classes.all());
  if (!present || (request.operation === 'update' && present.metadata.name === request.name)) return;
  throw refuse(request, `PriorityClass ${present.metadata.name} is already marked as default. Only one default can exist`);
}
