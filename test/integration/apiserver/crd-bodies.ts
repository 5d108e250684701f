/** Bodies of CustomResourceDefinitions for tests. */

/** A root schema whose `spec` has these members, and a free `status`. */
export function schemaOf(properties: object, extra: object = {}): object {
  return {
    type: 'object',
    properties: {
      spec: { type: 'object', properties, ...extra },
      status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
}

const SPEC = {
  size: { type: 'integer' },
  color: { type: 'string', default: 'red' },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

/** `widgets.example.com` with one version, `v1`. */
export function crdBody({
  names = {},
  schema = schemaOf(SPEC),
  version = {},
  spec = {},
}: {
  names?: object;
  schema?: object;
  version?: object;
  spec?: object;
} = {}): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', ...names },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
          ...version,
        },
      ],
      ...spec,
    },
  };
}
