/** Matches the directive up to the next one, or to the next policy in the same header; the rest is left as it is. */
const FORM_ACTION = /(?<=^|[;,])(\s*form-action)(\s[^;,]*)(?=[;,]|$)/gi;

/**
 * Changes a Content-Security-Policy header so that forms may lead to these sources as well. If a policy says nothing
 * about forms, they may lead anywhere; if it forbids them all (`'none'`), there is nothing to widen.
 *
 * @see CSP Level 3 §2.2.1, §6.4.2 (form-action, which does not fall back to default-src)
 */
export function widenFormAction(policy: string, sources: readonly string[]): string {
  return policy.replace(FORM_ACTION, (directive: string, name: string, value: string) => {
    const allowed = value.trim().split(/\s+/);
    if (allowed[0] === '' || allowed.some((source) => source.toLowerCase() === "'none'")) return directive;
    const missing = sources.filter((source) => !allowed.includes(source));
    return [`${name}${value.trimEnd()}`, ...missing].join(' ');
  });
}
