const router = require('express').Router();

const Recipe = require('../models/recipe');

router.use((req, res, next) => (req.user ? next() : res.redirect('/account/login')));

router.get('/', async (req, res, next) => {
  try {
    res.render('recipes', { recipes: await Recipe.find({ owner: req.user._id }).sort('title') });
  } catch (error) {
    next(error);
  }
});

router.post('/', async (req, res, next) => {
  try {
    await Recipe.create({ title: req.body.title, owner: req.user._id });
    res.redirect('/recipes');
  } catch (error) {
    next(error);
  }
});

module.exports = router;
