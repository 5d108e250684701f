import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { CommandError, type CommandSpec, type Options } from '../command.ts';
import { DATA_DIR } from '../local-control.ts';
import { NODE_FLAGS } from '../node-flags.ts';

/** A shell counts an end by signal n as 128 + n. */
const SIGNAL_BASE = 128;

/** `lamiral dev`: runs localstack/dev as a child process, so that the command line stays free of what it starts. */
export const dev: CommandSpec = {
  name: 'dev',
  arguments: '',
  summary: 'Run the control plane with simulated member clusters on this machine; no cloud account, nothing to install',
  examples: ['lamiral dev', 'lamiral dev --clusters 20', 'lamiral dev --members ~/.kube/config'],
  options: [
    { flags: '--data <dir>', description: 'where objects, clusters and the kubeconfig are kept', default: DATA_DIR },
    { flags: '--port <port>', description: 'port of the API (default: 6443, or the next that is free)' },
    { flags: '--clusters <count>', description: 'number of simulated clusters, 0 to 100', default: '3' },
    { flags: '--members <kubeconfig>', description: 'join the clusters of this kubeconfig instead of simulated ones' },
    { flags: '--oidc-issuer-url <url>', description: 'take logins of this OpenID provider' },
    { flags: '--oidc-client-id <id>', description: 'audience of its tokens' },
    { flags: '--oidc-username-claim <claim>', description: 'claim that names the user (default: sub)' },
    { flags: '--oidc-username-prefix <prefix>', description: 'before user names; - for none (default: the issuer and #)' },
    { flags: '--oidc-groups-claim <claim>', description: 'claim that names the groups' },
    { flags: '--oidc-groups-prefix <prefix>', description: 'before group names' },
    { flags: '--oidc-ca-file <file>', description: 'authorities to believe for the provider, PEM' },
    { flags: '--verbose', description: 'log what the workers do' },
  ],
  run: (_io, _args, options) => runProgram(programArguments(options)),
};

/** Options with a value, by the name of their flag. */
const PASSED_ON = [
  'data',
  'port',
  'clusters',
  'members',
  ...['issuer-url', 'client-id', 'username-claim', 'username-prefix', 'groups-claim', 'groups-prefix', 'ca-file'].map(
    (name) => `oidc-${name}`,
  ),
];

function programArguments(options: Options): string[] {
  const flags: string[] = [];
  for (const name of PASSED_ON) {
    const value = options[name.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase())];
    if (typeof value === 'string') flags.push(`--${name}`, value);
  }
  if (options.verbose === true) flags.push('--verbose');
  return flags;
}

/** Signals reach the child through the terminal's process group, or are passed on; its exit code becomes ours. */
async function runProgram(flags: readonly string[]): Promise<number> {
  const compiled = import.meta.url.endsWith('.js');
  const program = fileURLToPath(new URL(`../../../localstack/dev/main.${compiled ? 'js' : 'ts'}`, import.meta.url));
  const child = spawn(process.execPath, [...NODE_FLAGS, program, ...flags], {
    // The channel carries nothing: it closes when this process dies, however that happens, and the child ends too.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  // Ctrl-C in a terminal reaches the child too; that it then hears it twice does no harm.
  process.on('SIGTERM', passOn).on('SIGHUP', passOn).on('SIGINT', passOn);
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new CommandError(`lamiral dev could not be started: ${error.message}`, '')));
    child.on('exit', (code, signal) => {
      process.off('SIGTERM', passOn).off('SIGHUP', passOn).off('SIGINT', passOn);
      resolve(code ?? SIGNAL_BASE + (signal ? constants.signals[signal] : 0));
    });
  });
}
