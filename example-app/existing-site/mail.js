const { mkdir, writeFile } = require('node:fs/promises');
const { join } = require('node:path');

const nodemailer = require('nodemailer');

const { SMTP_URL } = process.env;
const folder = join(__dirname, 'mail');
const transport = nodemailer.createTransport(SMTP_URL || { streamTransport: true, buffer: true });
let count = 0;

/** Without a mail server each mail is a file in the folder `mail`, which mail programs can open. */
module.exports = async function sendMail({ to, subject, text, html }) {
  const { message } = await transport.sendMail({
    from: 'Cookbook <cookbook@example.com>',
    to,
    subject,
    text,
    html,
  });
  if (SMTP_URL) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${Date.now()}-${(count += 1)}.eml`), message);
};
