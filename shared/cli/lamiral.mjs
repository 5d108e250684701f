#!/usr/bin/env node
// The one file that old Nodes must be able to read: it says what is missing before anything newer is loaded.
import { existsSync } from 'node:fs';

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `lamiral needs Node 24 or newer; this is Node ${process.versions.node} (${process.execPath}).\n` +
      'In a checkout or an npm project run it through npm (`npm start`, `npx lamiral ...`), which brings Node 24; elsewhere install Node 24.',
  );
  process.exit(1);
}
// A checkout runs its sources; the published package holds compiled files only, because Node strips no types under node_modules.
const source = new URL('./main.ts', import.meta.url);
const { run } = await import((existsSync(source) ? source : new URL('../../dist/shared/cli/main.js', import.meta.url)).href);
process.exitCode = await run(process.argv.slice(2));
