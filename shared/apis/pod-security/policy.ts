/** Which Pod Security policy a namespace's labels ask for, and what a pod does against it (k8s.io/pod-security-admission/{api,policy}). Pure. */
import type { FieldError } from '../definition.ts';
import { BASELINE } from './baseline.ts';
import { RESTRICTED } from './restricted.ts';
import type { PodLike, Violation } from './words.ts';

export type Level = 'privileged' | 'baseline' | 'restricted';
/** A level in a version: `latest`, or 1.x. */
export type LevelVersion = { level: Level; minor: number | 'latest' };
export type Mode = 'enforce' | 'audit' | 'warn';

const PREFIX = 'pod-security.kubernetes.io/';
const MODES: readonly Mode[] = ['enforce', 'audit', 'warn'];
const LEVELS: readonly Level[] = ['privileged', 'baseline', 'restricted'];
/** The version that `latest` stands for. */
const LATEST_MINOR = 35;

/**
 * What the labels ask for. A level that cannot be read is the strictest where it is enforced, and none where it only tells; who enforces and says
 * nothing of warnings is warned by what is enforced.
 */
export function policyOf(labels: Readonly<Record<string, string>> | undefined): Record<Mode, LevelVersion> {
  const read = (mode: Mode): LevelVersion => {
    const text = labels?.[`${PREFIX}${mode}`] ?? 'privileged';
    const level = LEVELS.find((each) => each === text) ?? (mode === 'enforce' ? 'restricted' : 'privileged');
    return { level, minor: parseVersion(labels?.[`${PREFIX}${mode}-version`]) ?? 'latest' };
  };
  const policy = { enforce: read('enforce'), audit: read('audit'), warn: read('warn') };
  const saysLevel = labels?.[`${PREFIX}warn`] !== undefined;
  const isReadable = LEVELS.some((level) => level === labels?.[`${PREFIX}enforce`]);
  if (saysLevel || !isReadable || policy.enforce.level === 'privileged') return policy;
  const saysVersion = labels?.[`${PREFIX}warn-version`] !== undefined;
  const warn = { level: policy.enforce.level, minor: saysVersion ? policy.warn.minor : policy.enforce.minor };
  return { ...policy, warn };
}

function parseVersion(text: string | undefined): number | 'latest' | undefined {
  if (text === undefined || text === 'latest') return 'latest';
  const minor = /^v1\.(0|[1-9]\d{0,3})$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** Labels of a namespace that say nothing: 422 with upstream's texts. */
export function policyErrors(labels: Readonly<Record<string, string>> | undefined): FieldError[] {
  return MODES.flatMap((mode): FieldError[] => {
    const level = labels?.[`${PREFIX}${mode}`];
    const version = labels?.[`${PREFIX}${mode}-version`];
    const error = (field: string, value: string, why: string): FieldError => ({
      type: 'Invalid',
      field: `metadata.labels[${field}]`,
      detail: `Invalid value: ${JSON.stringify(value)}: ${why}`,
    });
    return [
      ...(level === undefined || LEVELS.some((each) => each === level)
        ? []
        : [error(`${PREFIX}${mode}`, level, 'must be one of privileged, baseline, restricted')]),
      ...(parseVersion(version) === undefined
        ? [error(`${PREFIX}${mode}-version`, version ?? '', 'must be "latest" or "v1.x"')]
        : []),
    ];
  });
}

/** `baseline:latest`, `restricted:v1.30`. */
export function levelText({ level, minor }: LevelVersion): string {
  return `${level}:${minor === 'latest' ? minor : `v1.${minor}`}`;
}

/** Everything that the pod does against the policy; baseline first, each level by the ids of its rules. */
export function violations(policy: LevelVersion, pod: PodLike): Violation[] {
  if (policy.level === 'privileged') return [];
  const minor = policy.minor === 'latest' ? LATEST_MINOR : Math.min(policy.minor, LATEST_MINOR);
  const restricted = policy.level === 'restricted' ? RESTRICTED.filter(({ since }) => since <= minor) : [];
  const needless = new Set(restricted.flatMap(({ overrides = [] }) => overrides));
  const baseline = BASELINE.filter(({ id, since }) => since <= minor && !needless.has(id));
  return [...baseline, ...restricted].flatMap((check) => check.violation(pod, minor) ?? []);
}

/** `privileged (container "c" must not ...), hostPort (...)`. */
export function violationsText(found: readonly Violation[]): string {
  return found.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}

/** `privileged, hostPort`: reasons alone, for what concerns several pods. */
export function reasonsText(found: readonly Violation[]): string {
  return found.map(({ reason }) => reason).join(', ');
}
