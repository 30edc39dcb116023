import { fetchTrustedKeys } from '../../core/keys/trusted-keys.js';
import { messageOf } from '../../shared/errors.js';
import { isWide } from '../../shared/protocol/subject-pattern.js';
import { readSite } from './developers.js';
import type { ReportFinding } from './finding.js';

const KIND = /\bkind\s*:\s*['"](?:workload|enterprise|partner)['"]/g;
const TRUST_DOMAINS = /\bspiffe\s*[:=]\s*(?=\{)/g;
const STRING = /(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

/**
 * Checks the trusted issuers in the source of a site: patterns that match many subjects, and keys that cannot be
 * fetched. A pattern that matches everybody prevents the start anyway. Does nothing in other folders, and sees only
 * literal values.
 */
export async function checkTrust(report: ReportFinding, folder: string) {
  const sources = await readSite(folder);
  // objects with a kind of trust, and trust domains
  const entries = sources.flatMap(({ text }) => [
    ...[...text.matchAll(KIND)].map(({ index }) => objectAround(text, index)),
    ...[...text.matchAll(TRUST_DOMAINS)].map(({ index, 0: match }) =>
      objectAround(text, index + match.length + 1),
    ),
  ]);
  const patterns = new Set(entries.flatMap((entry) => valuesOf(entry, 'subject')).filter(isWide));
  for (const pattern of patterns)
    report('warning', 'trust.width', {
      what: `assertions has the subject '${pattern}', which lets in many`,
      why: 'Whoever can run one of the programs that it fits gets all that its entry allows: in any repository, namespace or account in the place of a *.',
      cure: 'Name the one program that is meant, or an entry for each; if all of them are meant, leave it.',
    });
  const addresses = new Set(entries.flatMap((entry) => valuesOf(entry, 'jwksUri')));
  const results = await Promise.allSettled([...addresses].map((url) => fetchTrustedKeys(url)));
  [...addresses].forEach((url, index) => {
    const result = results[index];
    if (result?.status === 'rejected')
      report('warning', 'trust.keys', {
        what: `the keys at ${url} could not be fetched from here: ${messageOf(result.reason)}`,
        why: 'Tokens of the issuer cannot be verified while the site gets no keys; it answers them 503.',
        cure: 'Look whether jwksUri is right, answers a key set (RFC 7517 §5) and does not redirect.',
      });
  });
}

/** From the preceding brace to the matching one. A brace in a string is rare, and only shortens the result. */
function objectAround(text: string, index: number): string {
  const depthOf = (at: number) => ({ '{': 1, '}': -1 })[text[at] ?? ''] ?? 0;
  let start = index;
  for (let depth = 0; start > 0 && depth < 1; start -= 1) depth += depthOf(start - 1);
  let end = index;
  for (let depth = 1; end < text.length && depth > 0; end += 1) depth += depthOf(end);
  return text.slice(start, end);
}

/** The texts of a member: one, or a list. */
function valuesOf(entry: string, member: string): string[] {
  return [...entry.matchAll(new RegExp(`\\b${member}\\s*:\\s*(\\[[^\\]]*\\]|['"\`][^\\n]*)`, 'g'))].flatMap(
    ([, value = '']) => {
      const texts = [...value.matchAll(STRING)].map(([, , text = '']) => text);
      return value.startsWith('[') ? texts : texts.slice(0, 1);
    },
  );
}
