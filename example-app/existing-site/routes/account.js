const router = require('express').Router();

const passport = require('../config/passport');
const sendMail = require('../mail');
const User = require('../models/user');

router.get('/login', (req, res) => {
  if (req.user) return res.redirect('/recipes');
  res.render('login');
});

router.post(
  '/session',
  passport.authenticate('local', {
    successRedirect: '/recipes',
    failureRedirect: '/account/login',
    failureFlash: true,
  }),
);

router.get('/register', (req, res) => res.render('register'));

router.post('/', async (req, res, next) => {
  try {
    const user = new User({ email: req.body.email, name: req.body.name });
    await user.setPassword(req.body.password);
    await user.save();
    await sendMail({
      to: user.email,
      subject: 'Welcome',
      text: `Hello ${user.name}, your cookbook is open.`,
    });
    req.login(user, (error) => (error ? next(error) : res.redirect('/recipes')));
  } catch (error) {
    next(error);
  }
});

router.post('/logout', (req, res, next) => {
  req.logout((error) => (error ? next(error) : res.redirect('/account/login')));
});

module.exports = router;
