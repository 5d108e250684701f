/** All simulated members of one `dev`: spread over worker threads, stopped and started by name, found again at the same address. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type KeptAccess, keepAccess, readAccess } from '../kept-access.ts';
import type { CertificateAuthority } from '../tls.ts';
import type { MemberSpec } from './catalogue.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

const MEMBERS_PER_WORKER = 8;
const WORKERS_MAX = 4;

/** How to reach a member. `token` is an administrator's. */
export type MemberAccess = { spec: MemberSpec; url: string; token: string; kubeSystemUid: string; up: boolean };

export type MemberPool = {
  list(): readonly MemberAccess[];
  /** Closes the member's server; connections are refused, its state is kept. False: no such member. */
  stop(name: string): Promise<boolean>;
  start(name: string): Promise<boolean>;
  close(): Promise<void>;
};

type Member = MemberAccess & { worker: Worker; dir: string; kept: KeptAccess };
type Options = { dataDir: string; specs: readonly MemberSpec[]; authority: CertificateAuthority };

/** Starts them all; rejects, naming the member, when one cannot start. */
export async function startMembers({ dataDir, specs, authority }: Options): Promise<MemberPool> {
  const tls = await authority.serverCertificate('members');
  const workers = Array.from({ length: Math.min(WORKERS_MAX, Math.ceil(specs.length / MEMBERS_PER_WORKER)) }, createWorker);
  const members = new Map<string, Member>();
  const startOne = async (member: Member): Promise<void> => {
    const { spec, worker, dir, kept } = member;
    const answer = await ask(
      worker,
      { type: 'start', name: spec.name, spec, dir, tls, caCert: authority.caCert, token: kept.token, port: kept.port },
      spec.name,
    );
    if (answer.type !== 'started')
      throw new Error(
        `the simulated cluster ${spec.name} could not start: ${'message' in answer ? answer.message : answer.type}`,
      );
    Object.assign(member, { url: answer.url, kubeSystemUid: answer.kubeSystemUid, up: true });
    if (answer.port !== kept.port) await keepAccess(dir, Object.assign(kept, { port: answer.port }));
  };
  await Promise.all(
    specs.map(async (spec, i) => {
      const dir = join(dataDir, spec.name);
      const kept = await readAccess(dir);
      const worker = workers[i % workers.length];
      if (!worker) return;
      members.set(spec.name, { spec, url: '', token: kept.token, kubeSystemUid: '', up: false, worker, dir, kept });
    }),
  );
  await Promise.all([...members.values()].map(startOne));
  return {
    list: () => specs.flatMap(({ name }) => members.get(name) ?? []),
    stop: async (name) => {
      const member = members.get(name);
      if (!member) return false;
      await ask(member.worker, { type: 'stop', name }, name);
      member.up = false;
      return true;
    },
    start: async (name) => {
      const member = members.get(name);
      if (!member) return false;
      await startOne(member);
      return true;
    },
    close: async () => {
      await Promise.all(workers.map((worker) => ask(worker, { type: 'close' }, '')));
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function createWorker(): Worker {
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js';
  const worker = new Worker(new URL(file, import.meta.url), { execArgv: ['--disable-warning=ExperimentalWarning'] });
  worker.setMaxListeners(0);
  return worker;
}

/** Sends and waits for the answer that names the same member; rejects when the thread dies first. */
function ask(worker: Worker, message: ToWorker, name: string): Promise<FromWorker> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      act();
    };
    const onMessage = (answer: FromWorker) => {
      if (answer.type === 'closed' ? message.type === 'close' : answer.name === name) settle(() => resolve(answer));
    };
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = () =>
      message.type === 'close'
        ? settle(() => resolve({ type: 'closed' }))
        : settle(() => reject(new Error('the thread of simulated clusters ended')));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(message);
  });
}
