/** Mapper of the shipped FederatedTypeConfigs: as they lie in the package, and with the defaults of their schema. */
import { kubeadmiralDefinitions } from '../../../shared/apis/kubeadmiral/kinds.ts';
import { podTypeConfig, shippedTypeConfigs } from '../../../shared/apis/kubeadmiral/type-configs.ts';
import { failed, type Mapper, type Mappers, value } from '../outcome.ts';

const typeConfigs: Mapper = ({ input }) => {
  const shipped = [...shippedTypeConfigs(), podTypeConfig()].find(({ metadata }) => metadata.name === input.ftcName);
  if (!shipped) return failed(`no FederatedTypeConfig is called ${input.ftcName}`);
  const served = structuredClone(shipped);
  kubeadmiralDefinitions()
    .find(({ kind }) => kind === 'FederatedTypeConfig')
    ?.strategy.applyDefaults?.(served);
  const { sourceType, controllers, statusCollection, statusAggregation, autoMigration, pathDefinition } = served.spec;
  return value({
    sourceType,
    controllers: controllers ?? [],
    statusCollection: statusCollection ?? null,
    statusAggregation,
    statusAggregationDefaulted: shipped.spec.statusAggregation === undefined,
    autoMigration: autoMigration ?? null,
    pathDefinition: pathDefinition ?? {},
  });
};

export const mappers: Mappers = { default_ftcs: typeConfigs };
