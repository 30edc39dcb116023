/**
 * Whether a response belongs to the request with this state. Anybody can make your browser come here with a code of
 * their own, but nobody else knows the state (RFC 6749 §10.12). A repeated state is invalid.
 */
export function hasState(sent: string | undefined, answer: URLSearchParams): boolean {
  const states = answer.getAll('state');
  return sent !== undefined && states.length === 1 && states[0] === sent;
}

/** Whether a response is from the issuer of the request (RFC 9207 §2.4). */
export function isFrom(issuer: string, answer: URLSearchParams): boolean {
  return answer.get('iss') === issuer;
}
