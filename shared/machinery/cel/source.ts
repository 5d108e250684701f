/** Complaints about an expression, shown as cel-go shows them: position, line, and a mark below it. */

/** A complaint at an offset (UTF-16) of the expression. */
export type Complaint = { at: number; message: string };

/** cel-go stops counting here. */
const COMPLAINTS_MAX = 100;

/** All complaints, sorted by place: `ERROR: <input>:1:6: undeclared reference ...` with the line and a mark. */
export function showComplaints(source: string, complaints: readonly Complaint[]): string {
  const sorted = [...complaints].sort((a, b) => a.at - b.at);
  const shown = sorted.slice(0, COMPLAINTS_MAX).map((complaint) => showComplaint(source, complaint));
  const more = sorted.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more errors were truncated`] : [])].join('\n');
}

function showComplaint(source: string, { at, message }: Complaint): string {
  const before = source.slice(0, at).split('\n');
  const line = source.split('\n')[before.length - 1] ?? '';
  const column = [...(before.at(-1) ?? '')].length;
  const text = line.replaceAll('\t', ' ');
  const marks = [...text].slice(0, column).map((char) => (isWide(char) ? '\uff0e' : '.'));
  const mark = isWide([...text][column] ?? '') ? '\uff3e' : '^';
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${text}\n | ${marks.join('')}${mark}`;
}

function isWide(char: string): boolean {
  return (char.codePointAt(0) ?? 0) > 0x7f;
}
