import type { Finding } from './finding.js';

/** Maximum number of named clients; the others are counted. */
const MAX_NAMES = 20;

/** Combines findings that several clients share into one, with these clients; the order stays. */
export function groupFindings(findings: readonly Finding[]) {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { severity, check, why, client } = finding;
    // a finding without a client is a group of its own
    const key = client === undefined ? `${groups.size}` : JSON.stringify([severity, check, why]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].map((members) => {
    const [first] = members as [Finding];
    const { severity, check, why, about, client } = first;
    if (members.length === 1) return { ...first, what: [first.what] };
    const cure = client === undefined ? first.cure : first.cure.replaceAll(client.clientId, '<client id>');
    const isSame = about !== undefined && members.every((member) => member.about === about);
    if (!isSame) return { severity, check, why, cure, what: members.map(({ what }) => what) };
    const names = members
      .slice(0, MAX_NAMES)
      .map((member) => `${member.client?.clientId} (${member.client?.name})`);
    const others = members.length - names.length;
    const list = names.join(', ') + (others > 0 ? ` and ${others} more` : '');
    return { severity, check, why, cure, what: [`each of ${members.length} clients ${about}:`, list] };
  });
}
