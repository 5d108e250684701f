/** A field error in the shape of `FieldError` of shared/apis/definition.ts, which machinery may not import. */
export type FieldErrorLike = {
  type: 'Invalid' | 'Required' | 'NotSupported' | 'Duplicate' | 'Forbidden' | 'NotFound' | 'TooLong' | 'TooMany' | 'TypeInvalid';
  field: string;
  /** The text after `field: `, e.g. `Required value`. */
  detail: string;
};
