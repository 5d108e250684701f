import { resolve } from 'node:path';
import { CommandError, type CommandSpec, textOption } from '../command.ts';
import { callDev, DATA_DIR } from '../local-control.ts';

/** `lamiral cluster down|up NAME`: stops and restarts one simulated member of the running `dev`. */
export const cluster: CommandSpec = {
  name: 'cluster',
  arguments: '<down|up> <name>',
  summary: 'Stop or restart one simulated member cluster of the running lamiral dev',
  examples: ['lamiral cluster down us-1', 'lamiral cluster up us-1'],
  options: [{ flags: '--data <dir>', description: 'data folder of the running lamiral dev', default: DATA_DIR }],
  async run(io, [action = '', name = ''], options) {
    if (action !== 'down' && action !== 'up') {
      throw new CommandError(
        `"${action}" is not something that can be done to a cluster`,
        'Say `lamiral cluster down NAME` or `lamiral cluster up NAME`.',
        2,
      );
    }
    const dataDir = resolve(io.cwd, textOption(options, 'data') ?? DATA_DIR);
    const { status, body } = await callDev(dataDir, 'POST', `/clusters/${encodeURIComponent(name)}/${action}`);
    if (status === 404) throw new CommandError(body.trim(), 'See `kubectl get fcluster` for the names.', 4);
    if (status !== 200) throw new CommandError(body.trim(), '');
    io.out(`cluster ${name} ${action === 'down' ? 'stopped: its API refuses connections, its state is kept' : 'started'}\n`);
    return 0;
  },
};
