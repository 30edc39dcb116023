/** The same for every contender, so that all do the same work. */
export const USER_ID = 'ada';
export const SCOPE = 'photos:read';
export const REDIRECT_URI = 'https://print.example/callback';
/** Seconds. */
export const ACCESS_TOKEN_TTL = 3600;
export const REFRESH_TOKEN_TTL = 30 * 86_400;
export const CODE_TTL = 60;

export function photosOf(who: string): { photosOf: string; photos: { id: number; title: string }[] } {
  return {
    photosOf: who,
    photos: [
      { id: 1, title: 'The harbour at dawn' },
      { id: 2, title: 'Two gulls' },
    ],
  };
}
