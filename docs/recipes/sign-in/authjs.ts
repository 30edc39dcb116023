import NextAuth from 'next-auth';

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'photos',
      name: 'Photos',
      type: 'oidc',
      issuer: 'https://photos.example',
      clientId: process.env.PHOTOS_ID,
      clientSecret: process.env.PHOTOS_SECRET,
      checks: ['pkce', 'state', 'nonce'],
      // otherwise it asks for the e-mail address as well
      authorization: { params: { scope: 'openid profile' } },
      // the name is at userinfo
      idToken: false,
    },
  ],
});
