/** A kind that sequences are made of. */
import type { JsonObject } from '../../../../shared/machinery/object.ts';
import type { GroupVersionKind } from '../../../../shared/machinery/resource.ts';
import type { Random } from '../random.ts';

export type OracleKind = GroupVersionKind & {
  plural: string;
  /** Weight among the kinds. */
  weight: number;
  /** What an object must have to be valid, without apiVersion, kind and name. Always the same: other parts may rely on it. */
  base: JsonObject;
  /** Fields somebody may want, any subset of which is valid together with the base. May be invalid now and then. */
  wish(random: Random): JsonObject;
  /** Fields of status; absent: the kind has no status subresource. */
  status?(random: Random): JsonObject;
  /** True: the kind has /scale. */
  scale?: boolean;
  /** JSON patch operations that usually apply to an object with the base. */
  operations(random: Random): JsonObject[];
};
