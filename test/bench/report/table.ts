/** What a section of the benchmark tells: tables and targets, printed as Markdown so that they go into docs/performance.md as they are. */

export type Table = { heading: string; columns: readonly string[]; rows: readonly (readonly string[])[] };

/** One figure that was promised. `set`: `now` = to be reached already, `later` = the final goal. */
export type Target = { set: 'now' | 'later'; what: string; goal: string; got: string; isMet: boolean };

export type Findings = { tables?: readonly Table[]; targets?: readonly Target[]; notes?: readonly string[] };

/** Markdown of one table, its columns padded so that it is also read in a terminal. */
export function formatTable({ heading, columns, rows }: Table): string {
  const widths = columns.map((column, i) => Math.max(column.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${widths.map((width, i) => (cells[i] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [`**${heading}**`, '', line(columns), rule, ...rows.map(line), ''].join('\n');
}

/** The targets as a table, in the order given. */
export function targetTable(targets: readonly Target[]): Table {
  return {
    heading: 'Targets',
    columns: ['target', 'set for', 'goal', 'measured', ''],
    rows: targets.map(({ what, set, goal, got, isMet }) => [what, set, goal, got, isMet ? 'met' : 'missed']),
  };
}

/** A target that a figure must not exceed. */
export function atMost(set: Target['set'], what: string, value: number, limit: number, unit: string): Target {
  return { set, what, goal: `<= ${limit}${unit}`, got: `${shown(value)}${unit}`, isMet: value <= limit };
}

/** A target that a figure must reach. */
export function atLeast(set: Target['set'], what: string, value: number, limit: number, unit: string): Target {
  return { set, what, goal: `>= ${limit}${unit}`, got: `${shown(value)}${unit}`, isMet: value >= limit };
}

/** Three significant digits at least, no exponent; `-` for what was not measured. */
export function shown(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return size >= 0.1 || size === 0 ? value.toFixed(2) : value.toFixed(3);
}

/** `0.62x`: ours for one of theirs. */
export function ratio(ours: number, theirs: number): string {
  return `${shown(ours / theirs)}x`;
}

/** The middle of the values; NaN for none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which `part` (0 to 1) of the values lie, nearest rank; NaN for none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}
