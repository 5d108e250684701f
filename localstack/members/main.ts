/** Runs simulated members alone, for tests and for trying one with kubectl: `node localstack/members/main.ts --count 1 --data DIR`. */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeKubeconfig } from '../dev/kubeconfig.ts';
import { openCertificateAuthority } from '../tls.ts';
import { memberSpecs } from './catalogue.ts';
import { startMembers } from './pool.ts';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '1' }, data: { type: 'string', default: '.lamiral-members' } },
});
const dataDir = resolve(values.data);
await mkdir(dataDir, { recursive: true, mode: 0o700 });
const authority = await openCertificateAuthority(join(dataDir, 'pki'), Date.now);
const started = performance.now();
const pool = await startMembers({ dataDir: join(dataDir, 'members'), specs: memberSpecs(Number(values.count)), authority });
const kubeconfig = join(dataDir, 'kubeconfig');
await writeKubeconfig(
  kubeconfig,
  pool.list().map((member) => ({ name: member.spec.name, url: member.url, token: member.token, caCert: authority.caCert })),
);
console.log(
  `${pool.list().length} simulated clusters in ${Math.round(performance.now() - started)} ms\nexport KUBECONFIG=${kubeconfig}`,
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void pool.close().then(() => process.exit(0)));
