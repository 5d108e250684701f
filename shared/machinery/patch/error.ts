/** What patches throw. */

/**
 * A patch that cannot be applied. `malformed`: it is no patch of its format (400); `failed`: it does not fit the document (422);
 * `tooLarge`: it, or what it makes, is over a limit (413). Messages are upstream's.
 */
export class PatchError extends Error {
  readonly type: 'malformed' | 'failed' | 'tooLarge';
  constructor(type: PatchError['type'], message: string) {
    super(message);
    this.name = 'PatchError';
    this.type = type;
  }
}
