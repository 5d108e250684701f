/** What a command is: one declarative object per file. main.ts turns it into commander's commands. */

/** Where a command reads and writes; tests give their own. */
export type CommandIo = {
  out(text: string): void;
  err(text: string): void;
  /** Asks a yes/no question; false where there is no terminal to ask on. */
  confirm(question: string): Promise<boolean>;
  env: Record<string, string | undefined>;
  cwd: string;
};

export type OptionSpec = { flags: string; description: string; default?: string };

/** Parsed options by camel-cased name, as commander gives them. */
export type Options = Record<string, string | boolean | string[] | undefined>;

export type CommandSpec = {
  name: string;
  /** Commander's argument text: `<object>`, `[name]`. */
  arguments: string;
  summary: string;
  /** Shown below the options in `--help`. */
  examples: readonly string[];
  options: readonly OptionSpec[];
  /** Exit code: 0 ok, 1 error, 2 usage, 4 not found, 7 timeout, 8 partly placed. */
  run(io: CommandIo, args: readonly string[], options: Options): Promise<number>;
};

/** An error that a person can act on: printed without a stack, with what to do next. */
export class CommandError extends Error {
  readonly code: number;
  readonly next: string;
  constructor(message: string, next: string, code = 1) {
    super(message);
    this.name = 'CommandError';
    this.code = code;
    this.next = next;
  }
}

/** A string option, or its absence; flags without a value do not count. */
export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}
