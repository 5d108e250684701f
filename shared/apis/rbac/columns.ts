/** Columns of bindings; roles have none of their own. */
import type { KubeObject } from '../../machinery/object.ts';
import type { Column } from '../definition.ts';
import { AGE, list, NAME, text, wide } from '../printing/columns.ts';

const subjects = (binding: KubeObject, kind: string): KubeObject[string][] =>
  list(binding.subjects).filter((subject) => subject?.kind === kind);
const names = (binding: KubeObject, kind: string): string =>
  subjects(binding, kind)
    .map((subject) => subject.name)
    .join(', ');

export const BINDING_COLUMNS: readonly Column[] = [
  NAME,
  text('Role', (binding) => `${binding.roleRef?.kind ?? ''}/${binding.roleRef?.name ?? ''}`),
  AGE,
  wide(text('Users', (binding) => names(binding, 'User'))),
  wide(text('Groups', (binding) => names(binding, 'Group'))),
  wide(
    text('ServiceAccounts', (binding) =>
      subjects(binding, 'ServiceAccount')
        .map((subject) => `${subject.namespace ?? ''}/${subject.name}`)
        .join(', '),
    ),
  ),
];
