import { escapeRegExp } from '../escape-reg-exp.js';

/** What separates the parts of a subject: `repo:photos/site:ref:refs/heads/main`, `spiffe://photos.example/ns/prod`. */
const SEPARATORS = /[:/]+/;
/** Parts that a pattern has to fix, so that it is not open to everybody who has an account with the issuer. */
const FIXED_PARTS = 2;
/** What all subjects of a platform begin with counts as one part, since it tells nobody apart. */
const COMMON_BEGINNINGS = [/^system:serviceaccount:/, /^arn:aws[a-z-]*:(iam|sts):[^:]*:/];

/** Whether a subject fits: exactly, or in the place of each `*` with any characters but `/` and `:`. */
export function matchesSubject(pattern: string, subject: string): boolean {
  const parts = pattern.split('*').map(escapeRegExp);
  return new RegExp(`^${parts.join('[^/:]*')}$`, 'u').test(subject);
}

/** Whether a pattern lets in subjects of anybody: it begins with fewer than two fixed parts. */
export function isOpenToAll(pattern: string): boolean {
  return pattern.includes('*') ? fixedPartsOf(pattern) < FIXED_PARTS : pattern === '';
}

/**
 * Whether a pattern is no more than it has to be, or has a `*` in front of another part: any repository of an owner,
 * any account of any namespace.
 */
export function isWide(pattern: string): boolean {
  const [, ...rest] = pattern.split('*');
  if (rest.length === 0) return false;
  return rest.length > 1 || SEPARATORS.test(rest.join('')) || fixedPartsOf(pattern) <= FIXED_PARTS;
}

/** How many parts stand whole in front of the first `*`. */
function fixedPartsOf(pattern: string): number {
  const fixed = pattern.slice(0, pattern.indexOf('*'));
  const common = COMMON_BEGINNINGS.find((beginning) => beginning.test(fixed));
  const parts = (common ? fixed.replace(common, 'common:') : fixed).split(SEPARATORS);
  // the last part before the * is cut off by it
  return parts.slice(0, -1).filter((part) => part !== '').length;
}
