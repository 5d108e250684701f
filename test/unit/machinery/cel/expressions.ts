/** Expressions that a kube-apiserver was asked about; its answers lie in recorded.json (made by record.ts). `object` is PROBE. */
import { readFileSync } from 'node:fs';

export const PROBE = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'probe', namespace: 'default', labels: { app: 'web', 'example.com/tier': 'front' } },
  data: { count: '3', text: 'héllo wörld', list: 'a,b,c', __proto: 'x' },
};

/** By what they are about. */
export const EXPRESSIONS = JSON.parse(readFileSync(new URL('expressions.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>;
