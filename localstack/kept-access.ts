/** Token and port of a server outlive its process, so that a kubeconfig that was copied somewhere stays valid. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `port` 0: none was taken yet. */
export type KeptAccess = { token: string; port: number };

const FILE = 'access.json';

/** What is kept in `dir`, or a new token. A file that cannot be read as such is replaced: the worst is a new kubeconfig. */
export async function readAccess(dir: string): Promise<KeptAccess> {
  try {
    const { token, port } = JSON.parse(await readFile(join(dir, FILE), 'utf8')) as Partial<KeptAccess>;
    if (typeof token === 'string' && token !== '' && typeof port === 'number') return { token, port };
  } catch (error) {
    if (!(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = { token: randomBytes(32).toString('base64url'), port: 0 };
  await keepAccess(dir, made);
  return made;
}

/** Writes it readable by its owner alone. */
export async function keepAccess(dir: string, access: KeptAccess): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeFile(join(dir, FILE), JSON.stringify(access), { mode: 0o600 });
}
