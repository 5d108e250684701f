/** Named maxima of patches. */

/** Operations of one JSON patch, as kube-apiserver has it. */
export const JSON_PATCH_OPERATIONS_MAX = 10_000;
/** Bytes that all `copy` operations of one JSON patch may add, as kube-apiserver has it. */
export const JSON_PATCH_COPY_BYTES_MAX = 3 * 1024 * 1024;
