/** How names of properties that are no identifiers are written in expressions (k8s.io/apiserver/pkg/cel/escaping.go). */

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const ESCAPES: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** `a-b` -> `a__dash__b`, `namespace` -> `__namespace__`; undefined for names that cannot be written at all. */
export function escapeProperty(name: string): string | undefined {
  if (name === '' || /^\d/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  if (/[^\w./-]/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => ESCAPES[part] ?? part);
}
