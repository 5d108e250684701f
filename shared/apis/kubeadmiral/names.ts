/** Names of KubeAdmiral's API groups. */
export const KUBEADMIRAL_GROUP = 'core.kubeadmiral.io';
export const KUBEADMIRAL_VERSION = 'v1alpha1';
export const KUBEADMIRAL_API_VERSION = `${KUBEADMIRAL_GROUP}/${KUBEADMIRAL_VERSION}`;
export const MULTICLUSTER_GROUP = 'multicluster.x-k8s.io';
