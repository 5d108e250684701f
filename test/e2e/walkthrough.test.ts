/** The README as a user lives it: start, apply, look, scale, change, lose a cluster, crash, come back. Each step says what was read. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../shared/machinery/object.ts';
import { httpPlayer } from './http-player.ts';
import { kubectlPlayer, kubectlVersion } from './kubectl-player.ts';
import { copiesOf, eventually, type Player, replicasOf } from './player.ts';
import { newDataDir, type Program, ROOT, startProgram } from './program.ts';

const CLUSTERS = ['eu-1', 'us-1', 'ap-1'];
const FIRST_POD_MS = 60_000;
const SECOND_START_MS = 5_000;
const cli = promisify(execFile);

let data: { dir: string; remove(): Promise<void> };
let program: Program;
let player: Player;
const times: string[] = [];

async function timed<T>(what: string, act: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await act();
  times.push(`${what.padEnd(44)} ${Math.round(performance.now() - started)} ms`);
  return result;
}

const tookMs = (what: string): number => Number(/(\d+) ms$/.exec(times.find((line) => line.startsWith(what)) ?? '')?.[1]);

const lamiral = async (...args: string[]) => {
  const { stdout } = await cli(process.execPath, [join(ROOT, 'shared/cli/lamiral.mjs'), ...args], {
    cwd: ROOT,
    env: { ...process.env, KUBECONFIG: program.kubeconfig },
  });
  return stdout;
};

/** `LAMIRAL_PLAYER=http` plays over HTTP even where kubectl is, so that both players can be tried on one machine. */
async function choosePlayer(): Promise<Player> {
  if (process.env.LAMIRAL_PLAYER === 'http') return httpPlayer(program.kubeconfig, ROOT);
  const version = await kubectlVersion();
  if (version !== undefined) return kubectlPlayer(program.kubeconfig, ROOT, version);
  // In CI the lab script builds kubectl: its absence there is a mistake, elsewhere a fact.
  if (process.env.LAMIRAL_LAB === 'built') throw new Error('kubectl was built but is not on PATH');
  console.log('kubectl not found: played over HTTP');
  return httpPlayer(program.kubeconfig, ROOT);
}

const copies = (name: string) => copiesOf(player, name, CLUSTERS);

beforeAll(async () => {
  data = await newDataDir();
  program = startProgram(data.dir);
  await timed('first start until the next command is shown', () =>
    program.printed('kubectl apply -f examples/web.yaml', FIRST_POD_MS),
  );
  player = await choosePlayer();
  console.log(`played with ${player.name}`);
});

afterAll(async () => {
  const code = await program.end('SIGINT');
  console.log(`${times.join('\n')}`);
  await data.remove();
  // Ctrl-C is how a user leaves: it must be a clean end.
  expect(code).toBe(0);
});

