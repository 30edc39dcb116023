import { escapeRegExp } from '../escape-reg-exp.js';

/** Separators of a subject's parts: `repo:photos/site:ref:refs/heads/main`, `spiffe://photos.example/ns/prod`. */
const SEPARATORS = /[:/]+/;
/** Minimum number of fixed parts in a pattern, so that it does not match everybody with an account at the issuer. */
const FIXED_PARTS = 2;
/** Beginnings of all subjects of a platform, which count as one part because they distinguish nobody. */
const COMMON_BEGINNINGS = [/^system:serviceaccount:/, /^arn:aws[a-z-]*:(iam|sts):[^:]*:/];

/** Whether a subject matches: exactly, with any characters but `/` and `:` in the place of each `*`. */
export function matchesSubject(pattern: string, subject: string): boolean {
  const parts = pattern.split('*').map(escapeRegExp);
  return new RegExp(`^${parts.join('[^/:]*')}$`, 'u').test(subject);
}

/** Whether a pattern matches subjects of anybody: it begins with fewer than two fixed parts. */
export function isOpenToAll(pattern: string): boolean {
  return pattern.includes('*') ? fixedPartsOf(pattern) < FIXED_PARTS : pattern === '';
}

/**
 * Whether a pattern has only the minimum of fixed parts, or a `*` before another part: any repository of an owner, any
 * account of any namespace.
 */
export function isWide(pattern: string): boolean {
  const [, ...rest] = pattern.split('*');
  if (rest.length === 0) return false;
  return rest.length > 1 || SEPARATORS.test(rest.join('')) || fixedPartsOf(pattern) <= FIXED_PARTS;
}

/** The number of whole parts before the first `*`. */
function fixedPartsOf(pattern: string): number {
  const fixed = pattern.slice(0, pattern.indexOf('*'));
  const common = COMMON_BEGINNINGS.find((beginning) => beginning.test(fixed));
  const parts = (common ? fixed.replace(common, 'common:') : fixed).split(SEPARATORS);
  // the `*` cuts off the last part
  return parts.slice(0, -1).filter((part) => part !== '').length;
}
