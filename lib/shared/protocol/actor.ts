/**
 * An actor: the party that has the token now, and in `act` the party that passed the token on. `iss` is absent if this
 * server knows the party by `sub`.
 *
 * @see RFC 8693 §4.1
 */
export interface ActorClaim {
  readonly sub: string;
  readonly iss?: string;
  readonly act?: ActorClaim;
}

/** Longer than any real chain; longer chains are refused. */
const MAX_DEPTH = 10;
/** Characters. */
const MAX_NAME = 500;

/** The names of all actors, the present holder of the token first. */
export function actorNames(actor: ActorClaim | undefined): readonly string[] {
  return actor === undefined ? [] : [actor.sub, ...actorNames(actor.act)];
}

/**
 * The actor of a claim `act`, without members that identify nobody.
 *
 * @returns undefined if the claim is no chain of actors
 */
export function parseActor(claim: unknown, depth = MAX_DEPTH): ActorClaim | undefined {
  if (typeof claim !== 'object' || claim === null || depth === 0) return undefined;
  const { sub, iss, act } = claim as Readonly<Record<string, unknown>>;
  if (!isName(sub) || (iss !== undefined && !isName(iss))) return undefined;
  const actor = iss === undefined ? { sub } : { sub, iss };
  if (act === undefined) return actor;
  const prior = parseActor(act, depth - 1);
  return prior && { ...actor, act: prior };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME;
}
