import { io } from 'socket.io-client';

export function connect(url, getToken) {
  const socket = io(url, { auth: async (send) => send({ token: await getToken() }) });
  socket.on('connect_error', ({ data }) => {
    console.log('refused', data); // { status: 401, error: 'invalid_token' }
    if (data?.status === 503) setTimeout(() => socket.connect(), 5000); // nobody could check the token: it may be valid
  });
  socket.on('disconnect', (reason) => reason === 'io server disconnect' && socket.connect());
  return socket;
}
