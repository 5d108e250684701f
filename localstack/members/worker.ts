/** A worker thread that runs several simulated members, so that they never slow the control plane's own thread. */
import { parentPort } from 'node:worker_threads';
import { consoleLog } from '../../shared/adapters/memory/log.ts';
import { type RunningMember, startMember } from './member.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

const running = new Map<string, RunningMember>();
const log = consoleLog('warn');
// One at a time: a stop that arrives while a start is on its way must find what was started.
let turn: Promise<void> = Promise.resolve();

parentPort?.on('message', (message: ToWorker) => {
  turn = turn.then(() => handle(message));
});

function tell(message: FromWorker): void {
  parentPort?.postMessage(message);
}

async function handle(message: ToWorker): Promise<void> {
  if (message.type === 'start') return start(message);
  if (message.type === 'stop') {
    await stop(message.name);
    tell({ type: 'stopped', name: message.name });
    return;
  }
  // Each gives what is still connected a moment to end: together that is one moment.
  await Promise.all([...running.keys()].map(stop));
  tell({ type: 'closed' });
  parentPort?.close();
}

async function start(message: Extract<ToWorker, { type: 'start' }>): Promise<void> {
  const { name } = message;
  try {
    const member = running.get(name) ?? (await startMember(message, log));
    running.set(name, member);
    tell({ type: 'started', name, url: member.url, port: member.port, kubeSystemUid: member.kubeSystemUid });
  } catch (error) {
    tell({ type: 'failed', name, message: error instanceof Error ? error.message : String(error) });
  }
}

async function stop(name: string): Promise<void> {
  const member = running.get(name);
  running.delete(name);
  await member?.close();
}
