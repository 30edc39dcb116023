const passport = require('passport');
const LocalStrategy = require('passport-local').Strategy;

const User = require('../models/user');

passport.use(
  new LocalStrategy({ usernameField: 'email' }, async (email, password, done) => {
    try {
      const user = await User.findOne({ email });
      if (!user || !(await user.hasPassword(password))) {
        return done(null, false, { message: 'Wrong e-mail address or password.' });
      }
      return done(null, user);
    } catch (error) {
      return done(error);
    }
  }),
);
passport.serializeUser((user, done) => done(null, user.id));
passport.deserializeUser((id, done) => {
  User.findById(id).then((user) => done(null, user), done);
});

module.exports = passport;
