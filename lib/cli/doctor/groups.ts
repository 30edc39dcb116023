import type { Finding } from './finding.js';

/** Findings of one kind, printed once. */
export interface Group extends Pick<Finding, 'severity' | 'check' | 'why' | 'cure'> {
  readonly what: readonly string[];
}

/** How many clients are named; the others are counted. */
const MAX_NAMES = 20;

/** Groups findings that several clients share, each with these clients; the order stays. */
export function groupFindings(findings: readonly Finding[]): Group[] {
  const groups = new Map<string, Finding[]>();
  for (const found of findings) {
    const { severity, check, why, client } = found;
    // a finding that is not about a client is a group of its own
    const key = client === undefined ? `${groups.size}` : JSON.stringify([severity, check, why]);
    groups.set(key, [...(groups.get(key) ?? []), found]);
  }
  return [...groups.values()].map((members) => {
    const [first] = members as [Finding];
    const { severity, check, why } = first;
    const isOne = members.length === 1;
    return { severity, check, why, cure: isOne ? first.cure : cureOfAll(first), what: whatOf(members) };
  });
}

function whatOf(members: readonly Finding[]): string[] {
  const [first] = members;
  const isSame = members.every(({ about }) => about === first?.about);
  if (members.length === 1 || !isSame || first?.about === undefined) return members.map(({ what }) => what);
  const names = members.slice(0, MAX_NAMES).map(({ client }) => `${client?.clientId} (${client?.name})`);
  const others = members.length - names.length;
  return [
    `each of ${members.length} clients ${first.about}:`,
    names.join(', ') + (others > 0 ? ` and ${others} more` : ''),
  ];
}

function cureOfAll({ cure, client }: Finding): string {
  return client === undefined ? cure : cure.replaceAll(client.clientId, '<client id>');
}
