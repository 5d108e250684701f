/** Assignability of types under type variables (checker/types.go of cel-go). Pure: a substitution is copied when it grows. */
import { type CelType, DYN, listOf, mapOf, opaqueType, paramsOf, sameType } from './types.ts';

/** What is known of type variables, by name. */
export type Substitution = ReadonlyMap<string, CelType>;

/** The grown substitution when every type may stand where its counterpart is wanted; undefined otherwise. */
export function unify(known: Substitution, given: readonly CelType[], wanted: readonly CelType[]): Substitution | undefined {
  const grown = new Map(known);
  return assignableEach(grown, given, wanted) ? grown : undefined;
}

/** Replaces bound variables; `free` true turns unbound ones into dyn. */
export function substitute(known: Substitution, type: CelType, free: boolean): CelType {
  switch (type.kind) {
    case 'param': {
      const bound = known.get(type.name);
      if (bound) return substitute(known, bound, free);
      return free ? DYN : type;
    }
    case 'list':
      return listOf(substitute(known, type.params[0], free));
    case 'map':
      return mapOf(substitute(known, type.params[0], free), substitute(known, type.params[1], free));
    case 'opaque':
      return type.params.length === 0
        ? type
        : opaqueType(
            type.name,
            type.params.map((each) => substitute(known, each, free)),
          );
    case 'type':
      return { kind: 'type', params: type.params.map((each) => substitute(known, each, free)) };
    default:
      return type;
  }
}

/** The more general of two types that unify. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  const [first, second] = [paramsOf(a), paramsOf(b)];
  if (first.length === 0 || first.length !== second.length) return sameType(a, b);
  if (a.kind === 'opaque' && b.kind === 'opaque' && a.name !== b.name) return false;
  return first.every((each, index) => isLessSpecific(each, second[index] ?? DYN));
}

type Growing = Map<string, CelType>;

function assignableEach(known: Growing, given: readonly CelType[], wanted: readonly CelType[]): boolean {
  return given.length === wanted.length && given.every((each, index) => assignable(known, each, wanted[index] ?? DYN));
}

function assignable(known: Growing, given: CelType, wanted: CelType): boolean {
  if (wanted.kind === 'param') {
    const found = bind(known, given, wanted);
    if (found.valid) return true;
    if (found.bound) return false;
  }
  if (given.kind === 'param') return bind(known, wanted, given).valid;
  if (isWild(given) || isWild(wanted)) return true;
  if (given.kind === 'null') return isNullable(wanted);
  if (wanted.kind === 'null') return isNullable(given);
  if (given.kind === 'type') return wanted.kind === 'type';
  const params = paramsOf(given);
  if (params.length === 0) return sameType(given, wanted);
  if (given.kind !== wanted.kind) return false;
  if (given.kind === 'opaque' && wanted.kind === 'opaque' && given.name !== wanted.name) return false;
  return assignableEach(known, params, paramsOf(wanted));
}

function isWild({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'error';
}

function isNullable({ kind }: CelType): boolean {
  return kind === 'null' || kind === 'opaque' || kind === 'object' || kind === 'duration' || kind === 'timestamp';
}

function bind(known: Growing, type: CelType, variable: CelType & { kind: 'param' }): { valid: boolean; bound: boolean } {
  if (sameType(type, variable)) return { valid: true, bound: true };
  const bound = known.get(variable.name);
  if (bound === undefined) {
    const valid = !occursIn(known, variable, type);
    if (valid) known.set(variable.name, type);
    return { valid, bound: false };
  }
  if (sameType(type, bound)) return { valid: true, bound: true };
  if (!assignable(known, type, bound)) return { valid: false, bound: true };
  const general = mostGeneral(type, bound);
  if (!occursIn(known, variable, general)) known.set(variable.name, general);
  return { valid: true, bound: true };
}

function occursIn(known: Growing, variable: CelType & { kind: 'param' }, type: CelType): boolean {
  if (sameType(variable, type)) return true;
  if (type.kind === 'param') {
    const bound = known.get(type.name);
    return bound !== undefined && occursIn(known, variable, bound);
  }
  return paramsOf(type).some((each) => occursIn(known, variable, each));
}
