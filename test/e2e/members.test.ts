/** The walkthrough against clusters that nobody here wrote. Started by test/lab/members.sh, which brings them up. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../shared/machinery/object.ts';
import { kubectlPlayer, kubectlVersion } from './kubectl-player.ts';
import { copiesOf, eventually, type Player, replicasOf } from './player.ts';
import { newDataDir, type Program, ROOT, startProgram } from './program.ts';

const run = promisify(execFile);
const MEMBERS = process.env.LAMIRAL_MEMBERS;
const CLUSTERS = ['c21', 'c22', 'c23'];
const LEAVING = 'c23';

let data: { dir: string; remove(): Promise<void> };
let program: Program;
let player: Player;

const lab = (...args: string[]) =>
  run(`${ROOT}test/lab/cluster.sh`, args, { env: { ...process.env, RUN: process.env.LAMIRAL_LAB_LEAVING, FIRST: '23' } });

const copies = (name: string, clusters: readonly string[] = CLUSTERS) => copiesOf(player, name, clusters);

beforeAll(async () => {
  if (!MEMBERS) throw new Error('LAMIRAL_MEMBERS is not set: run this through `npm run test:members`');
  data = await newDataDir();
  program = startProgram(data.dir, ['--members', MEMBERS]);
  await program.printed('kubectl apply -f examples/web.yaml', 60_000);
  player = kubectlPlayer(program.kubeconfig, ROOT, (await kubectlVersion()) ?? 'is missing');
});

afterAll(async () => {
  await program?.end('SIGINT');
  await data?.remove();
});

describe('real member clusters', () => {
  test('join through their kubeconfigs', async () => {
    const rows = await eventually(
      'joined and ready',
      () => player.rows('fcluster'),
      (found) => found.length === 3 && found.every((row) => row.READY === 'True' && row.JOINED === 'True'),
    );
    expect(rows.map((row) => row.NAME).sort()).toEqual(CLUSTERS);
  });

  test('place nine replicas and bring the status back', async () => {
    await player.apply('examples/web.yaml');
    await player.rolledOut('web');
    await player.available('web');
    expect((await player.rows('deploy', { name: 'web' }))[0]).toMatchObject({ READY: '9/9', 'UP-TO-DATE': '9', AVAILABLE: '9' });
    const found = await copies('web');
    expect(replicasOf(found)).toBe(9);
    for (const cluster of found.keys())
      expect((await player.object('cm', 'web-pages', cluster))?.data).toHaveProperty('index.html');
  });

  test('scale, change the image, override', async () => {
    await player.scale('web', 30);
    await player.rolledOut('web');
    expect(replicasOf(await copies('web'))).toBe(30);
    await player.patch('deploy', 'web', { spec: { template: { spec: { containers: [{ name: 'web', image: 'nginx:1.30' }] } } } });
    await player.rolledOut('web');
    const rule = {
      targetClusters: { clusters: ['c21'] },
      overriders: { image: [{ operations: [{ imageComponent: 'Registry', operator: 'overwrite', value: 'one.example' }] }] },
    };
    await run(
      'kubectl',
      ['patch', 'overridepolicy', 'web', '--type=merge', '-p', JSON.stringify({ spec: { overrideRules: [rule] } })],
      { env: { ...process.env, KUBECONFIG: program.kubeconfig } },
    );
    const images = (found: ReadonlyMap<string, KubeObject>) =>
      Object.fromEntries([...found].map(([cluster, copy]) => [cluster, copy.spec.template.spec.containers[0].image]));
    const found = await eventually(
      'the override is in its cluster alone',
      () => copies('web'),
      (now) => images(now).c21 === 'one.example/nginx:1.30',
    );
    expect(images(found)).toMatchObject({ c22: 'nginx:1.30', c23: 'nginx:1.30' });
  });

  test('a member that is killed delays nobody and catches up when it is back', async () => {
    await lab('stop');
    await player.patch('deploy', 'web', { spec: { template: { metadata: { annotations: { round: 'two' } } } } });
    const round = (copy: KubeObject) => copy.spec.template.metadata.annotations?.round === 'two';
    await eventually(
      'the others have the change',
      () => copies('web', ['c21', 'c22']),
      (found) => found.size === 2 && [...found.values()].every(round),
    );
    await lab('start', '1', '--nodes', '3', '--unsafe-no-fsync');
    await eventually(
      'the returned member has the change',
      () => player.object('deploy', 'web', LEAVING),
      (copy) => copy !== undefined && round(copy),
      90_000,
    );
    await player.rolledOut('web');
  });

  test('delete takes it away everywhere', async () => {
    await player.remove('deploy', 'web');
    expect((await copies('web')).size).toBe(0);
  });
});
