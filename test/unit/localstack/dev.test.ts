import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openControl } from '../../../localstack/dev/control.ts';
import { kubeconfigText, writeKubeconfig } from '../../../localstack/dev/kubeconfig.ts';
import { LockedError, takeLock } from '../../../localstack/dev/lock.ts';
import { clusterName, leftOutLines } from '../../../localstack/dev/members.ts';
import { createNarrator } from '../../../localstack/dev/narrator.ts';
import { parseOptions, UsageError } from '../../../localstack/dev/options.ts';
import { createScreen, formatTook } from '../../../localstack/dev/screen.ts';
import { kubeconfigShown } from '../../../localstack/dev/start.ts';
import { memberSpecs } from '../../../localstack/members/catalogue.ts';
import { FileInUseError } from '../../../shared/adapters/sqlite/database.ts';
import { controlPath, readLock } from '../../../shared/cli/local-control.ts';
import { parseYaml } from '../../../shared/machinery/codec/yaml.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lamiral-dev-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('options', () => {
  test('defaults: three clusters, any free port, data beside where it was started', () => {
    expect(parseOptions([], '/home/u')).toEqual({
      dataDir: '/home/u/.lamiral',
      shownDataDir: '.lamiral/',
      clusters: 3,
      verbose: false,
    });
  });
  test.each([
    [['--clusters', '101'], '--clusters 101: must be a whole number from 0 to 100'],
    [['--clusters', 'many'], '--clusters many: must be a whole number from 0 to 100'],
    [['--port', '0'], '--port 0: must be a whole number from 1 to 65535'],
    [['--portt', '1'], "Unknown option '--portt'"],
  ])('%j is refused', (argv, text) => {
    expect(() => parseOptions(argv, '/')).toThrow(UsageError);
    expect(() => parseOptions(argv, '/')).toThrow(text);
  });
});

describe('the lock', () => {
  test('names its holder to whoever comes second, and is gone after release', async () => {
    const lock = await takeLock(
      dir,
      () => 0,
      () => 'store',
    );
    await lock.publish('https://127.0.0.1:6443');
    const second = takeLock(
      dir,
      () => 0,
      () => {
        throw new FileInUseError('x', undefined);
      },
    );
    await expect(second).rejects.toThrow(
      `process ${process.pid} holds it since 1970-01-01T00:00:00.000Z and serves https://127.0.0.1:6443`,
    );
    await expect(second).rejects.toBeInstanceOf(LockedError);
    await lock.release();
    expect(await readLock(dir)).toBeUndefined();
  });
  test('a file left by a crash does not keep anybody out', async () => {
    await writeFile(join(dir, 'lock'), 'half a line');
    expect(
      (
        await takeLock(
          dir,
          () => 0,
          () => 'store',
        )
      ).held,
    ).toBe('store');
  });
});

describe('the kubeconfig', () => {
  const endpoints = [
    { name: 'lamiral', url: 'https://127.0.0.1:6443', token: 't', caCert: 'CA' },
    { name: 'real', url: 'https://10.0.0.1', insecure: true, cert: 'C', key: 'K' },
  ];
  test('has one context for each server, the control plane first and current', () => {
    const config = parseYaml(kubeconfigText(endpoints)) as unknown as Record<string, { name: string }[]> & {
      'current-context': string;
    };
    expect(config['current-context']).toBe('lamiral');
    expect(config.contexts?.map(({ name }) => name)).toEqual(['lamiral', 'real']);
    expect(config.users?.[1]).toEqual({ name: 'real', user: { 'client-certificate-data': 'Qw==', 'client-key-data': 'Sw==' } });
    expect(config.clusters?.[1]).toEqual({
      name: 'real',
      cluster: { server: 'https://10.0.0.1', 'insecure-skip-tls-verify': true },
    });
  });
  test('is readable by its owner alone', async () => {
    await writeKubeconfig(join(dir, 'kubeconfig'), endpoints);
    expect((await stat(join(dir, 'kubeconfig'))).mode & 0o777).toBe(0o600);
  });
});

describe('the control socket', () => {
  const ask = (method: string, path: string) =>
    new Promise<string>((resolve, reject) => {
      const call = request({ socketPath: controlPath(dir), method, path }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve(`${response.statusCode} ${text.trim()}`));
      });
      call.on('error', reject).end();
    });
  test.each([
    ['POST', '/clusters/eu-1/down', '200 ok'],
    ['POST', '/clusters/no/down', '404 there is no simulated cluster "no"; there are: eu-1'],
    ['GET', '/clusters/eu-1/down', '404 nothing is served at GET /clusters/eu-1/down'],
    ['GET', '/stats', '200 {"store":1,"queue":2,"rssBytes":3,"cpuMs":4}'],
    ['POST', '/clusters/broken/up', '500 it does not start'],
  ])('%s %s', async (method, path, want) => {
    const actions = {
      names: () => ['eu-1'],
      down: async (name: string) => name === 'eu-1',
      up: async () => {
        throw new Error('it does not start');
      },
    };
    const close = await openControl(dir, actions, () => ({ store: 1, queue: 2, rssBytes: 3, cpuMs: 4 }));
    expect(await ask(method, path)).toBe(want);
    await close();
  });
});

