const mongoose = require('mongoose');

const app = require('./app');

const { PORT = 4000, MONGODB_URI = 'mongodb://127.0.0.1:27017/cookbook' } = process.env;

mongoose.connect(MONGODB_URI).then(() => {
  const server = app.listen(PORT, () => {
    console.log(`The cookbook is open: http://localhost:${server.address().port}`);
  });
});
