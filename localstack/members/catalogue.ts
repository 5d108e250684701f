/** The simulated clusters that `dev` offers: three that differ in size, region and price, then as many as are asked for. */

/** One simulated cluster. Quantities are per node. Prices in $ per cpu hour. */
export type MemberSpec = {
  name: string;
  region: string;
  zone: string;
  pricePerCpuHour: number;
  nodes: number;
  nodeCpu: string;
  nodeMemory: string;
  /** Beside the topology labels. */
  labels: Record<string, string>;
};

const FIRST: readonly MemberSpec[] = [
  spec('eu-1', 'eu-central', 0.046, 4, 4, 16),
  spec('us-1', 'us-east', 0.038, 8, 8, 32),
  spec('ap-1', 'ap-south', 0.041, 2, 4, 16),
];

const REGIONS: readonly { prefix: string; region: string; price: number }[] = [
  { prefix: 'eu', region: 'eu-west', price: 0.047 },
  { prefix: 'us', region: 'us-west', price: 0.04 },
  { prefix: 'ap', region: 'ap-east', price: 0.049 },
  { prefix: 'sa', region: 'sa-east', price: 0.059 },
  { prefix: 'af', region: 'af-south', price: 0.055 },
  { prefix: 'me', region: 'me-central', price: 0.052 },
];

/** `count` clusters, always the same ones: eu-1, us-1, ap-1, then eu-2, us-2, ap-2, sa-2 ... */
export function memberSpecs(count: number): MemberSpec[] {
  const specs = FIRST.slice(0, count);
  for (let i = specs.length; i < count; i += 1) {
    const place = REGIONS[(i - FIRST.length) % REGIONS.length] ?? REGIONS[0];
    const round = Math.floor((i - FIRST.length) / REGIONS.length) + 2;
    if (place) specs.push(spec(`${place.prefix}-${round}`, place.region, place.price, 2 + ((i * 3) % 7), 4, 16));
  }
  return specs;
}

function spec(name: string, region: string, price: number, nodes: number, cpu: number, memoryGi: number): MemberSpec {
  return {
    name,
    region,
    zone: `${region}-a`,
    pricePerCpuHour: price,
    nodes,
    nodeCpu: String(cpu),
    nodeMemory: `${memoryGi}Gi`,
    labels: {},
  };
}

/** Sums over nodes, for display: `{cpu: 16, memory: '64Gi'}`. */
export function totals(member: MemberSpec): { cpu: number; memory: string } {
  return { cpu: Number(member.nodeCpu) * member.nodes, memory: `${Number.parseInt(member.nodeMemory, 10) * member.nodes}Gi` };
}
