// Measures BullMQ from inside Node, by one command a line on stdin and one reply a line on stdout.
// `interop/README.md` holds the commands.

import { createInterface } from 'node:readline';
import { BenchQueue } from './queue.mjs';

const address = new URL(process.argv[2]);
const connection = { host: address.hostname, port: Number(address.port) };
const queues = new Map();

async function reply(line) {
  const [command, name, ...words] = line.split(' ');
  if (!queues.has(name)) {
    queues.set(name, new BenchQueue(name, connection));
  }
  const queue = queues.get(name);
  const numbers = words.map(Number);
  switch (command) {
    case 'offer-all':
      return queue.offerAll(...numbers);
    case 'consume':
      return queue.consume(...numbers.slice(1));
    case 'close':
      queues.delete(name);
      await queue.close();
      return 'ok';
    default:
      return 'err unsupported';
  }
}

console.log('ready bullmq');
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'exit') {
    console.log('ok');
    break;
  }
  console.log(await reply(line).catch((error) => `err ${error}`.replaceAll('\n', ' ')));
}
process.exit();
