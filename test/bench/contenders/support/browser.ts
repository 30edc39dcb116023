const MAX_REDIRECTS = 12;

/** The parts of a browser for a login: stores cookies, whatever their path, and follows redirects. */
export function createBrowser() {
  const cookies = new Map<string, string>();
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const request = async (url: string, init: RequestInit) => {
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), cookie: cookieHeader() },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };

  return {
    cookies,
    cookieHeader,
    /** Follows redirects as long as they stay on this origin; resolves to the last answer. */
    async open(url: string, init: RequestInit = {}) {
      let answer = await request(url, init);
      for (let count = 0, at = url; count < MAX_REDIRECTS; count += 1) {
        const location = answer.headers.get('location');
        if (location === null) break;
        const next = new URL(location, at);
        if (next.origin !== new URL(at).origin) break;
        at = next.href;
        answer = await request(at, {});
      }
      return answer;
    },
  };
}
