/**
 * The same session of kubectl with our server and with a real kube-apiserver: what is printed and the exit codes must be the same. Needs the
 * lab's binaries (test/lab/build.sh makes them); in CI they are there.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS, FILES } from './kubectl-commands.ts';
import { type Endpoint, kubectlOf, labBinaries, type Printed, startOurs, startReal } from './kubectl-servers.ts';
import { newDataDir } from './program.ts';

const binaries = labBinaries();
if (binaries === undefined)
  console.warn('kubectl sessions: SKIPPED, no kube-apiserver and kubectl of the lab (bash test/lab/build.sh)');

/** Ages, times, identities and addresses are nobody's to compare. */
function normalized({ code, out, err }: Printed): string {
  const text = `${out}${err}`
    .replace(/https:\/\/[\d.]+:\d+/g, 'SERVER')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replace(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4}/g, 'TIME')
    .replace(/([rR]esource ?[vV]ersion: +)"?\d+"?/g, '$1N')
    .replace(/\/\S+\/(LIVE|MERGED)-\d+/g, '$1')
    .replace(/\b\d+(?:s|m\d+s|m)\b/g, 'AGE')
    // Columns are as wide as the ages in them.
    .replace(/ +/g, ' ')
    .replace(/[ \t]+$/gm, '');
  return `${text}\nexit code ${code}`;
}

/** Lines that only the real server prints, and what is left out of ours for them: by command, with the reason. */
const KNOWN: readonly { command: RegExp; why: string; clean(text: string): string }[] = [
  {
    command: /^api-resources/,
    why: 'bindings are not served: nothing here schedules by them',
    clean: (text) => text.replace(/^bindings .*\n/m, ''),
  },
  {
    command: /^version/,
    why: 'how the server was built, and what it emulates',
    clean: (text) =>
      text.replace(/^ (?:buildDate|compiler|git\w+|goVersion|platform|emulation\w+|minCompatibility\w+): .*\n/gm, ''),
  },
  {
    command: /^describe pv/,
    why: 'no controller here would take the protection away',
    clean: (text) => text.replace('[kubernetes.io/pv-protection]', '[]'),
  },
  {
    command: /^patch .*--type=json .*nothing/,
    why: 'ours says which operation failed',
    clean: (text) => text.replace(/is invalid: .*/, 'is invalid'),
  },
  {
    command: /^apply -f unknown/,
    why: 'upstream quotes a patch whose parts were taken out while it was merged',
    clean: (text) => text.replace(/ template:map\[.*?\]+": strict/, '": strict'),
  },
  {
    command: /^explain/,
    why: 'the type data have no descriptions: names and types of fields are compared',
    clean: (text) =>
      text
        .split('\n')
        .filter((line) => /\t<|^[A-Z]+:|^error|^exit/.test(line))
        .join('\n')
        .replace(/DESCRIPTION:.*/g, ''),
  },
];

describe.skipIf(binaries === undefined)('kubectl prints the same with our server as with a real one', () => {
  let data: { dir: string; remove(): Promise<void> };
  const servers: Endpoint[] = [];

  beforeAll(async () => {
    data = await newDataDir();
    servers.push(await startReal(data.dir));
    servers.push(await startOurs(data.dir));
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
    await data?.remove();
  });

  test.each(COMMANDS.map((args, at) => [`${at} kubectl ${args.join(' ')}`, args] as const))('%s', async (_name, args) => {
    const printed = await Promise.all(servers.map((server) => kubectlOf(`${binaries}/kubectl`, data.dir, server)(args, FILES)));
    const known = KNOWN.filter(({ command }) => command.test(args.join(' ')));
    const [real, ours] = printed.map((each) => known.reduce((text, { clean }) => clean(text), normalized(each)));
    expect(ours, known.map(({ why }) => why).join('; ')).toBe(real);
  });
});
