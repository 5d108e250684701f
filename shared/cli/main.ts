/** `lamiral` and `kubectl lamiral`: parses the command line and runs one command. */
import { createInterface } from 'node:readline/promises';
import { Command, CommanderError } from 'commander';
import { CommandError, type CommandIo, type CommandSpec, type Options } from './command.ts';

/** Commands are loaded when they are named, so that `version` does not pay for `explain`. */
const COMMANDS: Record<string, () => Promise<CommandSpec>> = {
  dev: async () => (await import('./commands/dev.ts')).dev,
  explain: async () => (await import('./commands/explain.ts')).explain,
  cluster: async () => (await import('./commands/cluster.ts')).cluster,
  reset: async () => (await import('./commands/reset.ts')).reset,
  version: async () => (await import('./commands/version.ts')).version,
};

const USAGE_ERROR = 2;

/** Runs `lamiral ARGS`; resolves to the exit code. Never rejects: errors are printed on `io.err`. */
export async function run(args: readonly string[], io: CommandIo = processIo()): Promise<number> {
  let code = 0;
  const program = new Command('lamiral')
    .description('One HTTPS endpoint, many Kubernetes clusters.')
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .showHelpAfterError('(lamiral --help shows the commands)');
  for (const spec of await wantedCommands(args)) {
    const command = toCommander(spec, async (commandArgs, options) => {
      code = await spec.run(io, commandArgs, options);
    });
    // Without this a subcommand would print and exit by itself.
    program.addCommand(command.copyInheritedSettings(program));
  }
  try {
    await program.parseAsync(withHabits(args), { from: 'user' });
    return code;
  } catch (error) {
    return explainFailure(error, io);
  }
}

/** Nothing at all asks for help, and `--version` is what every other program is asked. */
function withHabits(args: readonly string[]): string[] {
  if (args.length === 0) return ['--help'];
  return args[0] === '--version' || args[0] === '-V' ? ['version', ...args.slice(1)] : [...args];
}

async function wantedCommands(args: readonly string[]): Promise<CommandSpec[]> {
  const named = args.find((arg) => !arg.startsWith('-'));
  const load = named === undefined ? undefined : COMMANDS[named];
  if (load) return [await load()];
  return Promise.all(Object.values(COMMANDS).map((loader) => loader()));
}

function toCommander(spec: CommandSpec, act: (args: string[], options: Options) => Promise<void>): Command {
  const command = new Command(spec.name).summary(spec.summary).description(spec.summary);
  if (spec.arguments !== '') command.arguments(spec.arguments);
  for (const option of spec.options) command.option(option.flags, option.description, option.default);
  if (spec.examples.length > 0)
    command.addHelpText('after', `\nExamples:\n${spec.examples.map((line) => `  ${line}`).join('\n')}`);
  return command.action(() => act(command.args, command.opts<Options>()));
}

function explainFailure(error: unknown, io: CommandIo): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
  if (error instanceof CommandError) {
    io.err(`error: ${error.message}\n${error.next === '' ? '' : `  ${error.next}\n`}`);
    return error.code;
  }
  const failure = error instanceof Error ? error : new Error(String(error));
  io.err(`error: ${failure.message}\n`);
  if (io.env.LAMIRAL_DEBUG) io.err(`${failure.stack}\n`);
  return 1;
}

function processIo(): CommandIo {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    env: process.env,
    cwd: process.cwd(),
    async confirm(question) {
      if (!process.stdin.isTTY) return false;
      const prompt = createInterface({ input: process.stdin, output: process.stderr });
      const answer = await prompt.question(`${question} [y/N] `);
      prompt.close();
      return /^y(es)?$/i.test(answer.trim());
    },
  };
}
