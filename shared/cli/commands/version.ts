import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandSpec } from '../command.ts';

/** `lamiral version`: of the package and of the Node that runs it. */
export const version: CommandSpec = {
  name: 'version',
  arguments: '',
  summary: 'Print the version of lamiral and of the Node that runs it',
  examples: [],
  options: [],
  async run(io) {
    io.out(`lamiral v${packageVersion()}   node ${process.versions.node}\n`);
    return 0;
  },
};

/** `version` of the package.json above this file: sources and compiled files lie at different depths. */
export function packageVersion(): string {
  for (let dir = dirname(fileURLToPath(import.meta.url)); dir !== dirname(dir); dir = dirname(dir)) {
    const found = readPackage(join(dir, 'package.json'));
    if (found?.name === 'lamiral') return found.version;
  }
  throw new Error('package.json of lamiral was not found above the program; the installation is incomplete');
}

function readPackage(path: string): { name: string; version: string } | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { name: string; version: string };
  } catch {
    return undefined;
  }
}
