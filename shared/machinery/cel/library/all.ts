/** All functions that Kubernetes 1.35 gives to expressions (k8s.io/apiserver/pkg/cel/environment/base.go). */
import { type Functions, functionsOf } from '../functions.ts';
import { AUTHORIZATION } from './authorizer.ts';
import { NAMED_FORMATS } from './formats.ts';
import { IPS } from './ip.ts';
import { LISTS } from './lists.ts';
import { OPERATORS } from './operators.ts';
import { QUANTITIES } from './quantity.ts';
import { STANDARD } from './standard.ts';
import { STRINGS } from './strings.ts';
import { URLS } from './url.ts';

export const KUBERNETES_FUNCTIONS: Functions = functionsOf([
  ...OPERATORS,
  ...STANDARD,
  ...STRINGS,
  ...LISTS,
  ...URLS,
  ...IPS,
  ...QUANTITIES,
  ...NAMED_FORMATS,
  ...AUTHORIZATION,
]);
