const router = require('express').Router();

const Recipe = require('../models/recipe');

const requireUser = (req, res, next) => (req.user ? next() : res.status(401).json({ error: 'log in first' }));

router.get('/recipes', requireUser, async (req, res, next) => {
  try {
    const recipes = await Recipe.find({ owner: req.user._id }).sort('title');
    res.json({ of: req.user.name, recipes: recipes.map(({ title }) => title) });
  } catch (error) {
    next(error);
  }
});

module.exports = router;
