/** SPIFFE-ID §2.1: lower case, no user, no port. */
const TRUST_DOMAIN = /^[a-z0-9._-]{1,255}$/;
/** SPIFFE-ID §2.2: no percent-encoding, no segment that is empty or only dots. */
const SEGMENT = /^(?!\.{1,2}$)[a-zA-Z0-9._-]+$/;
/** SPIFFE-ID §2.3 */
export const MAX_SPIFFE_ID_LENGTH = 2048;
const SCHEME = 'spiffe://';
const ANY_BELOW = '/*';

/**
 * The SPIFFE ID of a program. Without a path it would be the ID of a trust domain.
 *
 * @returns undefined if the text is no SPIFFE ID of a program
 */
export function parseSpiffeId(text: unknown) {
  if (typeof text !== 'string' || text.length > MAX_SPIFFE_ID_LENGTH || !text.startsWith(SCHEME))
    return undefined;
  const [trustDomain = '', ...segments] = text.slice(SCHEME.length).split('/');
  const isRight =
    isTrustDomain(trustDomain) && segments.length > 0 && segments.every((each) => SEGMENT.test(each));
  return isRight ? { trustDomain, segments } : undefined;
}

export function isTrustDomain(name: string): boolean {
  return TRUST_DOMAIN.test(name);
}

/** The trust domain of its own SPIFFE ID: `spiffe://photos.example`; undefined for any other text. */
export function trustDomainNamed(text: string): string | undefined {
  if (!text.startsWith(SCHEME)) return undefined;
  const trustDomain = text.slice(SCHEME.length);
  return isTrustDomain(trustDomain) ? trustDomain : undefined;
}

/**
 * The trust domain of a client's `spiffe_id`: a SPIFFE ID, or one with `/*` in the place of its last segments. A
 * segment must precede `/*`, because the pattern would otherwise match the whole trust domain.
 *
 * @returns undefined if the value is neither
 * @see OAuth SPIFFE Client Authentication (draft 02) §5.1
 */
export function trustDomainOfRegistered(registered: string): string | undefined {
  return parseSpiffeId(isPrefix(registered) ? registered.slice(0, -ANY_BELOW.length) : registered)
    ?.trustDomain;
}

/** Whether a SPIFFE ID matches a registered one: exactly, or below the segments before `/*` (§5.1). */
export function matchesSpiffeId(registered: string, presented: string): boolean {
  if (parseSpiffeId(presented) === undefined) return false;
  return isPrefix(registered) ? presented.startsWith(registered.slice(0, -1)) : presented === registered;
}

function isPrefix(registered: string): boolean {
  return registered.endsWith(ANY_BELOW);
}
