/** Placing objects on three real members: many at once, one at a time, after a restart; and the status on its way back. */
import type { BenchContext, Section } from '../context.ts';
import { newDataDir } from '../processes/dev.ts';
import { startLab } from '../processes/lab.ts';
import { measureBurst, type Site } from './federation/burst.ts';
import { measureStatus } from './federation/status.ts';

/** Numbers of the first cluster of each lab; the API section has those before. */
const LEAN_FIRST = 52;
const WHOLE_FIRST = 55;
const MEMBERS = 3;

type Measure = (context: BenchContext, site: Site) => Promise<void>;

export const federationSection: Section = {
  name: 'federation',
  needsGo: true,
  title: 'Federation: three real members',
  run: async (context) => {
    // Controllers in the members take processor time from what only writes, so the way back has a lab of its own.
    await measureAt(context, LEAN_FIRST, measureBurst);
    if (context.isQuick) context.report({ notes: ['skipped: status (a quick run has no time for members with controllers)'] });
    if (!context.isQuick) await measureAt(context, WHOLE_FIRST, measureStatus);
  },
};

async function measureAt(context: BenchContext, first: number, measure: Measure): Promise<void> {
  const lab = await startLab(context, { first, count: MEMBERS, controllers: first === WHOLE_FIRST });
  const site = { lab, dataDir: await newDataDir(context) };
  await measure(context, site);
  await lab.stop();
}
