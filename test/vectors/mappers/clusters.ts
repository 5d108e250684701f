/** Mappers of a member's resources and credentials. */
import { clusterCredentials } from '../../../shared/federation/clusters/auth.ts';
import { aggregateResources } from '../../../shared/federation/clusters/resources.ts';
import { byFunction, failed, type Mapper, type Mappers, value } from '../outcome.ts';

const resources: Mapper = ({ input }) => {
  const { allocatable, available } = aggregateResources(input.nodes ?? [], input.pods ?? [], input.nodeFilterSelectors ?? []);
  return value({ allocatable, available });
};

const auth: Mapper = ({ input }) => {
  const chosen = clusterCredentials({
    insecure: input.insecure ?? false,
    useBootstrap: input.useBootstrap ?? false,
    secretData: input.secretData ?? {},
  });
  return chosen.type === 'invalid' ? failed(chosen.message) : value({ bearerToken: chosen.bearerToken, tls: chosen.tls });
};

export const mappers: Mappers = {
  cluster_resources: byFunction({ aggregateClusterResources: resources }),
  cluster_auth: byFunction({ clusterAuthFromSecret: auth }),
};
