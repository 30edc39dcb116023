import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

express()
  .post('/oauth', express.text({ type: '*/*' }), (req, res) => {
    try {
      const { type, data } = webhook.verify(req.body, req.headers);
      console.log(type, data.clientId);
      res.sendStatus(204);
    } catch {
      res.sendStatus(400);
    }
  })
  .listen(process.env.PORT);
