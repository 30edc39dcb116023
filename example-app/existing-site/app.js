const express = require('express');
const layouts = require('express-ejs-layouts');
const session = require('express-session');
const flash = require('connect-flash');
const helmet = require('helmet');
const MongoStore = require('connect-mongo');
const { csrfSync } = require('csrf-sync');

const passport = require('./config/passport');

const app = express();

app.set('view engine', 'ejs');
app.set('views', `${__dirname}/views`);
app.use(layouts);
app.use(helmet());
app.use(express.static(`${__dirname}/public`));
app.use(express.urlencoded({ extended: true }));
app.use(express.json());
app.use(
  session({
    secret: process.env.SESSION_SECRET || 'only for development',
    resave: false,
    saveUninitialized: true,
    store: MongoStore.create({ mongoUrl: process.env.MONGODB_URI || 'mongodb://127.0.0.1:27017/cookbook' }),
  }),
);
app.use(passport.initialize());
app.use(passport.session());
app.use(flash());

const { csrfSynchronisedProtection } = csrfSync({ getTokenFromRequest: (req) => req.body._csrf });
app.use(csrfSynchronisedProtection);

app.use((req, res, next) => {
  res.locals.title = 'Cookbook';
  res.locals.person = req.user;
  res.locals.error = req.flash('error');
  res.locals.csrfToken = req.csrfToken();
  next();
});

app.use('/account', require('./routes/account'));
app.use('/recipes', require('./routes/recipes'));
app.use('/api', require('./routes/api'));
app.get('/', (req, res) => res.redirect('/recipes'));

app.use((req, res) => res.status(404).render('message', { message: 'There is no such page.' }));
app.use((error, req, res, _next) => {
  res.status(error.status || 500).render('message', { message: error.message });
});

module.exports = app;
