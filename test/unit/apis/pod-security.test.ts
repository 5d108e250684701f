/** Pod Security: one rule at a time, in the words of k8s.io/pod-security-admission. */
import { describe, expect, test } from 'vitest';
import {
  type LevelVersion,
  levelText,
  policyErrors,
  policyOf,
  violations,
  violationsText,
} from '../../../shared/apis/pod-security/policy.ts';

const PREFIX = 'pod-security.kubernetes.io/';
const baseline: LevelVersion = { level: 'baseline', minor: 'latest' };
const restricted: LevelVersion = { level: 'restricted', minor: 'latest' };
const SAFE = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};
const told = (policy: LevelVersion, spec: object, annotations: Record<string, string> = {}) =>
  violationsText(violations(policy, { metadata: { annotations }, spec }));
const pod = (context: object, spec: object = {}) => ({ containers: [{ name: 'a', securityContext: context }], ...spec });

describe('baseline', () => {
  test.each<[string, object, string]>([
    ['an ordinary pod', pod({}), ''],
    ['privileged', pod({ privileged: true }), 'privileged (container "a" must not set securityContext.privileged=true)'],
    [
      'more capabilities',
      pod({ capabilities: { add: ['NET_ADMIN', 'CHOWN', 'BPF'] } }),
      'non-default capabilities (container "a" must not include "BPF", "NET_ADMIN" in securityContext.capabilities.add)',
    ],
    ['the host', pod({}, { hostPID: true, hostNetwork: true }), 'host namespaces (hostNetwork=true, hostPID=true)'],
    ['a path of the host', pod({}, { volumes: [{ name: 'v', hostPath: { path: '/' } }] }), 'hostPath volumes (volume "v")'],
    [
      'ports of the host, in two containers',
      { initContainers: [{ name: 'i', ports: [{ hostPort: 80 }] }], containers: [{ name: 'a', ports: [{ hostPort: 443 }] }] },
      'hostPort (containers "i", "a" use hostPorts 443, 80)',
    ],
    [
      'unmasked proc',
      pod({ procMount: 'Unmasked' }),
      'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    ],
    ['unmasked proc among users of its own', pod({ procMount: 'Unmasked' }, { hostUsers: false }), ''],
    [
      'SELinux',
      pod({ seLinuxOptions: { type: 'x', user: 'u' } }, { securityContext: { seLinuxOptions: { role: 'r' } } }),
      'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: type "x"; user may not be set; role may not be set)',
    ],
    [
      'no seccomp',
      pod({ seccompProfile: { type: 'Unconfined' } }),
      'seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'a sysctl',
      pod({}, { securityContext: { sysctls: [{ name: 'kernel.msgmax' }, { name: 'net.ipv4.tcp_rmem' }] } }),
      'forbidden sysctls (kernel.msgmax)',
    ],
    [
      'a probe of another host',
      { containers: [{ name: 'a', livenessProbe: { httpGet: { host: '10.0.0.1' } } }] },
      'probe or lifecycle host (container "a" uses probe or lifecycle host "10.0.0.1")',
    ],
  ])('%s', (_sentence, spec, want) => {
    expect(told(baseline, spec)).toBe(want);
  });
  test('an older version knows fewer sysctls', () => {
    const spec = pod({}, { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem' }] } });
    expect(told({ level: 'baseline', minor: 30 }, spec)).toBe('forbidden sysctls (net.ipv4.tcp_rmem)');
  });
});

describe('restricted', () => {
  test.each<[string, object, string]>([
    ['a pod that does everything right', pod(SAFE), ''],
    ['a root user', pod({ ...SAFE, runAsUser: 0 }), 'runAsUser=0 (container "a" must not set runAsUser=0)'],
    [
      'a root, said aloud',
      pod({ ...SAFE, runAsNonRoot: false }),
      'runAsNonRoot != true (container "a" must not set securityContext.runAsNonRoot=false)',
    ],
    [
      'other volumes',
      pod(SAFE, {
        volumes: [
          { name: 'v', nfs: {} },
          { name: 'e', emptyDir: {} },
        ],
      }),
      'restricted volume types (volume "v" uses restricted volume type "nfs")',
    ],
    [
      'the pod speaks for its containers',
      {
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'Localhost' } },
        containers: [{ name: 'a', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
      },
      '',
    ],
  ])('%s', (_sentence, spec, want) => {
    expect(told(restricted, spec)).toBe(want);
  });
});

describe('labels', () => {
  test('who enforces is warned of it, unless he says otherwise', () => {
    const policy = policyOf({ [`${PREFIX}enforce`]: 'baseline', [`${PREFIX}enforce-version`]: 'v1.30' });
    expect([levelText(policy.enforce), levelText(policy.warn), levelText(policy.audit)]).toEqual([
      'baseline:v1.30',
      'baseline:v1.30',
      'privileged:latest',
    ]);
    const quiet = policyOf({ [`${PREFIX}enforce`]: 'baseline', [`${PREFIX}warn`]: 'privileged' });
    expect(levelText(quiet.warn)).toBe('privileged:latest');
  });
  test('what cannot be read is enforced at its strictest, and refused when it is written', () => {
    expect(levelText(policyOf({ [`${PREFIX}enforce`]: 'very' }).enforce)).toBe('restricted:latest');
    expect(policyErrors({ [`${PREFIX}enforce`]: 'very', [`${PREFIX}warn-version`]: '1.2' }).map(({ detail }) => detail)).toEqual([
      'Invalid value: "very": must be one of privileged, baseline, restricted',
      'Invalid value: "1.2": must be "latest" or "v1.x"',
    ]);
  });
});
