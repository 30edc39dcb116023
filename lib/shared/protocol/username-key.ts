/** Unifies the same letters from different keyboards. */
export function normalizeText(text: string): string {
  return text.normalize('NFKC');
}

/** The key by which user names are compared: `Ａlice`, `ALICE` and `alice` are one name (RFC 8265 §3.3). */
export function usernameKey(username: string): string {
  return normalizeText(normalizeText(username).trim().toLowerCase());
}
