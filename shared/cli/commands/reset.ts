import { readdir, rm } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { CommandError, type CommandSpec, textOption } from '../command.ts';
import { callDev, DATA_DIR, readLock } from '../local-control.ts';

/** What `dev` keeps in its folder; a folder that holds anything else is not ours to delete. */
const OURS = new Set([
  'lock',
  'control.sock',
  'kubeconfig',
  'pki',
  'members',
  'access.json',
  'audit.log',
  'audit.log.1',
  'lamiral.db',
  'lamiral.db-wal',
  'lamiral.db-shm',
]);

/** `lamiral reset`: deletes the data of `dev`, after asking. */
export const reset: CommandSpec = {
  name: 'reset',
  arguments: '',
  summary: 'Delete the data of lamiral dev: all objects, the simulated clusters and the kubeconfig',
  examples: ['lamiral reset', 'lamiral reset --yes'],
  options: [
    { flags: '--data <dir>', description: 'data folder', default: DATA_DIR },
    { flags: '-y, --yes', description: 'do not ask' },
  ],
  async run(io, _args, options) {
    const dataDir = resolve(io.cwd, textOption(options, 'data') ?? DATA_DIR);
    const shown = relative(io.cwd, dataDir) || dataDir;
    const entries = await entriesOf(dataDir);
    if (entries === undefined) {
      io.out(`nothing to delete: ${shown} does not exist\n`);
      return 0;
    }
    const foreign = entries.filter((name) => !OURS.has(name));
    if (foreign.length > 0) {
      throw new CommandError(
        `${shown} was not deleted: it holds what lamiral did not write (${foreign.slice(0, 3).join(', ')})`,
        'Name the data folder of lamiral dev with --data DIR.',
      );
    }
    await refuseWhileRunning(dataDir, shown);
    const agreed =
      options.yes === true || (await io.confirm(`Delete ${shown}: all objects, the simulated clusters and the kubeconfig?`));
    if (!agreed)
      throw new CommandError(`${shown} was not deleted`, 'Answer y, or say `lamiral reset --yes` where nobody can be asked.');
    await rm(dataDir, { recursive: true });
    io.out(`${shown} deleted\n`);
    return 0;
  },
};

async function entriesOf(dir: string): Promise<string[] | undefined> {
  try {
    return await readdir(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function refuseWhileRunning(dataDir: string, shown: string): Promise<void> {
  const running = await callDev(dataDir, 'GET', '/').catch(() => undefined);
  if (!running) return;
  const lock = await readLock(dataDir);
  throw new CommandError(
    `${shown} is in use by lamiral dev, process ${lock?.pid ?? '?'} at ${lock?.url ?? '?'}`,
    'Stop it first (Ctrl-C in its terminal).',
  );
}
