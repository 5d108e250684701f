/** Assignability of types under type variables (checker/types.go of cel-go). */
import { type CelType, DYN, listOf, mapOf, opaqueType, paramsOf, sameType } from './types.ts';

/** What is known of type variables, by name. Grows as a tree is checked; what a failed attempt has noted is taken back. */
export type Substitution = ReadonlyMap<string, CelType>;
export type GrowingSubstitution = Map<string, CelType>;

/** Whether every type may stand where its counterpart is wanted. `known` then holds what follows from it, and is as it was otherwise. */
export function unify(known: GrowingSubstitution, given: readonly CelType[], wanted: readonly CelType[]): boolean {
  const attempt: Attempt = { known, trail: [] };
  if (assignableEach(attempt, given, wanted)) return true;
  for (const [name, before] of attempt.trail.reverse())
    if (before === undefined) known.delete(name);
    else known.set(name, before);
  return false;
}

/** `trail`: what stood under each name before it was noted. */
type Attempt = { known: GrowingSubstitution; trail: [string, CelType | undefined][] };

function note({ known, trail }: Attempt, name: string, type: CelType): void {
  trail.push([name, known.get(name)]);
  known.set(name, type);
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

function assignableEach(attempt: Attempt, given: readonly CelType[], wanted: readonly CelType[]): boolean {
  return given.length === wanted.length && given.every((each, index) => assignable(attempt, each, wanted[index] ?? DYN));
}

function assignable(attempt: Attempt, given: CelType, wanted: CelType): boolean {
  if (wanted.kind === 'param') {
    const found = bind(attempt, given, wanted);
    if (found.valid) return true;
    if (found.bound) return false;
  }
  if (given.kind === 'param') return bind(attempt, wanted, given).valid;
  if (isWild(given) || isWild(wanted)) return true;
  if (given.kind === 'null') return isNullable(wanted);
  if (wanted.kind === 'null') return isNullable(given);
  if (given.kind === 'type') return wanted.kind === 'type';
  const params = paramsOf(given);
  if (params.length === 0) return sameType(given, wanted);
  if (given.kind !== wanted.kind) return false;
  if (given.kind === 'opaque' && wanted.kind === 'opaque' && given.name !== wanted.name) return false;
  return assignableEach(attempt, params, paramsOf(wanted));
}

function isWild({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'error';
}

function isNullable({ kind }: CelType): boolean {
  return kind === 'null' || kind === 'opaque' || kind === 'object' || kind === 'duration' || kind === 'timestamp';
}

function bind(attempt: Attempt, type: CelType, variable: CelType & { kind: 'param' }): { valid: boolean; bound: boolean } {
  if (sameType(type, variable)) return { valid: true, bound: true };
  const bound = attempt.known.get(variable.name);
  if (bound === undefined) {
    const valid = !occursIn(attempt, variable, type);
    if (valid) note(attempt, variable.name, type);
    return { valid, bound: false };
  }
  if (sameType(type, bound)) return { valid: true, bound: true };
  if (!assignable(attempt, type, bound)) return { valid: false, bound: true };
  const general = mostGeneral(type, bound);
  if (!occursIn(attempt, variable, general)) note(attempt, variable.name, general);
  return { valid: true, bound: true };
}

function occursIn(attempt: Attempt, variable: CelType & { kind: 'param' }, type: CelType): boolean {
  if (sameType(variable, type)) return true;
  if (type.kind === 'param') {
    const bound = attempt.known.get(type.name);
    return bound !== undefined && occursIn(attempt, variable, bound);
  }
  return paramsOf(type).some((each) => occursIn(attempt, variable, each));
}
