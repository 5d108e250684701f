/** The syntax tree of an expression, with macros already expanded into nodes of their own. Types only. */
import type { CelValue } from './values.ts';

/** `at`: offset in the source that complaints about the node point to. */
export type Node = LiteralNode | IdentNode | SelectNode | CallNode | ListNode | MapNode | MessageNode | FoldNode | BindNode;

export type LiteralNode = { op: 'literal'; at: number; value: CelValue };
export type IdentNode = { op: 'ident'; at: number; name: string };
/** `a.b`; `test`: `has(a.b)`; `optional`: `a.?b`. */
export type SelectNode = { op: 'select'; at: number; operand: Node; field: string; test: boolean; optional: boolean };
/** Operators are calls too, by cel-go's names: `_+_`, `!_`, `_[_]`, `_?_:_`. */
export type CallNode = { op: 'call'; at: number; name: string; target?: Node; args: readonly Node[] };
export type ListNode = { op: 'list'; at: number; items: readonly { node: Node; optional: boolean }[] };
export type MapEntry = { key: Node; value: Node; optional: boolean };
export type MapNode = { op: 'map'; at: number; entries: readonly MapEntry[] };
/** `Type{...}`: parsed for its complaint only, Kubernetes declares no message types. */
export type MessageNode = { op: 'message'; at: number; name: string };

export type FoldKind = 'all' | 'exists' | 'existsOne' | 'map' | 'filter' | 'transformList' | 'transformMap' | 'transformMapEntry';
/** A comprehension over a list or map. `names`: one or two loop variables. `step`: predicate or transformation. */
export type FoldNode = {
  op: 'fold';
  at: number;
  kind: FoldKind;
  range: Node;
  names: readonly string[];
  /** Only elements that satisfy it are looked at (map and transform macros). */
  where?: Node;
  step: Node;
};
/** `optMap` and `optFlatMap`: the value of an optional under a name. */
export type BindNode = { op: 'bind'; at: number; target: Node; name: string; body: Node; flat: boolean };
