/** Rules of containers (validateContainers of k8s.io/kubernetes/pkg/apis/core/validation): names, images, ports, variables, mounts, probes. */
import { nameErrors } from '../../machinery/names.ts';
import type { FieldError } from '../definition.ts';
import { validateEnvironment, validateEnvironmentSources } from './environment.ts';
import {
  duplicate,
  eachItem,
  forbidden,
  invalid,
  invalidEach,
  isEmptyText,
  notFound,
  type OwnField,
  required,
  requiredOneOf,
} from './fields.ts';
import { localPathErrors, portNameErrors, portNumberErrors } from './formats.ts';
import { validateProbe } from './probes.ts';
import { validateContainerResources } from './quantities.ts';

export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const ONLY_SIDECARS = 'may not be set for init containers without restartPolicy=Always';

/** Errors of `containers`: at least one, unique names. `volumes` are the names that may be mounted. */
export function validateContainers(field: string, containers: unknown, volumes: ReadonlySet<string>): FieldError[] {
  if (!Array.isArray(containers) || containers.length === 0) return [required(field)];
  const names = new Set<string>();
  const errors = eachItem(field, containers, (container, path) => {
    const found = [...commonErrors(container, path, volumes), ...nameTaken(names, container?.name, path)];
    names.add(container?.name);
    return [...found, ...probeErrors(container, path)];
  });
  return [...errors, ...hostPortConflicts(field, containers)];
}

/** Errors of `initContainers`: probes only for those that run as sidecars; names differ from the containers' too. */
export function validateInitContainers(
  field: string,
  initContainers: unknown,
  containers: unknown,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const names = new Set<string>(Array.isArray(containers) ? containers.map((container) => container?.name) : []);
  return eachItem(field, initContainers, (container, path) => {
    const found = [...commonErrors(container, path, volumes), ...nameTaken(names, container?.name, path)];
    if (!isEmptyText(container?.name)) names.add(container.name);
    return [...found, ...(container?.restartPolicy === 'Always' ? probeErrors(container, path) : noProbes(container, path))];
  });
}

function commonErrors(container: OwnField, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const { name, image, terminationMessagePolicy, ports, env, envFrom, volumeMounts, imagePullPolicy, resources } =
    container ?? {};
  return [
    ...(isEmptyText(name) ? [required(`${path}.name`)] : invalidEach(`${path}.name`, name, nameErrors('label', String(name)))),
    ...(isEmptyText(image) ? [required(`${path}.image`)] : []),
    ...requiredOneOf(`${path}.terminationMessagePolicy`, terminationMessagePolicy, ['File', 'FallbackToLogsOnError']),
    ...portErrors(`${path}.ports`, ports),
    ...validateEnvironment(`${path}.env`, env),
    ...validateEnvironmentSources(`${path}.envFrom`, envFrom),
    ...mountErrors(`${path}.volumeMounts`, volumeMounts, volumes),
    ...requiredOneOf(`${path}.imagePullPolicy`, imagePullPolicy, ['Always', 'IfNotPresent', 'Never']),
    ...validateContainerResources(`${path}.resources`, resources),
  ];
}

function nameTaken(names: ReadonlySet<string>, name: string, path: string): FieldError[] {
  return names.has(name) ? [duplicate(`${path}.name`, name)] : [];
}

function portErrors(field: string, ports: unknown): FieldError[] {
  const names = new Set<string>();
  return eachItem(field, ports, (port, path) => [
    ...portNameOf(names, port?.name, `${path}.name`),
    ...(port?.containerPort
      ? invalidEach(`${path}.containerPort`, port.containerPort, portNumberErrors(port.containerPort))
      : [required(`${path}.containerPort`)]),
    ...(port?.hostPort ? invalidEach(`${path}.hostPort`, port.hostPort, portNumberErrors(port.hostPort)) : []),
    ...requiredOneOf(`${path}.protocol`, port?.protocol, PROTOCOLS),
  ]);
}

function portNameOf(names: Set<string>, name: unknown, field: string): FieldError[] {
  if (isEmptyText(name)) return [];
  const errors = portNameErrors(String(name));
  if (errors.length > 0) return invalidEach(field, name, errors);
  if (names.has(String(name))) return [duplicate(field, name)];
  names.add(String(name));
  return [];
}

function mountErrors(field: string, mounts: unknown, volumes: ReadonlySet<string>): FieldError[] {
  const paths = new Set<string>();
  return eachItem(field, mounts, (mount, path) => {
    const { name = '', mountPath = '', subPath, subPathExpr } = mount ?? {};
    const found = [
      ...(name === '' ? [required(`${path}.name`)] : []),
      ...(volumes.has(name) ? [] : [notFound(`${path}.name`, name)]),
      ...(mountPath === '' ? [required(`${path}.mountPath`)] : []),
      ...(paths.has(mountPath) ? [invalid(`${path}.mountPath`, mountPath, 'must be unique')] : []),
      // Upstream names the list here, not the element.
      ...(subPath ? invalidEach(`${field}.subPath`, subPath, localPathErrors(subPath)) : []),
      ...(subPathExpr && subPath
        ? [invalid(`${path}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive')]
        : []),
      ...(subPathExpr ? invalidEach(`${field}.subPathExpr`, subPathExpr, localPathErrors(subPathExpr)) : []),
    ];
    paths.add(mountPath);
    return found;
  });
}

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

function probeErrors(container: OwnField, path: string): FieldError[] {
  return PROBES.flatMap((probe) => (container?.[probe] ? validateProbe(`${path}.${probe}`, container[probe], probe) : []));
}

function noProbes(container: OwnField, path: string): FieldError[] {
  return ['lifecycle', ...PROBES]
    .filter((member) => container?.[member])
    .map((member) => forbidden(`${path}.${member}`, ONLY_SIDECARS));
}

function hostPortConflicts(field: string, containers: readonly OwnField[]): FieldError[] {
  const taken = new Set<string>();
  return eachItem(field, containers, (container, path) =>
    eachItem(`${path}.ports`, container?.ports, (port, at) => {
      if (!port?.hostPort) return [];
      const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`;
      if (taken.has(key)) return [duplicate(`${at}.hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}
