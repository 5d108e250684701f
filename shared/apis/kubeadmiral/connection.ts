/** What a FederatedCluster and its join Secret say together. */

/** How a member is reached; values of the Secret are decoded. `server` is a URL without a trailing slash, certificates and keys are PEM texts. */
export type MemberConnection = {
  cluster: string;
  server: string;
  insecure: boolean;
  caData?: string;
  certData?: string;
  keyData?: string;
  token?: string;
};
