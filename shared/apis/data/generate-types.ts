/**
 * Makes types.json: the schemas of every document under openapi-v3, each once (the documents repeat the shared ones).
 * Run by hand after the documents change: `node shared/apis/data/generate-types.ts`. Fails when two documents disagree.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

type Document = { components?: { schemas?: Record<string, unknown> } };

const folder = new URL('openapi-v3/', import.meta.url);
const textByName = new Map<string, string>();
for (const file of readdirSync(folder).sort()) {
  const document = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Document;
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    const text = JSON.stringify(schema);
    if ((textByName.get(name) ?? text) !== text) throw new Error(`${file} has another ${name} than the documents before it`);
    textByName.set(name, text);
  }
}
const lines = [...textByName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
writeFileSync(new URL('types.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
