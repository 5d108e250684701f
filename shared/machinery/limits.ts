/** Named maxima of the machinery: what a request may contain before it is refused. */

/** Deepest nesting of JSON. */
export const NESTING_MAX = 1000;
/** Deepest nesting of YAML, whose composer recurses over many frames a level. */
export const YAML_NESTING_MAX = 300;
/** Deepest nesting of protobuf messages. */
export const PROTOBUF_NESTING_MAX = 200;
/** Requirements of one label or field selector. */
export const REQUIREMENTS_MAX = 500;
/** Values of one `in` requirement. */
export const SELECTOR_VALUES_MAX = 10_000;
/** Strict decoding errors that are named, as in sigs.k8s.io/json. */
export const STRICT_ERRORS_MAX = 100;
/** Errors that schema validation collects before it stops looking. */
export const SCHEMA_ERRORS_MAX = 100;
/** Anchors of one YAML document, and nodes that its aliases may expand to in all. */
export const YAML_ANCHORS_MAX = 1000;
export const YAML_EXPANDED_NODES_MAX = 100_000;
/** Documents of one YAML stream. */
export const YAML_DOCUMENTS_MAX = 10_000;
