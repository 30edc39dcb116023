/** The values of a directive in each Content-Security-Policy that has it: what one of them forbids is forbidden. */
export function directivesOf(headers: Headers, name: string): string[][] {
  const policies = (headers.get('content-security-policy') ?? '').split(',');
  return policies.flatMap((policy) => {
    const directives = policy.split(';').map((directive) => directive.trim().split(/\s+/));
    // CSP Level 3 §2.2.1: of two in one policy the first counts
    const found = directives.find(([known]) => known?.toLowerCase() === name);
    return found === undefined ? [] : [found.slice(1)];
  });
}