describe('what is told', () => {
  const source = { scope: 'apps/deployments', namespace: 'default', name: 'web' };
  const ready = { replicas: 9, readyReplicas: 9, updatedReplicas: 9, conditions: [{ type: 'Available', status: 'True' }] };
  function listen() {
    const lines: string[] = [];
    let time = 0;
    const screen = createScreen(
      (text) => lines.push(text.trimEnd().slice(10)),
      () => 0,
      false,
    );
    const narrator = createNarrator(screen, () => time);
    return { lines, narrator, pass: (ms: number) => (time += ms) };
  }
  test('one line per placement, when it is ready', () => {
    const { lines, narrator, pass } = listen();
    narrator.placed({ source, summary: '9 -> us-1 7  eu-1 2', decideMs: 3 });
    pass(41);
    narrator.status({ source, placedAt: 41, status: { ...ready, readyReplicas: 0 } });
    pass(859);
    narrator.status({ source, status: ready });
    narrator.status({ source, status: ready });
    expect(lines).toEqual([
      'deployments default/web   9 -> us-1 7  eu-1 2                 decided 3 ms, placed 41 ms, ready 900 ms',
    ]);
  });
  test('a placement that is not ready in time is told as it stands', () => {
    vi.useFakeTimers();
    const { lines, narrator } = listen();
    narrator.placed({ source, summary: '9 -> us-1 9', decideMs: 3 });
    vi.advanceTimersByTime(10_000);
    vi.useRealTimers();
    expect(lines).toEqual([
      'deployments default/web   9 -> us-1 9                         decided 3 ms, not yet on all its clusters',
    ]);
  });
  test('what only follows is not told', () => {
    const { lines, narrator } = listen();
    const follower = { scope: '/configmaps', namespace: 'default', name: 'web-pages' };
    narrator.placed({ source: follower, summary: '-> us-1', decideMs: 1 });
    narrator.status({ source: follower, placedAt: 1, status: undefined });
    expect(lines).toEqual([]);
  });
  test.each([
    [0.2, '1 ms'],
    [999, '999 ms'],
    [1440, '1.4 s'],
  ])('%d ms is written %s', (ms, text) => {
    expect(formatTook(ms)).toBe(text);
  });
});

describe('the kubeconfig to export', () => {
  test.each([
    ['.lamiral/', '$PWD/.lamiral/kubeconfig'],
    ['/data/lamiral/', '/data/lamiral/kubeconfig'],
    ['my data/', '"$PWD/my data/kubeconfig"'],
    ['/a "b"/', '"/a \\"b\\"/kubeconfig"'],
  ])('data in %s: %s', (shownDataDir, want) => {
    expect(kubeconfigShown({ shownDataDir })).toBe(want);
  });
});

describe('names', () => {
  test.each([
    ['arn:aws:eks:eu-central-1:1:cluster/Prod', 'arn-aws-eks-eu-central-1-1-cluster-prod'],
    ['kind-a', 'kind-a'],
    ['***', 'member'],
    [`${'a'.repeat(62)}/b`, 'a'.repeat(62)],
  ])('context %s becomes cluster %s', (context, name) => {
    expect(clusterName(context)).toBe(name);
  });
  test('simulated clusters that a smaller start leaves out are named, others are nobody’s business', () => {
    const cluster = (name: string, simulated: boolean) => ({
      apiVersion: 'core.kubeadmiral.io/v1alpha1',
      kind: 'FederatedCluster',
      metadata: { name, labels: simulated ? { 'lamiral.dev/simulated': 'true' } : {} },
    });
    const all = [cluster('eu-1', true), cluster('us-1', true), cluster('real', false)];
    expect(leftOutLines(all, ['eu-1'])[0]).toBe('not started this time: us-1');
    expect(leftOutLines(all, ['eu-1', 'us-1'])).toEqual([]);
  });
  test('a hundred simulated clusters have a hundred names, always the same', () => {
    const names = memberSpecs(100).map(({ name }) => name);
    expect(new Set(names).size).toBe(100);
    expect(names.slice(0, 5)).toEqual(['eu-1', 'us-1', 'ap-1', 'eu-2', 'us-2']);
    expect(memberSpecs(100)).toEqual(memberSpecs(100));
  });
});
