const { allow } = require('express-authorization-server/testing');

async function codeFor(site, clientId) {
  const login = await fetch(`${site}/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'ada', password: 'correct horse' }),
    redirect: 'manual',
  });
  const query = new URLSearchParams({ response_type: 'code', client_id: clientId, state: 'xyz' });
  const back = await allow(`${site}/oauth/authorize?${query}`, { cookie: login.headers.getSetCookie() });
  return back.searchParams.get('code');
}
module.exports = codeFor;
