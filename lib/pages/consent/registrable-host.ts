import type * as Tldts from 'tldts';

let loading: Promise<typeof Tldts> | undefined;

/** The host to which an answer goes, in the parts that tell who has it. */
export interface HostParts {
  /** What the owner of the rest can name as they like, even like somebody else's page. */
  readonly before: string;
  /** The part that somebody has registered, or the whole host if it is not below a public suffix. */
  readonly registrable: string;
  /** The port. */
  readonly after: string;
}

/** More than these would push out of sight what counts. */
const MAX_BEFORE = 20;

/**
 * Splits a host by the list of public suffixes, including those of hosting companies, below which anybody can have a
 * name: in `accounts.bank.example.evil.example` the end is what counts. The list is loaded with the first consent page.
 *
 * @see https://publicsuffix.org/list/
 */
export async function splitHost(host: string): Promise<HostParts> {
  const { parse } = await (loading ??= import('tldts'));
  const { hostname, port } = new URL(`https://${host}`);
  const { domain } = parse(hostname, { allowPrivateDomains: true });
  const registrable = domain ?? hostname;
  const before = hostname.slice(0, hostname.length - registrable.length);
  return {
    before: before.length > MAX_BEFORE ? `…${before.slice(-MAX_BEFORE)}` : before,
    registrable,
    after: port === '' ? '' : `:${port}`,
  };
}
