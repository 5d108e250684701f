/** What a reconciler answers. One reconciler per file: `reconcileX(deps, key): Promise<ReconcileResult>`. */

/** `done`: acknowledge. `requeueAfter`: acknowledge, and a timer sends the message again. `terminal`: acknowledge, and never by itself again. */
export type ReconcileResult =
  | { type: 'done'; summary: string }
  | { type: 'requeueAfter'; delayMs: number; reason: string }
  | { type: 'terminal'; reason: string; message: string };

export function done(summary: string): ReconcileResult {
  return { type: 'done', summary };
}

export function requeueAfter(delayMs: number, reason: string): ReconcileResult {
  return { type: 'requeueAfter', delayMs, reason };
}

export function terminal(reason: string, message: string): ReconcileResult {
  return { type: 'terminal', reason, message };
}
