const { readFileSync } = require('fs');
const secret = (name) => readFileSync(`/run/secrets/${name}`, 'utf8').trim();
rs.initiate({ _id: 'rs0', members: [1, 2, 3].map((n) => ({ _id: n, host: `mongo-${n}:27017` })) });
while (!db.hello().isWritablePrimary) sleep(500);
const admin = db.getSiblingDB('admin');
admin.createUser({ user: 'root', pwd: secret('mongo_root'), roles: ['root'] });
admin.auth('root', secret('mongo_root'));
const roles = [{ role: 'readWrite', db: 'photos' }];
db.getSiblingDB('photos').createUser({ user: 'site', pwd: secret('mongo_site'), roles });
