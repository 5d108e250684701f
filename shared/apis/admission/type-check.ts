/**
 * What the expressions of a policy get wrong about the kinds that it is for: shown in `status.typeChecking`, never a reason to refuse
 * (k8s.io/apiserver/pkg/admission/plugin/policy/validating/typechecking.go).
 */
import { schemaType } from '../../machinery/cel/schema-types.ts';
import type { CelType } from '../../machinery/cel/types.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { formatApiVersion, parseApiVersion } from '../../machinery/resource.ts';
import type { Registry, ResourceDefinition } from '../definition.ts';
import { compileExpression } from './environment.ts';
import { compileVariables } from './policy.ts';

export type ExpressionWarning = { fieldRef: string; warning: string };

/** Kinds that one policy is checked against at most. */
const KINDS_MAX = 10;

type Field = KubeObject[string];

/** Warnings of validations and their messages, one per expression, naming each kind that it does not fit. */
export function typeCheckPolicy(policy: KubeObject, registry: Registry): ExpressionWarning[] {
  const { spec } = policy;
  const kinds = kindsOf(spec?.matchConstraints?.resourceRules, registry);
  const paramsType = paramsTypeOf(spec?.paramKind, registry);
  const check = (expression: string, fieldRef: string): ExpressionWarning[] => {
    const found = kinds.flatMap((kind) => problemsOf(spec, kind, paramsType, expression));
    return found.length === 0 ? [] : [{ fieldRef, warning: found.join('\n') }];
  };
  return ((spec?.validations ?? []) as Field[]).flatMap((validation, index) => {
    const at = `spec.validations[${index}]`;
    const { expression = '', messageExpression = '' } = validation ?? {};
    return [
      ...check(expression, `${at}.expression`),
      ...(messageExpression === '' ? [] : check(messageExpression, `${at}.messageExpression`)),
    ];
  });
}

type Kind = { definition: ResourceDefinition; type: CelType };

function problemsOf(spec: Field, { definition, type }: Kind, paramsType: CelType | undefined, expression: string): string[] {
  const base = {
    hasParams: paramsType !== undefined,
    hasAuthorizer: true,
    objectType: type,
    ...(paramsType ? { paramsType } : {}),
  };
  const { type: variables } = compileVariables(spec.variables, base);
  const compiled = compileExpression(expression, 'variable', variables ? { ...base, variables } : base);
  if (compiled.ok) return [];
  const shown = `${formatApiVersion(definition.group, definition.version)}, Kind=${definition.kind}`;
  return [`${shown}: ${compiled.error.replace(/^compilation failed: /, '')}\n`];
}

function typeOf(definition: ResourceDefinition | undefined): CelType | undefined {
  const schema = definition?.schema();
  return schema && schemaType(schema);
}

function paramsTypeOf(kind: Field, registry: Registry): CelType | undefined {
  if (!kind) return undefined;
  const { group, version } = parseApiVersion(kind.apiVersion ?? '');
  return typeOf(registry.byKind(group, version, kind.kind ?? ''));
}

/** Kinds that are named without wildcards, sorted by group, version and kind. */
function kindsOf(rules: unknown, registry: Registry): Kind[] {
  const found = new Set<ResourceDefinition>();
  for (const rule of Array.isArray(rules) ? (rules as Field[]) : []) {
    const [groups, versions, resources] = [rule?.apiGroups ?? [], rule?.apiVersions ?? [], rule?.resources ?? []] as string[][];
    if ([...(groups ?? []), ...(versions ?? [])].some((text) => text.includes('*'))) continue;
    for (const group of groups ?? [])
      for (const version of versions ?? [])
        for (const resource of resources ?? []) {
          const definition = registry.byResource(group, version, resource);
          if (definition && found.size < KINDS_MAX) found.add(definition);
        }
  }
  return [...found]
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
    .flatMap((definition) => {
      const type = typeOf(definition);
      return type ? [{ definition, type }] : [];
    });
}

const sortKey = ({ group, version, kind }: ResourceDefinition): string => `${group}\n${version}\n${kind}`;
