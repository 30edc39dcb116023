import passport from 'passport';
import { Strategy } from 'passport-openidconnect';

passport.use(
  new Strategy(
    {
      issuer: 'https://photos.example',
      authorizationURL: 'https://photos.example/oauth/authorize',
      tokenURL: 'https://photos.example/oauth/token',
      userInfoURL: 'https://photos.example/oauth/userinfo',
      clientID: process.env.PHOTOS_ID,
      clientSecret: process.env.PHOTOS_SECRET,
      callbackURL: 'https://app.example/signed-in',
      scope: ['profile'],
      // otherwise it asks for no name
      skipUserProfile: false,
    },
    (issuer, profile, done) => done(null, { id: `${issuer} ${profile.id}`, name: profile.displayName }),
  ),
);

app.post('/sign-in', passport.authenticate('openidconnect'));
app.get(
  '/signed-in',
  passport.authenticate('openidconnect', { failureRedirect: '/', successRedirect: '/home' }),
);
