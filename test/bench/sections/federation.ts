/** Placing objects on three real members: many at once, one at a time, after a restart; and the status on its way back. */
import type { BenchContext, Section } from '../context.ts';
import type { SectionResult } from '../report/table.ts';
import { measureBurst } from './federation/burst.ts';
import { measureStatus } from './federation/status.ts';

export const federationSection: Section = {
  name: 'federation',
  needsGo: true,
  title: 'Federation: three real members',
  run: async (context: BenchContext): Promise<SectionResult> => {
    // One after the other: two labs at once would measure each other.
    const burst = await measureBurst(context);
    const status = await measureStatus(context);
    return {
      tables: [...burst.tables, ...status.tables],
      targets: [...burst.targets, ...status.targets],
      notes: [...burst.notes, ...status.notes],
    };
  },
};