describe('walkthrough', () => {
  test('the start lines say what there is, and the kubeconfig is private', async () => {
    expect(program.output()).toMatch(/api +https:\/\/127\.0\.0\.1:\d+/);
    for (const cluster of CLUSTERS) expect(program.output()).toContain(cluster);
    expect(program.output()).toContain('everywhere (Divide)');
    expect((await stat(program.kubeconfig)).mode & 0o777).toBe(0o600);
  });

  test('the clusters are ready and joined', async () => {
    const rows = await eventually(
      'three clusters ready',
      () => player.rows('fcluster'),
      (found) => found.length === 3 && found.every((row) => row.READY === 'True' && row.JOINED === 'True'),
    );
    expect(rows.map((row) => row.NAME).sort()).toEqual([...CLUSTERS].sort());
  });

  test('kubectl apply places nine replicas, and the sum comes back', async () => {
    await timed('apply until 9/9', async () => {
      await player.apply('examples/web.yaml');
      await player.rolledOut('web');
      await player.available('web');
    });
    const [row] = await player.rows('deploy', { name: 'web' });
    expect(row).toMatchObject({ NAME: 'web', READY: '9/9', 'UP-TO-DATE': '9', AVAILABLE: '9' });
    const found = await copies('web');
    expect(replicasOf(found)).toBe(9);
  });

  test('the ConfigMap that it mounts is where it is', async () => {
    const found = await copies('web');
    expect(found.size).toBeGreaterThan(1);
    for (const cluster of found.keys())
      expect((await player.object('cm', 'web-pages', cluster))?.data).toHaveProperty('index.html');
  });

  test('each cluster has its overrides', async () => {
    const container = (copy: KubeObject | undefined) => copy?.spec.template.spec.containers[0];
    const found = await copies('web');
    expect(container(found.get('eu-1'))).toMatchObject({
      image: 'eu.mirror.example/nginx:1.29',
      env: [{ name: 'REGION', value: 'eu-central' }],
    });
    expect(container(found.get('us-1'))).toMatchObject({ image: 'nginx:1.29', env: [{ name: 'REGION', value: 'us-east' }] });
  });

  test('pods run in the members', async () => {
    const found = await copies('web');
    for (const [cluster, copy] of found) {
      const rows = await player.rows('pods', { context: cluster, wide: true });
      const running = rows.filter((row) => row.NAME?.startsWith('web-') && row.STATUS === 'Running' && row.READY === '1/1');
      expect(running).toHaveLength(copy.spec.replicas);
    }
  });

  test('the federation objects can be read', async () => {
    expect((await player.rows('federatedobjects')).map((row) => row.NAME)).toContain('web-deployments.apps');
    expect((await player.rows('collectedstatuses')).map((row) => row.NAME)).toContain('web-deployments.apps');
  });

  test('kubectl scale reaches the members, and a watch sees it', async () => {
    await timed('scale until 30/30', async () => {
      await player.scale('web', 30);
      const seen = await player.watchReady('web', '30/30');
      expect(seen.at(-1)).toBe('30/30');
    });
    expect(replicasOf(await copies('web'))).toBe(30);
  });

  test('create, label, patch, edit, diff, delete', async () => {
    await player.createDeployment('x', 'nginx');
    await player.available('x');
    await player.label('deploy', 'x', 'tier', 'front');
    await player.patch('deploy', 'x', { spec: { template: { spec: { containers: [{ name: 'nginx', image: 'nginx:1.29' }] } } } });
    await player.edit('deploy', 'x', 'front', 'back');
    expect((await player.object('deploy', 'x'))?.metadata.labels).toMatchObject({ tier: 'back' });
    await eventually(
      'the new image is in a member',
      () => copies('x'),
      (found) =>
        found.size > 0 && [...found.values()].every((copy) => copy.spec.template.spec.containers[0].image === 'nginx:1.29'),
    );
    const { code, text } = await player.diff('examples/web.yaml');
    expect(code).toBe(1);
    expect(text).toMatch(/30/);
    await timed('delete until it is gone everywhere', () => player.remove('deploy', 'x'));
    expect((await copies('x')).size).toBe(0);
  });

  test('describe and events tell the story', async () => {
    const text = await player.describe('deploy', 'web');
    expect(text).toMatch(/Normal +Scheduled .*lamiral .*30 replicas: us-1 \d+/);
    expect(text).toMatch(/Normal +Dispatched/);
  });

  test('explain names every cluster once', async () => {
    const text = await lamiral('explain', 'deploy/web');
    expect(text).toMatch(/^deployments default\/web {3}decision \d+ {3}30 replicas/);
    for (const cluster of CLUSTERS) expect(text.match(new RegExp(`^${cluster} `, 'gm'))).toHaveLength(1);
  });

  test('a member that is down delays nobody, and catches up', async () => {
    expect(await lamiral('cluster', 'down', 'ap-1', '--data', data.dir)).toContain('stopped');
    await player.patch('deploy', 'web', { spec: { template: { metadata: { annotations: { round: 'two' } } } } });
    await timed('the others have the change while one is down', () =>
      eventually(
        'the change is in the other two',
        async () => [await player.object('deploy', 'web', 'eu-1'), await player.object('deploy', 'web', 'us-1')],
        (found) => found.every((copy) => copy?.spec.template.metadata.annotations?.round === 'two'),
      ),
    );
    expect(await lamiral('cluster', 'up', 'ap-1', '--data', data.dir)).toContain('started');
    await timed('the returned member has caught up', () =>
      eventually(
        'the change is in ap-1',
        () => player.object('deploy', 'web', 'ap-1'),
        (copy) => copy?.spec.template.metadata.annotations?.round === 'two',
        60_000,
      ),
    );
    await player.rolledOut('web');
  });

  test('a second start on the same data is refused, and names the first', async () => {
    const second = startProgram(data.dir);
    await second.printed(String(program.pid), 10_000).catch(() => second.printed('process', 10_000));
    expect(await second.end('SIGTERM')).not.toBe(0);
    expect(second.output()).toContain('https://127.0.0.1:');
  });

  test('what was accepted before kill -9 is there afterwards', async () => {
    await player.createDeployment('late', 'nginx');
    await program.end('SIGKILL');
    program = startProgram(data.dir);
    await timed('second start until ready', () => program.printed('kubectl', 30_000));
    // On a machine that is busy with other things the first start was slow too: the second is never to be much slower.
    expect(tookMs('second start')).toBeLessThan(Math.max(SECOND_START_MS, 1.5 * tookMs('first start')));
    player = await choosePlayer();
    await timed('after the crash: what was accepted is placed', () => player.available('late'));
    expect((await player.rows('deploy', { name: 'web' }))[0]?.READY).toBe('30/30');
  });

  test('reset deletes what it wrote, and nothing else was there', async () => {
    expect(await program.end('SIGINT')).toBe(0);
    expect(await lamiral('reset', '--yes', '--data', data.dir)).toContain('deleted');
    expect(existsSync(data.dir)).toBe(false);
  });
});
